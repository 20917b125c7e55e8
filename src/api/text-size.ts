/** Sizes as Kubernetes counts them: in bytes of UTF-8, not in characters. */

const encoder = new TextEncoder();

const oneByteEach = /^[\0-\x7f]*$/;

export function byteLength(text: string): number {
  return oneByteEach.test(text) ? text.length : encoder.encode(text).length;
}

export function isLongerThan(text: string, maxBytes: number): boolean {
  // No code unit takes more than three bytes, so short texts need no encoding.
  return text.length * 3 > maxBytes && byteLength(text) > maxBytes;
}
