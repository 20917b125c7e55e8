/** Reads into one frozen view of a set, its pods, claims and revisions. */
import type { ControllerRevision, StatefulSet } from "../../api/apps.ts";
import type { ObjectKey } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import type { Pod } from "../../api/pod.ts";
import type { VolumeClaim } from "../../api/volume-claim.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Reader } from "../../runtime/reader.ts";
import type { ReadersOf } from "../engine/shared-caches.ts";
import type { Ownership } from "../engine/ownership.ts";
import { orphanKey, sortOwnership } from "../engine/ownership.ts";
import type { AnnotationOverrides } from "./annotations.ts";
import { readOverrides } from "./annotations.ts";
import { sortRevisions } from "./revisions.ts";
import type { SetPod } from "./set-pod.ts";
import { podSelection, setPodOf } from "./set-pod.ts";

export interface StatefulSetCaches {
  readonly sets: Cache<StatefulSet>;
  readonly pods: Cache<Pod>;
  readonly claims: Cache<VolumeClaim>;
  readonly revisions: Cache<ControllerRevision>;
}

export type StatefulSetReaders = ReadersOf<StatefulSetCaches>;

export interface Observed {
  readonly nowMs: number;
  readonly set: StatefulSet;
  readonly overrides: AnnotationOverrides;
  /** Ours and those about to be adopted, by ordinal. */
  readonly pods: readonly SetPod[];
  readonly podOwnership: Ownership<Pod>;
  /** Oldest first, those about to be adopted included. */
  readonly revisions: readonly ControllerRevision[];
  readonly revisionOwnership: Ownership<ControllerRevision>;
  /** Whether one of this name exists, whoever owns it. */
  readonly hasPod: (name: string) => boolean;
  readonly hasRevision: (name: string) => boolean;
  readonly claim: (name: string) => VolumeClaim | undefined;
}

export const ownerIndex = "owner";

export function observe(
  readers: StatefulSetReaders,
  key: ObjectKey,
  nowMs: number,
): Observed | undefined {
  const set = readers.sets.get(key);
  if (set === undefined) return undefined;
  const { namespace = "", name = "", uid = "" } = set.metadata;
  const isDeleting = isTerminating(set);
  const selects = (labels: Record<string, string> = {}): boolean =>
    selectorMatches(set.spec.selector, labels);
  const selection = podSelection(set.spec.selector);
  const belongs = (pod: Pod): boolean => {
    const setPod = setPodOf(pod);
    return setPod !== undefined && setPod.parent === name && setPod.isIn(selection);
  };
  const candidates = <T extends Pod | ControllerRevision>(reader: Reader<T>): readonly T[] => [
    ...reader.byIndex(ownerIndex, uid),
    ...reader.byIndex(ownerIndex, orphanKey(namespace)),
  ];
  const podOwnership = sortOwnership<Pod>(
    { uid, isDeleting, matches: belongs },
    candidates(readers.pods),
  );
  const revisionOwnership = sortOwnership<ControllerRevision>(
    { uid, isDeleting, matches: ({ metadata }) => selects(metadata.labels) },
    candidates(readers.revisions),
  );
  return {
    nowMs,
    set,
    overrides: readOverrides(set),
    pods: withOrdinals([...podOwnership.owned, ...podOwnership.adopt]),
    podOwnership,
    revisions: sortRevisions([...revisionOwnership.owned, ...revisionOwnership.adopt]),
    revisionOwnership,
    hasPod: (podName) => readers.pods.get({ namespace, name: podName }) !== undefined,
    hasRevision: (revision) => readers.revisions.get({ namespace, name: revision }) !== undefined,
    claim: (claimName) => readers.claims.get({ namespace, name: claimName }),
  };
}

function withOrdinals(pods: readonly Pod[]): readonly SetPod[] {
  const found: SetPod[] = [];
  for (const pod of pods) {
    const setPod = setPodOf(pod);
    if (setPod !== undefined) found.push(setPod);
  }
  return inPlace(found) ?? found.toSorted((a, b) => a.ordinal - b.ordinal);
}

/** Each in the place of its ordinal, which takes no comparisons; undefined where there are gaps. */
function inPlace(pods: readonly SetPod[]): readonly SetPod[] | undefined {
  const first = pods.reduce((least, { ordinal }) => Math.min(least, ordinal), Infinity);
  const places: (SetPod | undefined)[] = pods.map(() => undefined);
  for (const pod of pods) {
    const place = pod.ordinal - first;
    if (place >= places.length || places[place] !== undefined) return undefined;
    places[place] = pod;
  }
  return places as readonly SetPod[];
}
