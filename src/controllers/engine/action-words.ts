/** What was done to units, in words: a few names, and how many more. */
const listedAtMost = 5;

export function inWords(
  verb: "created" | "deleted" | "updating",
  noun: "pod" | "replica",
  names: readonly string[],
): string {
  return `${verb} ${noun}${names.length === 1 ? "" : "s"} ${aFew(names)}`;
}

export function aFew(names: readonly string[]): string {
  const more = names.length - listedAtMost;
  const shown = names.slice(0, listedAtMost).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
