/** The recurring phrases of Kubernetes' value checks. Every check returns a list of such phrases. */

/** Bytes are counted either way; only the word differs, as it does upstream. */
export function tooLongProblem(maxBytes: number, unit: "bytes" | "characters"): string {
  return `must be no more than ${maxBytes} ${unit}`;
}

export const emptyProblem = "must be non-empty";

export const negativeProblem = "must be greater than or equal to 0";

export const immutableProblem = "field is immutable";

export const positiveProblem = "must be greater than zero";

export function rangeProblem(least: number, most: number): string {
  return `must be between ${least} and ${most}, inclusive`;
}

/** `message (e.g. 'a',  or 'b', regex used for validation is 'r')`, odd comma included. */
export function patternProblem(
  message: string,
  pattern: string,
  ...examples: readonly string[]
): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${shown}regex used for validation is '${pattern}')`;
}
