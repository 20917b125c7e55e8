/** A Placement that cannot be scheduled as it is written: what is wrong, where, and which part noticed. */
export class Misconfigured extends Error {
  constructor(part: string, problem: string) {
    super(`${part}: ${problem}`);
  }
}
