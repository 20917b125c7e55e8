/** Pieces that descriptions of all kinds are made of. */

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Longer annotations are printed on a line of their own. */
const inlineLength = 140;

/** `Mon, 16 Nov 2026 02:48:50 +0000`. */
export function goTime(text: string): string {
  return new Date(text).toUTCString().replace("GMT", "+0000");
}

export function mapFields(title: string, map: Readonly<Record<string, string>> = {}): string[] {
  const pairs = sortedEntries(map).map(([key, value]) => `${key}=${value}`);
  return titled(title, pairs);
}

/** The annotation that apply keeps for itself is left out: it explains nothing to a person. */
export function annotationFields(annotations: Readonly<Record<string, string>> = {}): string[] {
  const shown = sortedEntries(annotations).filter(([key]) => key !== lastApplied);
  return titled(
    "Annotations",
    shown.flatMap(([key, value]) => {
      const text = value.replace(/\n$/, "");
      if (text.length + key.length < inlineLength && !text.includes("\n"))
        return [`${key}: ${text}`];
      return [`${key}:`, ...text.split("\n").map((line) => `  ${line}`)];
    }),
  );
}

export function sortedEntries<T>(map: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function titled(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [`${title}:\t<none>`];
  return texts.map((text, index) => `${index === 0 ? `${title}:` : ""}\t${text}`);
}
