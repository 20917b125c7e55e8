/** The wire format of protobuf: fields of a message by number, with their values as they were sent. */

export type WireValue = bigint | Uint8Array;

export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** The longest varint: 64 bits, seven at a time. */
const longestVarint = 10;

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let read = 0; read < longestVarint; read++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("unexpected EOF");
      value |= BigInt(byte & 0x7f) << BigInt(7 * read);
      if (byte < 0x80) return value;
    }
    throw new RangeError("proto: integer overflow");
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("unexpected EOF");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

/** Throws where the bytes are no message. */
export function wireFields(bytes: Uint8Array): WireField[] {
  const reader = new Reader(bytes);
  const fields: WireField[] = [];
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    fields.push({ number: Math.floor(tag / 8), value: valueOf(reader, tag % 8) });
  }
  return fields;
}

function valueOf(reader: Reader, type: number): WireValue {
  switch (type) {
    case wireTypes.varint:
      return reader.varint();
    case wireTypes.fixed64:
      return reader.take(8);
    case wireTypes.bytes:
      return reader.take(Number(reader.varint()));
    case wireTypes.fixed32:
      return reader.take(4);
    default:
      throw new RangeError(`proto: illegal wireType ${type}`);
  }
}

const noBytes = new Uint8Array();

export const bytesOf = (value: WireValue | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : noBytes;

export const textOf = (value: WireValue | undefined): string =>
  Buffer.from(bytesOf(value)).toString("utf8");

/** Negative numbers are sent as 64 bits, whatever their type. */
export const integerOf = (value: WireValue | undefined): number =>
  typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0;

/** The last value of a field; messages repeat fields only in lists. */
export const fieldOf = (fields: readonly WireField[], number: number): WireValue | undefined =>
  fields.findLast((field) => field.number === number)?.value;
