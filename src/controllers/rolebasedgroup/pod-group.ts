/** The PodGroup of a gang scheduler: asked for live, since most clusters serve none. */
import type { KubeObject } from "../../api/object.ts";
import type { DefaultedGroupSpec } from "../../api/rbg/defaults.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import type { PodGroupPolicy, RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { includesJson } from "../../api/same-json.ts";
import { isNotFound } from "../../api/status.ts";
import { controllerReferenceTo } from "../engine/adopt.ts";
import type { LiveRead, Write } from "../engine/write.ts";
import { createOf, patchOf } from "../engine/write.ts";

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

/** What its scheduler finds a pod's group by. */
export function gangMarks(policy: PodGroupPolicy | undefined, group: string): GangMarks {
  if (policy?.kubeScheduling !== undefined) {
    return { labels: { "pod-group.scheduling.sigs.k8s.io/name": group }, annotations: {} };
  }
  if (policy?.volcanoScheduling !== undefined) {
    return { labels: {}, annotations: { "scheduling.k8s.io/group-name": group } };
  }
  return { labels: {}, annotations: {} };
}

/** How long an answer holds: long where the cluster cannot have one. */
const holdsForMs = { served: 60_000, notServed: 600_000 };

/** Keeps the PodGroup in step with the sizes of the roles; empty where the group asks for none. */
export function podGroupReads(
  group: RoleBasedGroup,
  spec: DefaultedGroupSpec,
): readonly LiveRead[] {
  const { podGroupPolicy: policy } = spec;
  if (policy === undefined) return [];
  const resource =
    policy.kubeScheduling === undefined
      ? podGroupResources.volcanoScheduling
      : podGroupResources.kubeScheduling;
  const wanted = podGroup(resource, group, spec, policy);
  return [
    {
      question: `is PodGroup ${wanted.metadata.name} as ${JSON.stringify(wanted["spec"])}`,
      read: async (live) => {
        // A list also says whether the kind is served at all.
        const { namespace, name } = wanted.metadata;
        const selection = { namespace, fieldSelector: `metadata.name=${name}` };
        const [found] = (await live.list(resource, selection)).items;
        const writes = difference(resource, found, wanted);
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
    },
  ];
}

function podGroup(
  resource: Resource,
  group: RoleBasedGroup,
  { roles }: DefaultedGroupSpec,
  policy: PodGroupPolicy,
): KubeObject {
  const { name = "", namespace } = group.metadata;
  const minMember = roles.reduce((sum, role) => sum + role.replicas * role.leaderWorkerSet.size, 0);
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
  found: KubeObject | undefined,
  wanted: KubeObject,
): readonly Write[] {
  if (found === undefined) return [createOf(resource, wanted)];
  if (includesJson(found["spec"], wanted["spec"])) return [];
  const patch = { type: "merge", body: { spec: wanted["spec"] } } as const;
  return [patchOf(resource, found, { patch })];
}
