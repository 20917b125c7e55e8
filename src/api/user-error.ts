/** A mistake that only the user can correct: reported in one line, never retried. */

export interface Complaint {
  /** What is wrong, and where: a field path, an object, a file. */
  readonly problem: string;
  /** What to do about it. */
  readonly fix?: string;
}

export class UserError extends Error {
  readonly fix: string | undefined;

  constructor({ problem, fix }: Complaint) {
    super(fix === undefined ? problem : `${problem}; ${fix}`);
    this.name = "UserError";
    this.fix = fix;
  }
}
