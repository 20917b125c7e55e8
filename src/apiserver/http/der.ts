/** Just enough of ASN.1's distinguished encoding to write a certificate. */

export function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...items: readonly Buffer[]): Buffer => element(0x30, ...items);
export const setOf = (...items: readonly Buffer[]): Buffer => element(0x31, ...items);
export const octets = (content: Buffer): Buffer => element(0x04, content);
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text, "utf8"));
export const truth = (): Buffer => element(0x01, Buffer.from([0xff]));
export const integer = (bytes: Buffer): Buffer => element(0x02, bytes);

export function bits(content: Buffer, unused = 0): Buffer {
  return element(0x03, Buffer.from([unused]), content);
}

/** `[n] { ... }` around complete elements. */
export function tagged(number: number, ...items: readonly Buffer[]): Buffer {
  return element(0xa0 | number, ...items);
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = rest.flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return element(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

/** Valid until 2049, because the two-digit year ends there. */
export function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(2, 14);
  return element(0x17, Buffer.from(`${digits}Z`, "ascii"));
}
