/**
 * What checking one object may find and take. A schema and an object multiply: each may be as large as a body, and the
 * server has one thread, so that nothing else would be answered meanwhile.
 */
import type { FieldError } from "../../api/field-error.ts";
import { fieldErrorText, invalid } from "../../api/field-error.ts";

/** A message that belongs to no field: upstream prints its missing path this way. */
export const nowhere = "<nil>";

/** More than anybody reads. */
export const mostErrors = 1_000;
const mostErrorCharacters = 1024 * 1024;

/** Checks of one value against one schema, in all: two seconds or so. */
export const mostSteps = 5_000_000;

/** Characters times instructions of patterns: up to ten seconds where an expression is made for it. */
export const mostPatternSteps = 200_000_000;

/** Ends a run; its message is the last error in the answer. */
class RunEnded extends Error {}

export const tooManyErrors =
  "there are more errors, which were not looked for; correct these first";
export const tooManySteps =
  "checking this object against its schema takes too long; make one of them smaller";

export class ValidationRun {
  readonly #taken: { steps: number; patternSteps: number };
  readonly errors: FieldError[] = [];
  #characters = 0;

  constructor(taken = { steps: 0, patternSteps: 0 }) {
    this.#taken = taken;
  }

  /** Does what it can of the work; false where it was ended, and the last error says why. */
  completes(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof RunEnded)) throw error;
      this.errors.push(invalid(nowhere, null, error.message));
      return false;
    }
  }

  add(...errors: readonly FieldError[]): void {
    for (const error of errors) {
      this.errors.push(error);
      this.#characters += fieldErrorText(error).length;
      const isFull = this.errors.length >= mostErrors || this.#characters > mostErrorCharacters;
      if (isFull) throw new RunEnded(tooManyErrors);
    }
  }

  step(): void {
    if (++this.#taken.steps > mostSteps) throw new RunEnded(tooManySteps);
  }

  patternSteps(count: number): void {
    this.#taken.patternSteps += count;
    if (this.#taken.patternSteps > mostPatternSteps) throw new RunEnded(tooManySteps);
  }

  /** Errors of its own, for an alternative that may not count; what it takes is taken from this run. */
  branch(): ValidationRun {
    return new ValidationRun(this.#taken);
  }
}
