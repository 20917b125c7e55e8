/** A rule that cannot be compiled or evaluated, in the words of the Go implementation. */
export class RuleProblem extends Error {}

export const costLimitExceeded = "operation cancelled: actual cost limit exceeded";
