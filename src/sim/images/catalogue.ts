/** The behaviour of images: the catalogue file, and the annotations that override it for one pod. */
import { parse } from "yaml";
import type { Pod } from "../../api/pod.ts";
import { UserError } from "../../api/user-error.ts";
import type { Behaviour, BehaviourChange } from "./behaviour.ts";
import {
  behaviourFields,
  behaviourProblem,
  defaultBehaviour,
  isBehaviourField,
} from "./behaviour.ts";
import shipped from "./default-catalogue.json" with { type: "json" };

/** Changes the behaviour of images that match `match`, where `*` stands for any text. */
export interface CatalogueEntry {
  readonly match: string;
  readonly change: BehaviourChange;
}

export interface Catalogue {
  /** Later entries override earlier ones, field by field. */
  readonly entries: readonly CatalogueEntry[];
}

export const annotationPrefix = "sim.lockstep.dev/";

export function defaultCatalogue(): Catalogue {
  return catalogueFrom(shipped, "the shipped catalogue");
}

/** Reads YAML or JSON. Its entries come after the shipped ones and so override them. */
export function parseCatalogue(text: string, file: string): Catalogue {
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new UserError({
      problem: `${file}: not YAML: ${detail}`,
      fix: "correct the YAML syntax",
    });
  }
  return { entries: [...defaultCatalogue().entries, ...catalogueFrom(document, file).entries] };
}

/** The behaviour of a container of this pod, annotations included. */
export function behaviourOf(catalogue: Catalogue, pod: Pod, container: string): Behaviour {
  const { containers, initContainers = [] } = pod.spec;
  const image = [...initContainers, ...containers].find(({ name }) => name === container)?.image;
  const usual = behaviourOfImage(catalogue, image ?? "");
  const change = annotated(pod, container);
  return change === undefined ? usual : { ...usual, ...change };
}

/** The same few images run everywhere; names without end are not kept. */
const mostKnown = 1_000;
const behaviours = new WeakMap<Catalogue, Map<string, Behaviour>>();

function behaviourOfImage(catalogue: Catalogue, image: string): Behaviour {
  const known = behaviours.get(catalogue) ?? new Map<string, Behaviour>();
  behaviours.set(catalogue, known);
  const changes = (): readonly BehaviourChange[] =>
    catalogue.entries
      .filter((entry) => matchesGlob(entry.match, image))
      .map((entry) => entry.change);
  const behaviour =
    known.get(image) ?? (Object.assign({}, defaultBehaviour, ...changes()) as Behaviour);
  if (known.size >= mostKnown) known.clear();
  known.set(image, behaviour);
  return behaviour;
}

/** What is wrong with the pod's `sim.lockstep.dev/` annotations, in words. */
export function annotationProblems(pod: Pod): readonly string[] {
  return Object.entries(pod.metadata.annotations ?? {}).flatMap(([name, text]) => {
    if (!name.startsWith(annotationPrefix)) return [];
    const [kebab = ""] = name.slice(annotationPrefix.length).split(".");
    const field = camelCase(kebab);
    if (!isBehaviourField(field)) {
      const known = behaviourFields.map(kebabCase).join(", ");
      return [`annotation ${name} is not known; known are ${known}`];
    }
    const problem = behaviourProblem(field, annotationValue(field, text));
    return problem === undefined ? [] : [`annotation ${name}: ${problem}, not ${quoted(text)}`];
  });
}

/**
 * `ready-seconds` applies to all containers, `ready-seconds.sidecar` to the one of that name and wins. Undefined where
 * there is no annotation.
 */
function annotated({ metadata }: Pod, container: string): BehaviourChange | undefined {
  const { annotations } = metadata;
  if (annotations === undefined) return undefined;
  const change: Record<string, unknown> = {};
  for (const field of behaviourFields) {
    const name = annotationPrefix + kebabCase(field);
    const text = annotations[`${name}.${container}`] ?? annotations[name];
    if (text === undefined) continue;
    const value = annotationValue(field, text);
    if (behaviourProblem(field, value) === undefined) change[field] = value;
  }
  return change;
}

function annotationValue(field: keyof Behaviour, text: string): unknown {
  if (field === "pullError" || text === "never" || text.trim() === "") return text;
  return Number(text);
}

function catalogueFrom(document: unknown, file: string): Catalogue {
  if (!isRecord(document) || !Array.isArray(document.images)) {
    throw new UserError({
      problem: `${file}: images: must be a list of image behaviours`,
      fix: 'begin with "images:" and one entry per image, each with a "match"',
    });
  }
  return {
    entries: document.images.map((entry: unknown, index) =>
      entryFrom(entry, `${file}: images[${index}]`),
    ),
  };
}

function entryFrom(entry: unknown, path: string): CatalogueEntry {
  if (!isRecord(entry)) throw new UserError({ problem: `${path}: must be an object` });
  const { match, description: _description, ...fields } = entry;
  if (typeof match !== "string" || match === "") {
    throw new UserError({
      problem: `${path}.match: must be a text that is not empty`,
      fix: 'write the image it is about, with * for any text: "registry/app:*"',
    });
  }
  for (const [field, value] of Object.entries(fields)) {
    if (!isBehaviourField(field)) {
      const fix = `use one of ${behaviourFields.join(", ")}`;
      throw new UserError({ problem: `${path}.${field}: unknown field`, fix });
    }
    const problem = behaviourProblem(field, value);
    if (problem === undefined) continue;
    throw new UserError({ problem: `${path}.${field}: ${problem}, not ${quoted(value)}` });
  }
  return { match, change: fields };
}

export function matchesGlob(glob: string, text: string): boolean {
  const literal = (part: string): string => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${glob.split("*").map(literal).join(".*")}$`, "s").test(text);
}

function kebabCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

function quoted(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
