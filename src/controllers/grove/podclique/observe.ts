/** Reads the caches into one frozen view of a clique: its pods, its gang, and the cliques that it starts after. */
import type { ControllerRevision } from "../../../api/apps.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import type { ObjectKey } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import { isReady, podResource } from "../../../api/pod.ts";
import type { Reader } from "../../../runtime/reader.ts";
import type { GroveCaches, GroveReaders } from "../caches.ts";
import { cliqueIndex, ownerIndex } from "../caches.ts";
import type { Orphan } from "../../engine/ownership.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { isOfPodClique, isOrphanedPod } from "../orphans.ts";
import { compareNames, podCliqueSetIndex } from "../set-members.ts";
import type { SetRevision } from "../set-revisions.ts";
import { sortRevisions } from "../set-revisions.ts";
import type { BaseGang } from "./gates.ts";
import { isOnNode } from "./gates.ts";
import { indexOf, setNameOf } from "./identity.ts";

export type PodCliqueCaches = Pick<
  GroveCaches,
  "sets" | "cliques" | "pods" | "gangs" | "revisions"
>;
export type PodCliqueReaders = Pick<GroveReaders, keyof PodCliqueCaches>;

export interface CliquePod {
  readonly pod: Pod;
  readonly ordinal: number;
  /** Of an earlier clique of this name: it holds its hostname until it is gone. */
  readonly isLeftover: boolean;
}

/** A clique that must serve before the pods of this one may start. */
export interface Parent {
  readonly name: string;
  readonly ready: number;
  /** Undefined where the parent does not exist. */
  readonly minAvailable: number | undefined;
}

export interface Observed {
  readonly nowMs: number;
  readonly clique: PodClique;
  /** The set that it is part of, as far as the cache shows it. */
  readonly set: PodCliqueSet | undefined;
  readonly pods: readonly CliquePod[];
  /** Pods that an earlier clique of this name left behind, and nobody controls. */
  readonly orphans: readonly Orphan[];
  readonly gang: PodGang | undefined;
  /** What its gang lacks to be placed as a whole, where nobody but this controller looks at that. */
  readonly lack: string | undefined;
  /** Only cliques of a scaled gang wait for one. */
  readonly baseGang: BaseGang | undefined;
  readonly parents: readonly Parent[];
  /** Those of the clique's set, oldest first. */
  readonly revisions: readonly SetRevision[];
}

/** What a gang lacks, in words; undefined where it may be placed. */
export type LackOf = (
  gang: PodGang,
  clique: PodClique,
  set: PodCliqueSet | undefined,
) => string | undefined;

export function observe(
  caches: PodCliqueReaders,
  key: ObjectKey,
  { nowMs, lackOf }: { readonly nowMs: number; readonly lackOf?: LackOf | undefined },
): Observed | undefined {
  const clique = caches.cliques.get(key);
  if (clique === undefined) return undefined;
  const { namespace = "", labels = {} } = clique.metadata;
  const gangOf = (name: string | undefined): PodGang | undefined =>
    name === undefined ? undefined : caches.gangs.get({ namespace, name });
  const base = labels[labelKeys.basePodGang];
  const set = caches.sets.get({ namespace, name: setNameOf(clique) });
  const gang = gangOf(labels[labelKeys.podGang]);
  return {
    nowMs,
    clique,
    set,
    pods: podsOf(caches.pods, clique),
    orphans: orphansOf(caches.pods, clique),
    gang,
    lack: gang === undefined ? undefined : lackOf?.(gang, clique, set),
    baseGang: base === undefined ? undefined : baseGangOf(caches, base, gangOf(base)),
    parents: (clique.spec.startsAfter ?? []).map((name) => parentOf(caches, namespace, name)),
    revisions: sortRevisions(revisionsOf(caches, clique)),
  };
}

function baseGangOf(
  { pods }: PodCliqueReaders,
  name: string,
  object: PodGang | undefined,
): BaseGang {
  const isOnNodes = (object?.spec.podgroups ?? []).some((group) =>
    pods.byIndex(cliqueIndex, `${object?.metadata.namespace}/${group.name}`).some(isOnNode),
  );
  return { name, object, isOnNodes };
}

function podsOf(pods: Reader<Pod>, clique: PodClique): CliquePod[] {
  const { uid = "", name = "", namespace = "" } = clique.metadata;
  const own = pods.byIndex(ownerIndex, uid);
  const leftover = pods
    .byIndex(cliqueIndex, `${namespace}/${name}`)
    .filter((pod) => isOfPodClique(pod) && controllerOf(pod)?.uid !== uid);
  return [...own, ...leftover]
    .flatMap((pod) => {
      const ordinal = indexOf(name, pod);
      const isLeftover = controllerOf(pod)?.uid !== uid;
      return ordinal === undefined ? [] : [{ pod, ordinal, isLeftover }];
    })
    .toSorted((a, b) => a.ordinal - b.ordinal || compareNames(a.pod, b.pod));
}

const orphansOf = (pods: Reader<Pod>, { metadata }: PodClique): Orphan[] =>
  pods
    .byIndex(cliqueIndex, `${metadata.namespace ?? ""}/${metadata.name ?? ""}`)
    .filter((pod) => isOrphanedPod(pod) && !isTerminating(pod))
    .toSorted(compareNames)
    .map((object) => ({ resource: podResource, object }));

function parentOf({ cliques, pods }: PodCliqueReaders, namespace: string, name: string): Parent {
  const parent = cliques.get({ namespace, name });
  if (parent === undefined) return { name, ready: 0, minAvailable: undefined };
  const ready = pods
    .byIndex(ownerIndex, parent.metadata.uid ?? "")
    .filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  return { name, ready, minAvailable: parent.spec.minAvailable ?? parent.spec.replicas };
}

/** Revisions belong to the set; the cliques of a scaling group share them through their set's name. */
function revisionsOf(
  { revisions }: PodCliqueReaders,
  clique: PodClique,
): readonly ControllerRevision[] {
  const { namespace, labels = {} } = clique.metadata;
  return revisions.byIndex(podCliqueSetIndex, `${namespace}/${labels[labelKeys.partOf] ?? ""}`);
}
