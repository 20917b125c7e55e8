/** The volume claims of a set: created before their pods, kept or collected as their owner references say. */
import type { StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import { controllerReferenceTo } from "../engine/ownership.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { VolumeClaim } from "../../api/volume-claim.ts";
import type { KubeObject, OwnerReference } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import { claimName, podName } from "./identity.ts";

/** The claims the pod of this ordinal needs, without owners: retention is written later, by reference. */
export function buildClaims(set: StatefulSet, ordinal: number): VolumeClaim[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: claimName(template.metadata.name ?? "", set.metadata.name ?? "", ordinal),
      namespace: set.metadata.namespace,
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      ...(template.metadata.annotations === undefined
        ? {}
        : { annotations: { ...template.metadata.annotations } }),
    },
    spec: template.spec,
  }));
}

type ClaimAssessment =
  | { readonly kind: "fits" }
  /** Another controller owns it: retention cannot be ours to decide. */
  | {
      readonly kind: "foreign";
      readonly owner: OwnerReference;
      readonly claim?: VolumeClaim;
    }
  | { readonly kind: "repair"; readonly claim: VolumeClaim };

interface RetentionOwners {
  readonly set: boolean;
  readonly pod: boolean;
}

/** Who must own a claim for the garbage collector to do what the retention policy says. */
function owners(set: StatefulSet, isCondemned: boolean): RetentionOwners {
  const { whenDeleted = "Retain", whenScaled = "Retain" } =
    set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const goesWithPod = isCondemned && whenScaled === "Delete";
  return { pod: goesWithPod, set: whenDeleted === "Delete" && !goesWithPod };
}

/** Whether a claim's owner references fit the retention policy, and what they should be. */
export function assessClaim(
  set: StatefulSet,
  pod: Pod,
  claim: VolumeClaim,
  isCondemned: boolean,
): ClaimAssessment {
  const wanted = owners(set, isCondemned);
  const references = claim.metadata.ownerReferences ?? [];
  // A reference to an earlier object of this name: the garbage collector is about to delete the claim.
  if (references.some((owner) => isStale(owner, "StatefulSet", set) || isStale(owner, "Pod", pod)))
    return { kind: "fits" };
  const foreign = references.find((owner) => owner.controller === true && !isOurs(owner, set, pod));
  const others = references.filter((owner) => !isOurs(owner, set, pod));
  if (foreign !== undefined && (wanted.set || wanted.pod)) {
    const scrubbed = others.length === references.length ? undefined : withOwners(claim, others);
    return { kind: "foreign", owner: foreign, claim: scrubbed };
  }
  const next = [
    ...others,
    ...(wanted.set ? [controllerReferenceTo(statefulSetResource, set)] : []),
    ...(wanted.pod ? [controllerReferenceTo(podResource, pod)] : []),
  ];
  return sameOwners(references, next)
    ? { kind: "fits" }
    : { kind: "repair", claim: withOwners(claim, next) };
}

function isStaleClaim(claim: VolumeClaim, pod: string): boolean {
  return (claim.metadata.ownerReferences ?? []).some(
    ({ kind, name }) => kind === "Pod" && name === pod,
  );
}

/**
 * The claim that keeps a pod from being made: one that is on its way out, or that still belongs to a pod of
 * the same name which is gone. The new pod would start on a volume about to vanish.
 */
export function claimInTheWay(
  set: StatefulSet,
  ordinal: number,
  find: (name: string) => VolumeClaim | undefined,
): string | undefined {
  const pod = podName(set.metadata.name ?? "", ordinal);
  return (set.spec.volumeClaimTemplates ?? [])
    .map(({ metadata }) => claimName(metadata.name ?? "", set.metadata.name ?? "", ordinal))
    .find((name) => {
      const claim = find(name);
      if (claim === undefined) return false;
      return isTerminating(claim) || isStaleClaim(claim, pod);
    });
}

/** The sets of a namespace whose pods use a claim of this name. */
export function setsUsingClaim(
  sets: readonly StatefulSet[],
  { metadata: { name = "" } }: VolumeClaim,
): StatefulSet[] {
  return sets.filter((set) =>
    (set.spec.volumeClaimTemplates ?? []).some((template) =>
      name.startsWith(`${template.metadata.name}-${set.metadata.name}-`),
    ),
  );
}

function isStale(owner: OwnerReference, kind: string, { metadata }: KubeObject): boolean {
  return owner.kind === kind && owner.name === metadata.name && owner.uid !== metadata.uid;
}

function isOurs(owner: OwnerReference, set: StatefulSet, pod: Pod): boolean {
  return owner.uid === set.metadata.uid || owner.uid === pod.metadata.uid;
}

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  const ids = (list: readonly OwnerReference[]): string =>
    list
      .map((owner) => `${owner.uid}/${owner.controller === true}`)
      .toSorted()
      .join();
  return ids(a) === ids(b);
}

function withOwners(claim: VolumeClaim, ownerReferences: OwnerReference[]): VolumeClaim {
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } };
}
