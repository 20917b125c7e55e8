/** What was made or deleted, in words: a few names, and how many more. */
const listedAtMost = 5;

export function podsInWords(verb: "created" | "deleted", names: readonly string[]): string {
  const more = names.length - listedAtMost;
  const shown = names.slice(0, listedAtMost).join(", ");
  const listed = more > 0 ? `${shown} and ${more} more` : shown;
  return `${verb} ${names.length === 1 ? "pod" : "pods"} ${listed}`;
}
