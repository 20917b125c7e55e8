/** Reads the caches into one view of a set and everything that is part of it. */
import type { ControllerRevision } from "../../../api/apps.ts";
import type { ClusterTopologyBinding } from "../../../api/grove/cluster-topology.ts";
import type { DefaultedSetSpec } from "../../../api/grove/defaults.ts";
import { withDefaults } from "../../../api/grove/defaults.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { ObjectKey } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import { lastAccepted } from "../accepted-spec.ts";
import type { PerOwner } from "../../engine/per-owner.ts";
import type { GroveReaders } from "../caches.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { memoizeByIdentity } from "../../engine/memoize.ts";
import { podCliqueSetIndex } from "../set-members.ts";
import type { SetRevision } from "../set-revisions.ts";
import { parseRevision, revisionName, sortRevisions } from "../set-revisions.ts";
import type { ReplicaObjects, Replicas } from "./replica-objects.ts";
import { nothingOf, ReplicaReader } from "./replica-objects.ts";
import { isSameJson } from "../../../api/same-json.ts";

export interface Observed {
  readonly nowMs: number;
  readonly set: PodCliqueSet;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly spec: DefaultedSetSpec;
  /** Those of which anything is left, by index. */
  readonly replicas: Replicas;
  /** Oldest first. */
  readonly revisions: readonly SetRevision[];
  /** Revisions that an earlier set of this name left behind. */
  readonly orphanedRevisions: readonly ControllerRevision[];
  readonly topologies: readonly ClusterTopologyBinding[];
}

export function observe(
  readers: GroveReaders,
  memory: PerOwner<SetMemory>,
  { key, nowMs }: { readonly key: ObjectKey; readonly nowMs: number },
): Observed | undefined {
  const set = readers.sets.get(key);
  if (set === undefined) return undefined;
  const { uid, name = "", namespace } = set.metadata;
  const setKey = `${namespace ?? ""}/${name}`;
  const { spec, reader } = memory.of(set).recall(set);
  const revisions = readers.revisions.byIndex(podCliqueSetIndex, setKey);
  return {
    nowMs,
    set,
    name,
    namespace,
    spec,
    replicas: reader.read(readers),
    revisions: ownRevisions(revisions, uid),
    orphanedRevisions: orphanedRevisions(revisions, name),
    topologies: readers.topologies.list(),
  };
}

const ownRevisions = memoizeByIdentity(
  (revisions: readonly ControllerRevision[], setUid: string | undefined): readonly SetRevision[] =>
    sortRevisions(revisions.filter((revision) => controllerOf(revision)?.uid === setUid)),
);

const orphanedRevisions = (
  revisions: readonly ControllerRevision[],
  set: string,
): readonly ControllerRevision[] =>
  revisions.filter((object) => {
    const { hash } = parseRevision(object) ?? {};
    const isNamedSo = hash !== undefined && object.metadata.name === revisionName(set, hash);
    return isNamedSo && controllerOf(object) === undefined && !isTerminating(object);
  });

/** What there is of a replica, possibly nothing. */
export const objectsOf = ({ name, replicas }: Observed, index: number): ReplicaObjects =>
  replicas.get(index) ?? nothingOf(name, index);

/** The same view with the spec that was last accepted instead of one that cannot be followed. */
export function withAccepted(observed: Observed): Observed | undefined {
  const spec = lastAccepted(observed.set, observed.revisions.at(-1));
  if (spec === undefined) return undefined;
  return { ...observed, set: { ...observed.set, spec }, spec: defaulted(spec) };
}

const defaulted = memoizeByIdentity(withDefaults);

interface Recalled {
  readonly set: PodCliqueSet;
  readonly spec: DefaultedSetSpec;
  readonly reader: ReplicaReader;
}

/** What is kept of a set between two reconciles, so that one costs about as much as what changed. */
export class SetMemory {
  #last: Recalled | undefined;
  #rolledBack: string | undefined;

  /** Whether this rollback is news: a write that was lost is repeated, and is still one rollback. */
  isFirstRollback(from: string | undefined): boolean {
    const isFirst = from !== undefined && from !== this.#rolledBack;
    this.#rolledBack = from;
    return isFirst;
  }

  /** The spec is the very same object until somebody changes the set, its labels or its annotations. */
  recall(set: PodCliqueSet): Recalled {
    const last = this.#last;
    const isSame = last !== undefined && isSameBasis(last.set, set);
    this.#last = {
      set,
      spec: isSame ? last.spec : withDefaults(set.spec),
      reader: last?.reader ?? new ReplicaReader(set),
    };
    return this.#last;
  }
}

/** Of everything that children are made from: status alone changes all the time. */
const isSameBasis = (a: PodCliqueSet, b: PodCliqueSet): boolean =>
  a === b ||
  (a.metadata.generation === b.metadata.generation &&
    isSameJson(a.metadata.labels, b.metadata.labels) &&
    isSameJson(a.metadata.annotations, b.metadata.annotations));
