/** The position of a decoder in the body, and its errors in the words of Go's decoder. */

/** The parts of a field that error messages mention. */
export interface FieldPlace {
  readonly name: string;
  /** Short Go name of the struct that has the field. */
  readonly owner: string;
  /** Go names of embedded structs on the way, joined by dots. */
  readonly embedded?: string;
}

/** A field, an index of a list or a key of a map. */
export type Segment = FieldPlace | number | string;

/** A body that cannot be an object of its kind; the message is Go's. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  /** Where a value had the wrong JSON type: the value, and the kind of Go type that was wanted. */
  readonly mismatch: { readonly given: unknown; readonly wanted: string } | undefined;

  constructor(message: string, mismatch?: DecodeError["mismatch"]) {
    super(message);
    this.mismatch = mismatch;
  }
}

/** Kubernetes stops counting there too. */
const problemLimit = 100;

export class DecodeCursor {
  /** Decoders push before they descend and pop afterwards; after a throw it still holds the position. */
  readonly segments: Segment[] = [];
  readonly problems: string[] = [];

  unknownField(name: string): void {
    if (this.problems.length >= problemLimit) return;
    const path = joinPath(this.segments);
    this.problems.push(`unknown field "${path === "" ? name : `${path}.${name}`}"`);
  }

  /** `wanted` is slice, map or struct; plain types are wanted by their own name. */
  mismatch(value: unknown, goType: string, wanted = plainKind(goType)): DecodeError {
    const place = goPlace(this.segments);
    return new DecodeError(
      `json: cannot unmarshal ${describeJson(value)} into ${place} of type ${goType}`,
      { given: value, wanted },
    );
  }

  /** A number of the right kind of type that does not fit it. */
  badNumber(value: number, goType: string): DecodeError {
    const place = goPlace(this.segments);
    return new DecodeError(
      `json: cannot unmarshal number ${value} into ${place} of type ${goType}`,
    );
  }
}

/** All named plain types of the table are strings. */
const plainKind = (goType: string): string => (goType.includes(".") ? "string" : goType);

/** What Go calls it. */
export function describeJson(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value;
}

/** `spec.containers[0].image`. */
function joinPath(segments: readonly Segment[]): string {
  let path = "";
  for (const segment of segments) {
    if (typeof segment === "number") path += `[${segment}]`;
    else path += `${path === "" ? "" : "."}${typeof segment === "string" ? segment : segment.name}`;
  }
  return path;
}

/** `Go struct field Container.spec.containers.image`: fields only, led by the innermost struct. */
function goPlace(segments: readonly Segment[]): string {
  const fields = segments.filter((segment) => typeof segment === "object");
  const last = fields.at(-1);
  if (last === undefined) return "Go value";
  const names = fields.map(({ embedded, name }) =>
    embedded === undefined ? name : `${embedded}.${name}`,
  );
  return `Go struct field ${last.owner}.${names.join(".")}`;
}
