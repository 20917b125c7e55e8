/** Which ResourceClaims a PodCliqueSet shares: those of each owner, and those that one pod may use. Pure. */
import { componentLabels, labelKeys, managedLabels } from "../../api/grove/labels.ts";
import { componentName, resourceClaimName } from "../../api/grove/names.ts";
import type { PodCliqueSetTemplate } from "../../api/grove/podcliqueset.ts";
import { podCliqueName } from "./pod-clique-object.ts";
import type { CliquePlace } from "./starts-after.ts";

/** One entry of `resourceSharing` at any level. */
export type Sharing = NonNullable<PodCliqueSetTemplate["resourceSharing"]>[number];

/** Whatever part of a template may share. */
interface Sharer {
  readonly resourceSharing?: readonly Sharing[];
}

/** What one owner shares among its replicas. */
export interface SharingLevel {
  /** The name of the owning object, which its claims begin with. */
  readonly ownerName: string;
  readonly shared: readonly Sharing[];
  readonly labels: Readonly<Record<string, string>>;
  /** On claims of one replica: which one. */
  readonly indexLabel: string;
}

export interface WantedClaim {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What it is made from. */
  readonly template: Pick<Sharing, "name" | "namespace">;
}

const claimLabels = (set: string): Record<string, string> => ({
  ...managedLabels(set),
  [labelKeys.component]: componentLabels.resourceClaim,
});

export const podCliqueSetLevel = (set: string, { resourceSharing = [] }: Sharer): SharingLevel => ({
  ownerName: set,
  shared: resourceSharing,
  labels: claimLabels(set),
  indexLabel: labelKeys.setReplicaIndex,
});

export function groupLevel(
  { set, setReplica }: Pick<CliquePlace, "set" | "setReplica">,
  { name, resourceSharing = [] }: Sharer & { readonly name: string },
): SharingLevel {
  const ownerName = componentName({ set, setReplica, component: name });
  return {
    ownerName,
    shared: resourceSharing,
    labels: { ...claimLabels(set), [labelKeys.scalingGroup]: ownerName },
    indexLabel: labelKeys.scalingGroupReplicaIndex,
  };
}

export function cliqueLevel(place: CliquePlace, { resourceSharing = [] }: Sharer): SharingLevel {
  const ownerName = podCliqueName(place);
  return {
    ownerName,
    shared: resourceSharing,
    labels: { ...claimLabels(place.set), [labelKeys.podClique]: ownerName },
    indexLabel: labelKeys.podIndex,
  };
}

/**
 * The claims of one owner whose replicas have these indices: first what all share, then what each has for itself.
 * Filters do not matter here: they say who may use a claim, not whether it exists.
 */
export function claimsOf(level: SharingLevel, indices: readonly number[]): WantedClaim[] {
  const { ownerName, labels, indexLabel } = level;
  const forAll = sharedAs(level, "AllReplicas").map(({ name, namespace }) => ({
    name: resourceClaimName(ownerName, name),
    labels,
    template: { name, namespace },
  }));
  const each = [...new Set(indices)]
    .toSorted((a, b) => a - b)
    .flatMap((index) =>
      sharedAs(level, "PerReplica").map(({ name, namespace }) => ({
        name: resourceClaimName(ownerName, name, index),
        labels: { ...labels, [indexLabel]: String(index) },
        template: { name, namespace },
      })),
    );
  return [...forAll, ...each];
}

const sharedAs = ({ shared }: SharingLevel, scope: Sharing["scope"]): readonly Sharing[] =>
  shared.filter((sharing) => sharing.scope === scope);

/** Those that are desired and those that are made beside them. */
export const replicasUpTo = (desired: number, others: readonly number[]): readonly number[] =>
  [...new Set([...Array.from({ length: desired }, (_, index) => index), ...others])].toSorted(
    (a, b) => a - b,
  );

export const sharesAnything = (template: PodCliqueSetTemplate): boolean =>
  [template, ...template.cliques, ...(template.podCliqueScalingGroups ?? [])].some(
    ({ resourceSharing = [] }) => resourceSharing.length > 0,
  );

/** The names of the claims that one pod uses, from the outermost owner inwards. */
export function claimsOfPod(
  template: PodCliqueSetTemplate,
  place: CliquePlace,
  podIndex: number,
): string[] {
  const { set, setReplica, clique, group } = place;
  const ownGroup = template.podCliqueScalingGroups?.find(({ name }) => name === group?.name);
  const ownClique = template.cliques.find(({ name }) => name === clique);
  const setChildren = group === undefined ? [clique] : [clique, group.name];
  return [
    ...usedBy(podCliqueSetLevel(set, template), setReplica, setChildren),
    ...(ownGroup === undefined || group === undefined
      ? []
      : usedBy(groupLevel({ set, setReplica }, ownGroup), group.replica, [clique])),
    ...(ownClique === undefined ? [] : usedBy(cliqueLevel(place, ownClique), podIndex, [])),
  ];
}

function usedBy(level: SharingLevel, index: number, children: readonly string[]): string[] {
  const shared = level.shared.filter(({ filter }) => isMeant(filter, children));
  return claimsOf({ ...level, shared }, [index]).map(({ name }) => name);
}

const isMeant = (filter: Sharing["filter"], children: readonly string[]): boolean =>
  filter === undefined ||
  [...(filter.childCliqueNames ?? []), ...(filter.childScalingGroupNames ?? [])].some((name) =>
    children.includes(name),
  );
