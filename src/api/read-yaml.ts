/** Reads YAML as Kubernetes does: values that JSON has, in linear time, refused in Go's words. */
import type { Alias, Document, Node, Pair, Tags, YAMLMap, YAMLSeq } from "yaml";
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  parseDocument,
} from "yaml";

/** A text that is no YAML, or that says what JSON cannot hold. */
export class YamlProblem extends Error {}

/** The library recurses several times for each level, and its stack ends soon after this. */
const deepest = 800;
const tooDeep = `nested deeper than ${deepest} levels`;

/** Aliases may repeat parts of a document, but not multiply them. */
const mostRepeated = 100_000;

/** The value of a text's first document; an empty one is null. */
export function readYaml(text: string): unknown {
  const lines = new LineCounter();
  return valueOf(
    guarded(() => parseDocument(text, options(lines))),
    lines,
  );
}

/** Every document of a text, to be read one by one. */
export function yamlDocuments(text: string): readonly (() => unknown)[] {
  const lines = new LineCounter();
  const documents = [...guarded(() => parseAllDocuments(text, options(lines)))];
  return documents.map((document) => () => valueOf(document, lines));
}

const options = (lineCounter: LineCounter) => ({
  lineCounter,
  version: "1.1" as const,
  // A text may have as many errors as characters, and only the first one is shown.
  prettyErrors: false,
  // The library would compare every key with every other one; `Reading` finds the second of two by a set.
  uniqueKeys: false,
  // Kubernetes' own parser leaves dates, times of day and what else JSON lacks as the text it was.
  customTags: (tags: Tags): Tags =>
    tags.filter(
      (tag) => typeof tag === "string" || !(foreignTags.has(tag.tag) || isTimeOfDay(tag)),
    ),
});

const foreignTags = new Set(
  ["timestamp", "binary", "omap", "pairs", "set"].map((name) => `tag:yaml.org,2002:${name}`),
);

const isTimeOfDay = (tag: object): boolean => "format" in tag && tag.format === "TIME";

/** The library recurses, so a text can exhaust the stack before any limit of ours is reached. */
function guarded<T>(parse: () => T): T {
  const { stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = 0;
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new YamlProblem(tooDeep, { cause: error });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function problemAt(lines: LineCounter, offset: number, what: string): YamlProblem {
  const { line, col } = lines.linePos(offset);
  return new YamlProblem(`${what} at line ${line}, column ${col}`);
}

type AnyDocument = Pick<Document, "errors" | "contents">;

function valueOf(document: AnyDocument, lines: LineCounter): unknown {
  const error = document.errors.find(({ code }) => code !== "MULTIPLE_DOCS");
  if (error?.code === "RESOURCE_EXHAUSTION") throw new YamlProblem(tooDeep);
  if (error !== undefined) throw problemAt(lines, error.pos[0], error.message.trim());
  return guarded(() => new Reading(lines).read(document.contents));
}

/** One document on its way to JSON. */
class Reading {
  readonly #lines: LineCounter;
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<Alias, Node>();
  readonly #open = new Set<Node>();
  #repeated = 0;
  #aliasesAround = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  read(node: unknown, depth = 0): unknown {
    if (node === null || node === undefined) return null;
    if (depth > deepest) throw this.#problem(node, tooDeep);
    if (this.#aliasesAround > 0 && ++this.#repeated > mostRepeated) {
      throw this.#problem(node, `aliases repeat more than ${mostRepeated} values`);
    }
    if (isAlias(node)) return this.#aliased(node, depth);
    if (isScalar(node)) {
      this.#remember(node);
      return this.#scalar(node.value, node);
    }
    if (isSeq(node))
      return this.#inside(node, () => node.items.map((item) => this.read(item, depth + 1)));
    if (isMap(node)) return this.#inside(node, () => this.#map(node.items, depth + 1));
    throw this.#problem(node, "not a value of JSON");
  }

  #remember(node: Node): void {
    if (this.#aliasesAround > 0 || !("anchor" in node) || typeof node.anchor !== "string") return;
    this.#anchors.set(node.anchor, node);
  }

  #inside<T>(node: YAMLMap | YAMLSeq, read: () => T): T {
    if (this.#open.has(node))
      throw this.#problem(node, `yaml: anchor '${node.anchor}' value contains itself`);
    this.#remember(node);
    this.#open.add(node);
    const value = read();
    this.#open.delete(node);
    return value;
  }

  #aliased(alias: Alias, depth: number): unknown {
    // An anchor may be defined again later; an alias means the one before it.
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (target === undefined)
      throw this.#problem(alias, `yaml: unknown anchor '${alias.source}' referenced`);
    this.#targets.set(alias, target);
    this.#aliasesAround += 1;
    const value = this.read(target, depth);
    this.#aliasesAround -= 1;
    return value;
  }

  #scalar(value: unknown, node: Node): unknown {
    if (typeof value === "number" && !Number.isFinite(value)) {
      const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
      throw this.#problem(node, `json: unsupported value: ${name}`);
    }
    if (typeof value === "bigint") return Number(value);
    return typeof value === "symbol" ? (value.description ?? "") : (value ?? null);
  }

  #map(items: readonly Pair[], depth: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    const merged: unknown[] = [];
    for (const { key, value } of items) {
      if (isScalar(key) && typeof key.value === "symbol") {
        merged.push(this.read(value, depth));
        continue;
      }
      const name = this.#key(key);
      if (entries.has(name))
        throw this.#problem(key, `Map keys must be unique: "${name}" is there twice`);
      entries.set(name, this.read(value, depth));
    }
    for (const part of merged.flat()) this.#merge(entries, part);
    // Unlike assignment, this makes `__proto__` a key like any other.
    return Object.fromEntries(entries);
  }

  /** What `<<` brings gives way to what is written out. */
  #merge(entries: Map<string, unknown>, part: unknown): void {
    if (typeof part !== "object" || part === null) {
      throw new YamlProblem("<< must be followed by a mapping or a list of mappings");
    }
    for (const [name, value] of Object.entries(part)) {
      if (!entries.has(name)) entries.set(name, value);
    }
  }

  #key(key: unknown): string {
    const value = this.read(key);
    if (typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw this.#problem(key, "a key must be text, a number, true or false");
  }

  #problem(node: unknown, what: string): YamlProblem {
    const range = (node as Partial<Node>).range;
    if (range === undefined || range === null) return new YamlProblem(what);
    return problemAt(this.#lines, range[0], what);
  }
}
