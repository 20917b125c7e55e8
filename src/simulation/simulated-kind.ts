/** A kind in simulations: how its objects are drawn from a seed, how people change them, and when they are at rest. */
import type { Condition } from "../api/apps.ts";
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { isReady } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Transport } from "../runtime/transport.ts";
import type { Random } from "../sim/random.ts";
import type { ScenarioKind } from "./scenario-kind.ts";
import { isTerminating } from "./scenario-kind.ts";

/** Specs are changed here as people change them: as plain data. */
export type Fields = Record<string, unknown>;

export interface Template extends Fields {
  containers: readonly ({ name: string; image?: string } & Fields)[];
}

export interface Simulated extends KubeObject {
  spec: Fields;
  status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export interface Beside {
  readonly transport: Transport;
  readonly clock: Clock;
}

export interface Running {
  start(): Promise<void>;
  halt(): void;
}

export interface SimulatedKind {
  /** The word of `--kind`. */
  readonly name: string;
  /** Whose controllers run. The first one draws the pods. */
  readonly scenarioKinds: readonly [ScenarioKind, ...ScenarioKind[]];
  /** What the cluster runs beside the operator, without faults. */
  readonly beside?: (world: Beside) => Running;
  readonly resource: Resource;
  /** Plurals of what the operator watches. */
  readonly watched: readonly string[];
  /** The first one is the one that people change. */
  draw(random: Random): readonly Simulated[];
  /** With other pod templates; undefined where the kind has none. */
  readonly templates?: (object: Simulated, change: (pod: Template) => Template) => Simulated;
  /** What changes around it where it has no templates. */
  readonly surroundings?: (client: Client, value: number) => Promise<void>;
  /** `value` from 0 up to 1 says how many. */
  replicas(object: Simulated, value: number): Simulated;
  partition(object: Simulated, value: number): Simulated;
  strategy(object: Simulated, value: number): Simulated;
  paused(object: Simulated, isPaused: boolean): Simulated;
  /** Without anything that holds it back for ever: it has to come to rest like this. */
  moving(object: Simulated): Simulated;
  /** How many pods there are at rest. */
  pods(object: Simulated): number;
}

export function pick<T>(items: readonly T[], value: number): T {
  const index = Math.min(items.length - 1, Math.floor(value * items.length));
  if (index < 0) throw new RangeError("there is nothing to pick from");
  return items[index] as T;
}

/** A whole number between both, `value` from 0 up to 1 says which. */
export const between = (from: number, to: number, value: number): number =>
  from + Math.min(to - from, Math.floor(value * (to - from + 1)));

export const withSpec = (object: Simulated, change: Fields): Simulated => ({
  ...object,
  spec: { ...object.spec, ...change },
});

export function withAnnotation(object: Simulated, name: string, text?: string): Simulated {
  const { [name]: _old, ...annotations } = object.metadata.annotations ?? {};
  const next = text === undefined ? annotations : { ...annotations, [name]: text };
  return { ...object, metadata: { ...object.metadata, annotations: next } };
}

/** `server:v7` of `server:v1`; a digest is left out. */
export const taggedImage = (image: string, tag: string): string => {
  const [name = ""] = image.split("@");
  const colon = name.lastIndexOf(":");
  return `${colon > name.lastIndexOf("/") ? name.slice(0, colon) : name}:${tag}`;
};

export const withTag =
  (tag: string) =>
  (pod: Template): Template => ({
    ...pod,
    containers: pod.containers.map((container) => ({
      ...container,
      image: taggedImage(container.image ?? "app", tag),
    })),
  });

/** More than any node has. */
export const tooLarge = (pod: Template): Template => ({
  ...pod,
  containers: pod.containers.map((container) => ({
    ...container,
    resources: { limits: { "nvidia.com/gpu": "99" } },
  })),
});

export function templatesOf(kind: SimulatedKind, object: Simulated): readonly Template[] {
  const found: Template[] = [];
  kind.templates?.(object, (pod) => (found.push(pod), pod));
  return found;
}

/** What is missing until the object is as it was asked for; undefined where nothing is. */
export function missingOf(
  kind: SimulatedKind,
  object: Simulated,
  pods: readonly Pod[],
): string | undefined {
  const { metadata, status } = object;
  const name = `${object.kind} ${metadata.name}`;
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  // A Placement does not say what it has observed.
  const isObserved = status?.observedGeneration === metadata.generation;
  if (kind.templates !== undefined && !isObserved) {
    return `${name} is not observed`;
  }
  if (progressing?.status !== "False") return `${name} is progressing: ${progressing?.message}`;
  if (kind.templates === undefined) return undefined;
  const wanted = kind.pods(object);
  if (pods.length !== wanted) return `${pods.length} pods instead of ${wanted}`;
  const images = new Set(
    templatesOf(kind, object).flatMap(({ containers }) => containers.map(({ image }) => image)),
  );
  for (const pod of pods) {
    const { name: podName } = pod.metadata;
    if (isTerminating(pod)) return `pod ${podName} is terminating`;
    if (!isReady(pod)) return `pod ${podName} is not ready`;
    const outdated = pod.spec.containers.find(({ image }) => !images.has(image ?? ""));
    if (outdated !== undefined) return `pod ${podName} has the image ${outdated.image}`;
  }
  return undefined;
}
