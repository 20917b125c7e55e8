/** What is known of a pod of a set, worked out once: pods of a cache never change, and all are looked at every time. */
import type { LabelSelector } from "../../api/label-selector.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import type { Pod } from "../../api/pod.ts";
import { isReady } from "../../api/pod.ts";
import { parseTime } from "../../api/time-text.ts";
import type { Unit } from "../../planner/index.ts";
import { memoizeOnce } from "../engine/memoize.ts";
import type { PodHealth, PodState } from "../engine/pod-health.ts";
import { podHealth, unitOfPod } from "../engine/pod-health.ts";
import { parsePodName, revisionLabel } from "./identity.ts";

export interface SetPodState extends PodState {
  /** Outside `[start, start + replicas)`: it goes when scaling lets it. */
  readonly isCondemned: boolean;
  readonly unit: Unit;
  readonly isRunningAndReady: boolean;
  /** When it was created or began to serve, the later of the two. */
  readonly movedAtMs: number;
}

/** What decides about the state of a pod besides the pod itself. */
interface SetShape {
  readonly minReadySeconds: number;
  readonly firstOrdinal: number;
  /** The first ordinal after the last one. */
  readonly endOrdinal: number;
}

interface PodSelection {
  readonly selector: LabelSelector;
  readonly text: string;
}

export const podSelection = (selector: LabelSelector): PodSelection => ({
  selector,
  text: JSON.stringify(selector),
});

/** Remembers the last answer to each question; fields, since lookups by pod took most of the time of large sets. */
export class SetPod {
  readonly pod: Pod;
  /** The set that its name says it belongs to. */
  readonly parent: string;
  readonly ordinal: number;
  #selected: { readonly text: string; readonly isIn: boolean } | undefined;
  #assessed: { readonly shape: SetShape; readonly state: SetPodState } | undefined;

  constructor(
    pod: Pod,
    { parent, ordinal }: { readonly parent: string; readonly ordinal: number },
  ) {
    this.pod = pod;
    this.parent = parent;
    this.ordinal = ordinal;
  }

  isIn({ selector, text }: PodSelection): boolean {
    if (this.#selected?.text !== text) {
      this.#selected = { text, isIn: selectorMatches(selector, this.pod.metadata.labels) };
    }
    return this.#selected.isIn;
  }

  /** As it is before minReadySeconds are over; the very same until the pod changes. */
  assess(shape: SetShape): SetPodState {
    const known = this.#assessed;
    if (known !== undefined && isSameShape(known.shape, shape)) return known.state;
    const health = podHealth(this.pod, shape.minReadySeconds, Number.NEGATIVE_INFINITY);
    const isCondemned = this.ordinal < shape.firstOrdinal || this.ordinal >= shape.endOrdinal;
    const state = podStateOf(this, health, isCondemned);
    this.#assessed = { shape, state };
    return state;
  }
}

const isSameShape = (a: SetShape, b: SetShape): boolean =>
  a.minReadySeconds === b.minReadySeconds &&
  a.firstOrdinal === b.firstOrdinal &&
  a.endOrdinal === b.endOrdinal;

/** Undefined where no set gives such names. */
export const setPodOf = memoizeOnce((pod: Pod): SetPod | undefined => {
  const parts = parsePodName(pod.metadata.name ?? "");
  return parts === undefined ? undefined : new SetPod(pod, parts);
});

export function podStateOf(
  { pod, ordinal }: Pick<PodState, "pod" | "ordinal">,
  health: PodHealth,
  isCondemned: boolean,
): SetPodState {
  const revision = pod.metadata.labels?.[revisionLabel] ?? "";
  // All at once: objects that grow by spreading are read several times slower.
  return {
    pod,
    ordinal,
    revision,
    health,
    isCondemned,
    unit: unitOfPod({ pod, ordinal, revision, health }),
    isRunningAndReady: pod.status?.phase === "Running" && isReady(pod),
    movedAtMs: movedAtMs(pod, health),
  };
}

function movedAtMs(pod: Pod, health: PodHealth): number {
  const createdMs = parseTime(pod.metadata.creationTimestamp ?? "") ?? Number.NEGATIVE_INFINITY;
  const servesMs = health.health === "available" ? health.sinceMs : undefined;
  return Math.max(createdMs, servesMs ?? Number.NEGATIVE_INFINITY);
}
