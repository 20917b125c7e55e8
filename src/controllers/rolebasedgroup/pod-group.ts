/** The PodGroup of a gang scheduler: asked for live, since most clusters serve none. */
import type { PodTemplate } from "../../api/apps.ts";
import { configMapResource } from "../../api/config-map.ts";
import type { KubeObject } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import { annotationKeys, labelKeys } from "../../api/rbg/labels.ts";
import type { PodGroupPolicy, RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { includesJson } from "../../api/same-json.ts";
import { isNotFound } from "../../api/status.ts";
import { controllerOf, controllerReferenceTo } from "../engine/ownership.ts";
import type { LiveRead, LiveReader, Write } from "../engine/write.ts";
import { createOf, deletesOf, patchOf } from "../engine/write.ts";

const podGroupOf = (group: string, version: string): Resource => ({
  group,
  version,
  plural: "podgroups",
  kind: "PodGroup",
  namespaced: true,
});

/** Of the scheduler-plugins, and of Volcano. */
export const podGroupResources = {
  kubeScheduling: podGroupOf("scheduling.x-k8s.io", "v1alpha1"),
  volcanoScheduling: podGroupOf("scheduling.volcano.sh", "v1beta1"),
} as const;

interface GangMarks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What its scheduler finds a pod's group by; Koordinator reads another label than the scheduler-plugins. */
export function gangMarks(policy: PodGroupPolicy | undefined, group: string): GangMarks {
  if (policy?.kubeScheduling !== undefined) {
    const labels = {
      "scheduling.x-k8s.io/pod-group": group,
      "pod-group.scheduling.sigs.k8s.io/name": group,
    };
    return { labels, annotations: {} };
  }
  if (policy?.volcanoScheduling !== undefined) {
    return { labels: {}, annotations: { "scheduling.k8s.io/group-name": group } };
  }
  return { labels: {}, annotations: {} };
}

/** How long an answer holds: long where the cluster cannot have one. */
const holdsForMs = { served: 60_000, notServed: 600_000 };

type GangKind = keyof typeof podGroupResources;

const gangKinds = Object.keys(podGroupResources) as readonly GangKind[];

const kindOf = (policy: PodGroupPolicy | undefined): GangKind | undefined =>
  gangKinds.find((kind) => policy?.[kind] !== undefined);

/** Those that were made for the group and are not known to be gone. */
const notedKinds = (configMap: KubeObject | undefined): readonly GangKind[] => {
  const noted = configMap?.metadata.annotations?.[annotationKeys.podGroups]?.split(",") ?? [];
  return gangKinds.filter((kind) => noted.includes(kind));
};

/** Written before a PodGroup is made, so that it is found again when the group asks for none any more. */
export function podGroupNote(
  policy: PodGroupPolicy | undefined,
  configMap: KubeObject | undefined,
): Readonly<Record<string, string>> {
  const wanted = kindOf(policy);
  const noted = notedKinds(configMap);
  const kinds = gangKinds.filter((kind) => kind === wanted || noted.includes(kind));
  return kinds.length === 0 ? {} : { [annotationKeys.podGroups]: kinds.join() };
}

interface Gang {
  readonly group: RoleBasedGroup;
  readonly policy: PodGroupPolicy | undefined;
  /** How many pods are placed together. */
  readonly minMember: number;
  readonly configMap: KubeObject | undefined;
  /** Templates that pods are made from now. */
  readonly templates: readonly PodTemplate[];
}

/** Keeps the PodGroup in step with the sizes of the roles, and takes away what the group asks for no more. */
export function podGroupReads(gang: Gang): readonly LiveRead[] {
  const { group, policy, configMap, templates } = gang;
  const wanted = kindOf(policy);
  const obsolete = notedKinds(configMap).filter((kind) => kind !== wanted);
  return [
    ...(policy === undefined || wanted === undefined ? [] : [ensured(gang, policy, wanted)]),
    ...obsolete
      .filter((kind) => !templates.some(({ metadata }) => isMarked(metadata, kind, group)))
      .flatMap((kind) => (configMap === undefined ? [] : [removed(group, kind, configMap)])),
  ];
}

function ensured(gang: Gang, policy: PodGroupPolicy, kind: GangKind): LiveRead {
  const { group } = gang;
  const resource = podGroupResources[kind];
  const wanted = podGroup(resource, gang, policy);
  return {
    question: `is PodGroup ${wanted.metadata.name} as ${JSON.stringify(wanted["spec"])}`,
    read: async (live) => {
      const writes = difference(resource, group, {
        found: await found(live, resource, group),
        wanted,
      });
      return { isOpen: true, holdsForMs: holdsForMs.served, writes };
    },
    onError: (error) => {
      if (!isNotFound(error)) throw error;
      const problem =
        `podGroupPolicy has no effect: the cluster does not serve PodGroups of ${apiVersionOf(resource)}. ` +
        "Install its gang scheduler, or remove podGroupPolicy";
      return { isOpen: true, holdsForMs: holdsForMs.notServed, problem };
    },
    problemReason: "PodGroupNotServed",
  };
}

/** A list also says whether the kind is served at all. */
async function found(
  live: LiveReader,
  resource: Resource,
  { metadata: { namespace, name } }: RoleBasedGroup,
): Promise<KubeObject | undefined> {
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  return (await live.list(resource, selection)).items[0];
}

/** Its scheduler leaves a pod without a node that is marked for a PodGroup which is not there: those go first. */
function removed(group: RoleBasedGroup, kind: GangKind, configMap: KubeObject): LiveRead {
  const resource = podGroupResources[kind];
  const { namespace, name = "", uid } = group.metadata;
  const left = notedKinds(configMap).filter((other) => other !== kind);
  const note = { [annotationKeys.podGroups]: left.length === 0 ? null : left.join() };
  const patch = { type: "merge", body: { metadata: { annotations: note } } } as const;
  const forget = patchOf(configMapResource, configMap, { patch, ifGone: "skip" });
  return {
    question: `is a pod left that is marked for PodGroup ${name} of ${resource.group}`,
    read: async (live) => {
      const selection = { namespace, labelSelector: `${labelKeys.groupName}=${name}` };
      const { items } = await live.list(podResource, selection);
      if (items.some(({ metadata }) => isMarked(metadata, kind, group)))
        return { isOpen: true, holdsForMs: holdsForMs.served };
      const object = await found(live, resource, group);
      const isOurs = object !== undefined && controllerOf(object)?.uid === uid;
      return { isOpen: true, writes: [...deletesOf(resource, isOurs ? [object] : []), forget] };
    },
    onError: (error) => {
      if (!isNotFound(error)) throw error;
      return { isOpen: true, holdsForMs: holdsForMs.notServed };
    },
  };
}

/** Whether its scheduler looks for the PodGroup when it sees such a pod. */
function isMarked(
  metadata: PodTemplate["metadata"],
  kind: GangKind,
  group: RoleBasedGroup,
): boolean {
  const marks = gangMarks({ [kind]: {} }, group.metadata.name ?? "");
  return (
    includesJson(metadata?.labels ?? {}, marks.labels) &&
    includesJson(metadata?.annotations ?? {}, marks.annotations)
  );
}

function podGroup(
  resource: Resource,
  { group, minMember }: Gang,
  policy: PodGroupPolicy,
): KubeObject {
  const { name = "", namespace } = group.metadata;
  const { kubeScheduling, volcanoScheduling = {} } = policy;
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      name,
      namespace,
      labels: { [labelKeys.groupName]: name },
      ownerReferences: [controllerReferenceTo(roleBasedGroupResource, group)],
    },
    spec:
      kubeScheduling === undefined
        ? { minMember, ...volcanoScheduling }
        : { minMember, scheduleTimeoutSeconds: kubeScheduling.scheduleTimeoutSeconds ?? 60 },
  };
}

function difference(
  resource: Resource,
  { metadata: { name = "", uid } }: RoleBasedGroup,
  { found, wanted }: { readonly found: KubeObject | undefined; readonly wanted: KubeObject },
): readonly Write[] {
  const owner = found && controllerOf(found);
  const isOrphan = owner === undefined && found?.metadata.labels?.[labelKeys.groupName] === name;
  // Where somebody else has one of this name, the conflict is reported.
  if (found === undefined || (owner?.uid !== uid && !isOrphan)) return [createOf(resource, wanted)];
  if (!isOrphan && includesJson(found["spec"], wanted["spec"])) return [];
  const { ownerReferences } = wanted.metadata;
  const body = { spec: wanted["spec"], ...(isOrphan ? { metadata: { ownerReferences } } : {}) };
  return [patchOf(resource, found, { patch: { type: "merge", body }, isAdoption: isOrphan })];
}
