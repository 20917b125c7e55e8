/** Ends a command with an exit code that is an answer, not a failure: nothing more is printed. */
export class ExitCode extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit code ${code}`);
    this.code = code;
  }
}
