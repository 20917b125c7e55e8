/** The default pull policy of an image, which depends on its tag. */

const host = "(?:(?=[^/]*[.:A-Z])[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?|localhost)";
const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const imagePattern = new RegExp(
  String.raw`^(?:${host}/)?${part}(?:/${part})*(?::(\w[\w.-]{0,127}))?(@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?$`,
);

/**
 * A digest always names the same image; a missing tag means `latest`, which may change. A text that is not an
 * image name has no tag at all, so it counts as unchanging.
 */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  const match = imagePattern.exec(image);
  if (match === null) return "IfNotPresent";
  const [, tag, digest] = match;
  const moves = tag === "latest" || (tag === undefined && digest === undefined);
  return moves ? "Always" : "IfNotPresent";
}
