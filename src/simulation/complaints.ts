/** What went wrong in a scenario, whether or not its test looked: broken promises and problems of the operator. */

export class Complaints {
  /** Everything that reconciles and watches failed with, injected faults included. */
  readonly problems: unknown[] = [];
  readonly #texts: string[] = [];
  readonly #excused: string[] = [];
  readonly #expected: RegExp[];
  readonly #tolerated: RegExp[] = [];

  /** Each of `expected` has to be met by a complaint; every other complaint fails the test. */
  constructor(expected: readonly RegExp[] = []) {
    this.#expected = [...expected];
  }

  /** Whether anything is to be answered for that has not been expected from the start. */
  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  violation(text: string): void {
    this.#texts.push(`broken promise: ${text}`);
  }

  /** For those who learn only later what to expect. */
  expect(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  /** May occur or not. */
  tolerate(pattern: RegExp): void {
    this.#tolerated.push(pattern);
  }

  /** `isExcused`: faults of the scenario caused it, so that it says nothing about the operator. */
  problem(error: unknown, isExcused: boolean): void {
    this.problems.push(error);
    (isExcused ? this.#excused : this.#texts).push(`problem: ${textOf(error)}`);
  }

  /** What the test has to answer for: unexpected complaints, and expected ones that did not come. */
  unanswered(): string[] {
    const all = [...this.#texts, ...this.#excused];
    const missing = this.#expected.filter((pattern) => !all.some((text) => pattern.test(text)));
    const answered = [...this.#expected, ...this.#tolerated];
    const unexpected = this.#texts.filter((text) => !answered.some((each) => each.test(text)));
    return [...unexpected, ...missing.map((pattern) => `expected, but never seen: ${pattern}`)];
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A refusal says everything; a bug in the code needs the place.
  return error.name === "ApiError" ? String(error) : (error.stack ?? String(error));
}
