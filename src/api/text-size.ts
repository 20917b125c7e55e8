/** Sizes as Kubernetes counts them: in bytes of UTF-8, not in characters. */

const encoder = new TextEncoder();

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

export function isLongerThan(text: string, maxBytes: number): boolean {
  // No code unit takes more than three bytes, so short texts need no encoding.
  return text.length * 3 > maxBytes && byteLength(text) > maxBytes;
}
