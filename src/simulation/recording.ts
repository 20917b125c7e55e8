/** What happened in a run: every event of the server as a line, and the states of pods for a drawing. */
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { isReady, podResource } from "../api/pod.ts";
import type { PlacementDecision } from "../api/ocm/placement.ts";
import { placementDecisionResource } from "../api/ocm/placement.ts";
import type { Resource } from "../api/resource.ts";
import type { Client } from "../runtime/client.ts";
import { follow } from "./follow.ts";
import { hostnameOf, imageOf, isTerminating } from "./scenario-kind.ts";

export interface Mark {
  readonly atMs: number;
  /** The pod by its hostname, or the decision by its name. */
  readonly lane: string;
  /** One character: the version that serves, `-` not ready, `x` terminating, ` ` gone. */
  readonly state: string;
}

export interface Note {
  readonly atMs: number;
  readonly text: string;
}

export interface Recorded {
  readonly log: readonly string[];
  readonly marks: readonly Mark[];
  readonly notes: readonly Note[];
}

export interface RecordingOptions {
  readonly client: Client;
  readonly clock: { monotonic(): number };
  readonly resources: readonly Resource[];
}

export class Recording implements Recorded {
  readonly log: string[] = [];
  readonly marks: Mark[] = [];
  readonly notes: Note[] = [];
  readonly #clock: RecordingOptions["clock"];
  readonly #startMs: number;

  constructor({ client, clock, resources }: RecordingOptions) {
    this.#clock = clock;
    this.#startMs = clock.monotonic();
    for (const resource of resources) {
      follow({ client, resource }, (type, object) => {
        this.log.push(`${this.#now()} ${type} ${resource.plural} ${JSON.stringify(object)}`);
        this.#mark(resource, type === "DELETED", object);
      });
    }
  }

  note(text: string): void {
    this.log.push(`${this.#now()} ${text}`);
    this.notes.push({ atMs: this.#now(), text });
  }

  /** What is too frequent for a drawing. */
  line(text: string): void {
    this.log.push(`${this.#now()} ${text}`);
  }

  #now(): number {
    return this.#clock.monotonic() - this.#startMs;
  }

  #mark(resource: Resource, isGone: boolean, object: KubeObject): void {
    if (resource === podResource) {
      const pod = object as Pod;
      const name = hostnameOf(pod) || (pod.metadata.name ?? "");
      this.#push(name, isGone ? " " : podState(pod));
    }
    if (resource === placementDecisionResource) {
      const listed = (object as PlacementDecision).status?.decisions?.length ?? 0;
      const name = object.metadata.name ?? "";
      this.#push(name, isGone ? " " : Math.min(35, listed).toString(36));
    }
  }

  #push(lane: string, state: string): void {
    this.marks.push({ atMs: this.#now(), lane, state });
  }
}

function podState(pod: Pod): string {
  if (isTerminating(pod)) return "x";
  if (!isReady(pod)) return "-";
  const version = /v(\d+)$/.exec(imageOf(pod))?.[1] ?? "0";
  return version.at(-1) ?? "0";
}
