/** A rule that cannot be evaluated for the value at hand; the message is what the client reads. */
export class RuleProblem extends Error {}
