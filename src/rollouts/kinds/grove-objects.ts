/** Everything of one PodCliqueSet, or of one part of it, found by what it belongs to. Pure. */
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { groupedBy } from "../../controllers/grove/set-members.ts";
import type { SetRevision } from "../../controllers/grove/set-revisions.ts";
import type { Related } from "../kind.ts";
import { listed } from "../kind.ts";
import { setRevisions } from "./grove-revisions.ts";

export interface GroveObjects {
  readonly set: string;
  readonly cliques: readonly PodClique[];
  readonly groups: readonly PodCliqueScalingGroup[];
  readonly pods: readonly Pod[];
  /** Oldest first. */
  readonly revisions: readonly SetRevision[];
  readonly target: SetRevision | undefined;
  readonly nowMs: number;
  readonly standaloneOf: (replica: number) => readonly PodClique[];
  readonly groupsOf: (replica: number) => readonly PodCliqueScalingGroup[];
  /** Cliques of a scaling group, by the group's name. */
  readonly membersOf: (group: string) => readonly PodClique[];
  /** By the name of their clique. */
  readonly podsOf: (clique: string) => readonly Pod[];
}

export const label = ({ metadata }: KubeObject, key: string): string =>
  metadata.labels?.[key] ?? "";

export const numberOf = (object: KubeObject, key: string): number =>
  Number(label(object, key) || 0);

export const replicaOf = (object: KubeObject): number =>
  numberOf(object, labelKeys.setReplicaIndex);

/** `chat-0-prefill-1-leader` in the group `chat-0-prefill` -> `leader`. */
export function cliqueNameOf(clique: PodClique): string {
  const { name = "" } = clique.metadata;
  const group = label(clique, labelKeys.scalingGroup);
  const prefix =
    group === ""
      ? `${label(clique, labelKeys.partOf)}-${label(clique, labelKeys.setReplicaIndex)}-`
      : `${group}-${label(clique, labelKeys.scalingGroupReplicaIndex)}-`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

export function groveObjects(
  related: Related,
  {
    set,
    target,
    nowMs,
  }: Pick<GroveObjects, "set" | "nowMs"> & { readonly target: string | undefined },
): GroveObjects {
  const cliques = listed(related, "cliques");
  const groups = listed(related, "groups");
  const pods = listed(related, "pods");
  const revisions = setRevisions(related);
  const isMember = (clique: PodClique): boolean => label(clique, labelKeys.scalingGroup) !== "";
  const standalone = groupedBy(
    cliques.filter((clique) => !isMember(clique)),
    replicaOf,
  );
  const members = groupedBy(cliques.filter(isMember), (clique) =>
    label(clique, labelKeys.scalingGroup),
  );
  const groupsByReplica = groupedBy(groups, replicaOf);
  const podsByClique = groupedBy(pods, (pod) => label(pod, labelKeys.podClique));
  return {
    set,
    cliques,
    groups,
    pods,
    revisions,
    target: revisions.find(({ name }) => name === target),
    nowMs,
    standaloneOf: (replica) => standalone.get(replica) ?? [],
    groupsOf: (replica) => groupsByReplica.get(replica) ?? [],
    membersOf: (group) => members.get(group) ?? [],
    podsOf: (clique) => podsByClique.get(clique) ?? [],
  };
}
