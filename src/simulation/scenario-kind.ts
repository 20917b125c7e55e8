/** What a kind contributes to scenarios: its controllers, its promises and how it is drawn. */
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { isReady } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import type { KindDefinition } from "../controllers/engine/kind-definition.ts";
import type { Client } from "../runtime/client.ts";

export interface ScenarioKind {
  /** Whose controllers run. */
  readonly definitions: readonly KindDefinition[];
  /** The way they run, where there are several. */
  readonly mode?: string;
  /** Of the objects that a scenario creates. */
  readonly resources: readonly Resource[];
  /** Checked after every event of a pod. */
  readonly invariants?: readonly Invariant[];
  /** Follows the cluster from the start and reports what breaks a promise. */
  promises?(watched: Watched): KindPromises;
  readonly drawing: KindDrawing;
}

/** Throws where it is broken. */
export type Invariant = (pods: readonly Pod[], at: string) => void;

export interface Watched {
  readonly client: Client;
  readonly clock: { now(): number };
  /** Where it is moved about: the clock that operators write times of. */
  readonly wall?: () => number;
  readonly report: (violation: string) => void;
  /** Ends the watches, on a server that outlives the scenario. */
  readonly signal?: AbortSignal;
}

export interface KindPromises {
  /** The operator asks for a deletion: only what it deletes itself counts against its budget. */
  deleteRequested(plural: string, name: string): void;
  deleteRefused(plural: string, name: string): void;
  /** For the end of a scenario, when nothing changes any more. */
  checkAtRest?(): void;
}

export type PodEvent = "created" | "terminating" | "ready";

export interface KindDrawing {
  /** What people know a pod by. */
  nameOf(pod: Pod): string;
  /** The line of a timeline; undefined where the kind leaves such events out. */
  line(event: PodEvent, pod: Pod): string | undefined;
  /** Other objects whose creation and deletion is a line, by what they are called there: `+clique chat-0-web`. */
  readonly others?: Readonly<Record<string, Resource>>;
}

export const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? "";

export const hostnameOf = ({ spec }: Pod): string => spec.hostname ?? "";

/** A pod that has failed may still say that it is ready. */
export const isServing = (pod: Pod): boolean =>
  isReady(pod) && pod.status?.phase === "Running" && !isTerminating(pod);

export const isTerminating = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined;
