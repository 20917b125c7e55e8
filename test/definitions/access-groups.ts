/** A life of RoleBasedGroups that makes their controller use everything it may. */
import { statefulSetResource } from "../../src/api/apps.ts";
import { configMapResource } from "../../src/api/config-map.ts";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { podResource } from "../../src/api/pod.ts";
import type { RoleBasedGroupSpec } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type { Resource } from "../../src/api/resource.ts";
import { isNotFound } from "../../src/api/status.ts";
import { serviceResource } from "../../src/api/service.ts";
import { podGroupResources } from "../../src/controllers/rolebasedgroup/pod-group.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import type { StoryStage } from "./access-story.ts";

const namespace = "default";

const definitionOf = ({ group, version, plural, kind }: Resource): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: `${plural}.${group}`,
    annotations: { "api-approved.kubernetes.io": "unapproved, for a test" },
  },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
});

const gangs: Readonly<Record<string, Partial<RoleBasedGroupSpec>>> = {
  plugins: { podGroupPolicy: { kubeScheduling: {} } },
  volcano: { podGroupPolicy: { volcanoScheduling: {} } },
};

const served = (image: string, sizes: Record<string, number>) =>
  groupOf({
    name: "served",
    image,
    sizes,
    roles: { decode: { restartPolicy: "RecreateRoleInstanceOnPodRestart" } },
  });

/** A server that is busy may need longer for a pod than the operator is silent. */
export async function untilThere({ client, pass }: StoryStage, name: string): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    (await client.list(podResource, { namespace })).items.some(
      ({ metadata }) => metadata.name === name && metadata.deletionTimestamp === undefined,
    );
  while (!(await isThere())) await pass(1);
}

/** So may the garbage collector for an object whose parts are left behind. */
export async function untilGone(
  { client, pass }: StoryStage,
  resource: Resource,
  name: string,
): Promise<void> {
  const isThere = (): Promise<boolean> =>
    client.get(resource, { namespace, name }).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );
  while (await isThere()) await pass(1);
}

export async function liveInGroups(stage: StoryStage): Promise<void> {
  const { client, pass } = stage;
  const patch = (resource: Resource, name: string, body: unknown) =>
    client.patch(resource, { namespace, name }, { type: "merge", body });
  const both = { prefill: 1, decode: 1 };
  await client.create(roleBasedGroupResource, served("web:v1", both));
  await pass(30);
  await client.delete(
    roleBasedGroupResource,
    { namespace, name: "served" },
    { propagationPolicy: "Orphan" },
  );
  await pass(20);
  await untilGone(stage, roleBasedGroupResource, "served");
  await client.create(roleBasedGroupResource, served("web:v1", both));
  await pass(20);
  await untilThere(stage, "served-decode-0");
  const status = { name: "app", ready: false, restartCount: 1, image: "web", imageID: "" };
  await client.patch(
    podResource,
    { namespace, name: "served-decode-0" },
    { type: "strategic", body: { status: { containerStatuses: [status] } } },
    { subresource: "status" },
  );
  await pass(20);
  // Back and forth, until the oldest record goes.
  const images = ["v2", "v1", ...Array.from({ length: 12 }, (_, index) => `n${index}`)];
  for (const tag of images) {
    await patch(roleBasedGroupResource, "served", { spec: served(`web:${tag}`, both).spec });
    await pass(12);
  }
  await patch(serviceResource, "s-served-prefill", { spec: { publishNotReadyAddresses: false } });
  await patch(roleBasedGroupResource, "served", { spec: served("web:n11", { prefill: 2 }).spec });
  await patch(statefulSetResource, "served-prefill", { spec: { replicas: 3 } });
  for (const resource of Object.values(podGroupResources)) {
    await client.create(customResourceDefinitionResource, definitionOf(resource));
  }
  await pass(10);
  for (const [name, spec] of Object.entries(gangs)) {
    await client.create(roleBasedGroupResource, groupOf({ name, sizes: { prefill: 1 }, spec }));
  }
  await pass(20);
  for (const [name, spec] of Object.entries(gangs)) {
    const next = groupOf({ name, sizes: { prefill: 2 }, spec });
    await patch(roleBasedGroupResource, name, { spec: next.spec });
  }
  await pass(5);
  for (const name of Object.keys(gangs)) {
    const next = groupOf({ name, image: "web:v2", sizes: { prefill: 2 } });
    await patch(roleBasedGroupResource, name, { spec: { ...next.spec, podGroupPolicy: null } });
  }
  await pass(90);
  // Somebody else has the name of the discovery file.
  const metadata = { name: "taken", namespace };
  await client.create(configMapResource, { apiVersion: "v1", kind: "ConfigMap", metadata });
  await client.create(roleBasedGroupResource, groupOf({ name: "taken", sizes: { prefill: 1 } }));
  await pass(20);
  await client.delete(configMapResource, { namespace, name: "taken" });
  await pass(20);
  for (const name of ["served", "taken", ...Object.keys(gangs)]) {
    await client.delete(roleBasedGroupResource, { namespace, name });
  }
  await pass(20);
}
