/** What the pods of a clique share among themselves, and what they use of what their set and group share. */
import { labelKeys } from "../../../api/grove/labels.ts";
import { componentName } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { PodCliqueSet, PodCliqueSetTemplate } from "../../../api/grove/podcliqueset.ts";
import type { Container, PodSpec } from "../../../api/pod.ts";
import type { ClaimNeeds } from "../align-claims.ts";
import { podCliqueName } from "../pod-clique-object.ts";
import { numberLabel } from "../set-members.ts";
import { hashOf } from "../../engine/history.ts";
import { claimsOfPod, cliqueLevel, replicasUpTo, sharesAnything } from "../claim-sharing.ts";
import type { CliquePlace } from "../starts-after.ts";
import { setReplicaOf } from "./identity.ts";
import type { Decision } from "../../../planner/index.ts";
import type { Observed } from "./observe.ts";

export interface CliqueSharing {
  readonly template: PodCliqueSetTemplate;
  readonly place: CliquePlace;
}

/** Undefined where nothing in the whole set is shared. */
export function sharingOf(
  set: PodCliqueSet | undefined,
  clique: PodClique,
): CliqueSharing | undefined {
  if (set === undefined || !sharesAnything(set.spec.template)) return undefined;
  const place = placeOf(set, clique);
  return place === undefined ? undefined : { template: set.spec.template, place };
}

/** Found by building names, not by taking one apart; undefined for a clique that the template does not have. */
function placeOf({ metadata, spec }: PodCliqueSet, clique: PodClique): CliquePlace | undefined {
  const { name: set = "" } = metadata;
  const setReplica = setReplicaOf(clique);
  const fullName = clique.metadata.labels?.[labelKeys.scalingGroup];
  const found = spec.template.podCliqueScalingGroups?.find(
    ({ name }) => componentName({ set, setReplica, component: name }) === fullName,
  );
  const group = found && {
    name: found.name,
    replica: numberLabel(clique, labelKeys.scalingGroupReplicaIndex) ?? 0,
    minAvailable: found.minAvailable ?? 1,
  };
  return spec.template.cliques
    .map(({ name }) => ({ set, setReplica, clique: name, ...(group && { group }) }))
    .find((place) => podCliqueName(place) === clique.metadata.name);
}

/** Undefined where the clique itself shares nothing. */
export function claimNeeds(
  { clique, pods }: Observed,
  decision: Decision,
  sharing: CliqueSharing | undefined,
): ClaimNeeds | undefined {
  const own = sharing?.template.cliques.find(({ name }) => name === sharing.place.clique);
  if (sharing === undefined || (own?.resourceSharing ?? []).length === 0) return undefined;
  const created = decision.actions.filter(({ kind }) => kind === "create");
  return {
    resource: podCliqueResource,
    owner: clique,
    level: cliqueLevel(sharing.place, own ?? {}),
    templates: sharing.template.resourceClaimTemplates,
    indices: replicasUpTo(
      clique.spec.replicas,
      created.map(({ ordinal }) => ordinal),
    ),
    leaving: pods.map(({ ordinal }) => ordinal),
  };
}

/** By name: the claims that the pod of this index uses. */
export const claimsFor = (sharing: CliqueSharing | undefined, index: number): readonly string[] =>
  sharing === undefined ? [] : claimsOfPod(sharing.template, sharing.place, index);

/** Every container may use every shared device. */
export function withClaims(podSpec: PodSpec, claims: readonly string[]): PodSpec {
  if (claims.length === 0) return podSpec;
  const { resourceClaims = [] } = podSpec;
  const entries = claims.map((claim) => ({ name: entryName(claim), resourceClaimName: claim }));
  const added = (container: Container): Container => {
    const { claims: theirs = [] } = container.resources ?? {};
    const ours = lacking(theirs, entries).map(({ name }) => ({ name }));
    return { ...container, resources: { ...container.resources, claims: [...theirs, ...ours] } };
  };
  const { initContainers } = podSpec;
  return {
    ...podSpec,
    resourceClaims: [...resourceClaims, ...lacking(resourceClaims, entries)],
    containers: podSpec.containers.map(added),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(added) }),
  };
}

interface Named {
  readonly name: string;
}

const lacking = <T extends Named>(present: readonly Named[], wanted: readonly T[]): T[] =>
  wanted.filter(({ name }) => !present.some((each) => each.name === name));

/** The claim's own name where a pod allows it: names there are DNS labels, those of claims may be longer. */
const entryName = (claim: string): string =>
  /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(claim) ? claim : `claim-${hashOf(claim)}`;
