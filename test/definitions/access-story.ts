/** A life of every workload that makes the controllers use everything they may: on any server, at any speed. */
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import { nodeResource } from "../../src/api/node.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { clusterManagementAddOnResource } from "../../src/api/ocm/addon.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../../src/api/ocm/managed-cluster.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import { podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { Client } from "../../src/runtime/client.ts";
import { createClusters } from "../builders/placement-objects.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import { liveInGroups, untilGone, untilThere } from "./access-groups.ts";

const namespace = "default";

export interface StoryStage {
  /** Of somebody who may do everything. */
  readonly client: Client;
  /** Lets controllers and nodes work for this long, or until they rest; a deadline has to pass all the same. */
  readonly pass: (seconds: number, deadlineSeconds?: number) => Promise<void>;
  /** Whether the cluster shares devices between pods. */
  readonly hasDevices: boolean;
}

const scaled = { autoScalingConfig: { minReplicas: 1, maxReplicas: 4, metrics: [] } };

/** Standalone cliques, one of them scaled by an autoscaler, and a scaling group above its minimum. */
const chat = (front: string) =>
  podCliqueSetOf({
    replicas: 2,
    strategy: { type: "RollingUpdate" },
    cliques: {
      front: { image: front, replicas: 1, extra: scaled },
      lead: { replicas: 1 },
      work: { replicas: 1 },
    },
    groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
    template: { terminationDelay: "5s" },
  });

/** Refers to what is not there: a topology, and devices of somebody else's template. */
const placed = podCliqueSetOf({
  name: "placed",
  cliques: { web: {} },
  template: {
    topologyConstraint: { topologyName: "nowhere", pack: { required: "rack" } },
    resourceSharing: [{ name: "outside", namespace: "kube-system", scope: "AllReplicas" }],
  },
});

const web = (image: string) =>
  statefulSetOf({
    image,
    replicas: 2,
    spec: {
      podManagementPolicy: "Parallel",
      revisionHistoryLimit: 1,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  });

/** Assist mode: somebody else makes the pods, Lockstep replaces them. */
export async function liveAssisted({ client, pass }: StoryStage): Promise<void> {
  const annotations = { "lockstep.dev/max-unavailable": "1" };
  const spec = { updateStrategy: { type: "OnDelete" } } as const;
  await client.create(statefulSetResource, statefulSetOf({ name: "paced", annotations, spec }));
  await pass(40);
  await patch(client, statefulSetResource, "paced", imageBody("web:v2"));
  await pass(60);
  await client.delete(statefulSetResource, { namespace, name: "paced" });
  await pass(20);
}

/** More clusters than one decision holds, one in front of them, and fewer again. */
async function moveClusters(stage: StoryStage): Promise<void> {
  const { client, pass } = stage;
  const text = readFileSync("deploy/samples/placement/rolling-update.yaml", "utf8");
  const [set, binding, placement] = parseAllDocuments(text).map(
    (each) => each.toJS() as KubeObject,
  );
  const names = Array.from({ length: 102 }, (_, at) => `c${at + 100}`);
  await createClusters(client, names);
  await client.create(clusterSetResource, set!);
  await client.create(clusterSetBindingResource, binding!);
  await client.create(placementResource, placement!);
  const addOn = readFileSync("deploy/samples/placement/addon.yaml", "utf8");
  const management = parseAllDocuments(addOn)[0]!.toJS() as KubeObject;
  await client.create(clusterManagementAddOnResource, management);
  await pass(10);
  const metadata = { labels: { "cluster.open-cluster-management.io/decision-group-index": null } };
  await patch(client, placementDecisionResource, "my-placement-decision-1", { metadata });
  await createClusters(client, ["a"]);
  await pass(10);
  const body = { spec: { decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: 60 } } } };
  const key = { namespace, name: "my-placement" };
  await client.patch(placementResource, key, { type: "merge", body });
  await pass(10);
  for (const name of names.slice(50)) await client.delete(managedClusterResource, { name });
  await pass(10);
  // Left behind by an earlier placement of this name, and taken over.
  await client.delete(placementResource, key, { propagationPolicy: "Orphan" });
  await pass(20);
  await untilGone(stage, placementResource, "my-placement");
  await client.create(placementResource, placement!);
  await pass(20);
  await client.delete(placementResource, key);
  for (const name of ["a", ...names.slice(0, 50)]) {
    await client.delete(managedClusterResource, { name });
  }
  await client.delete(clusterSetResource, { name: set!.metadata.name ?? "" });
}

export async function liveThrough(stage: StoryStage): Promise<void> {
  const { client, pass, hasDevices } = stage;
  const shared = hasDevices ? [sample("podcliqueset/shared-devices.yaml"), placed] : [];
  const create = async (): Promise<void> => {
    await client.create(statefulSetResource, web("web:v1"));
    await client.create(podCliqueSetResource, chat("web:v1"));
    for (const object of shared) await client.create(podCliqueSetResource, object);
  };
  await create();
  await pass(40);
  await change(stage);
  await leaveBehind(stage, shared);
  await create();
  await pass(40);
  await breakGang(stage);
  await getStuck(stage);
  await moveClusters(stage);
  const sets = await client.list(podCliqueSetResource, { namespace });
  for (const { metadata } of sets.items) {
    await client.delete(podCliqueSetResource, { namespace, name: metadata.name ?? "" });
  }
  await client.delete(statefulSetResource, { namespace, name: "web" });
  await pass(30);
  await liveInGroups(stage);
}

/** New revisions, back again, and other sizes. */
async function change(stage: StoryStage): Promise<void> {
  const { client, pass, hasDevices } = stage;
  for (const image of ["web:v2", "web:v3", "web:v2"]) {
    await patch(client, statefulSetResource, "web", imageBody(image));
    await patch(client, podCliqueSetResource, "chat", { spec: chat(image).spec });
    await pass(60);
  }
  const priorityClassName = "system-cluster-critical";
  await patch(client, podCliqueSetResource, "chat", { spec: { template: { priorityClassName } } });
  if (hasDevices)
    await patch(client, scalingGroupResource, "chat-shared-0-decode", { spec: { replicas: 1 } });
  await patch(client, statefulSetResource, "web", { spec: { replicas: 1 } });
  await patch(client, scalingGroupResource, "chat-0-pair", { spec: { replicas: 1 } });
  await patch(client, podCliqueSetResource, "chat", { spec: { replicas: 1 } });
  await pass(40);
  await patch(client, podCliqueSetResource, "chat", { spec: { replicas: 2 } });
  // A lost label is put back.
  const labels = { "statefulset.kubernetes.io/pod-name": "somebody" };
  await untilThere(stage, "web-0");
  await patch(client, podResource, "web-0", { metadata: { labels } });
  await pass(20);
}

/** Owners go and leave everything behind; those that come back take it over. */
async function leaveBehind(stage: StoryStage, shared: readonly KubeObject[]): Promise<void> {
  const { client, pass } = stage;
  const propagationPolicy = "Orphan";
  const names = ["chat", ...shared.map(({ metadata }) => metadata.name ?? "")];
  for (const name of names) {
    await client.delete(podCliqueSetResource, { namespace, name }, { propagationPolicy });
  }
  await client.delete(statefulSetResource, { namespace, name: "web" }, { propagationPolicy });
  await pass(20);
  for (const name of names) await untilGone(stage, podCliqueSetResource, name);
  await untilGone(stage, statefulSetResource, "web");
}

/** The pods of a replica are lost and find no node for longer than its terminationDelay. */
async function breakGang({ client, pass }: StoryStage): Promise<void> {
  const nodes = await client.list(nodeResource);
  const cordon = async (unschedulable: boolean): Promise<void> => {
    for (const { metadata } of nodes.items) {
      const key = { name: metadata.name ?? "" };
      await client.patch(nodeResource, key, { type: "merge", body: { spec: { unschedulable } } });
    }
  };
  await cordon(true);
  const labelSelector = "app.kubernetes.io/part-of=chat,grove.io/podcliqueset-replica-index=0";
  const { items } = await client.list(podResource, { namespace, labelSelector });
  for (const { metadata } of items) {
    await client.delete(podResource, { namespace, name: metadata.name ?? "" });
  }
  await pass(60, 9);
  await cordon(false);
  await pass(40);
}

/** A surge that is released, and a rollout that goes back by itself. */
async function getStuck({ client, pass }: StoryStage): Promise<void> {
  const nowhere = { nodeSelector: { nobody: "has-this" } };
  const stuck = (onStuck: string, image: string): unknown => {
    const { spec } = chat(image);
    const [front, ...others] = spec.template.cliques;
    const podSpec = { ...front?.spec.podSpec, ...nowhere };
    const cliques = [{ ...front, spec: { ...front?.spec, podSpec } }, ...others];
    const rollingUpdate = { maxUnavailable: 0, maxSurge: 1 };
    const updateStrategy = {
      type: "ReplicaRecreate",
      rollingUpdate,
      progressDeadlineSeconds: 8,
      onStuck,
    };
    return { spec: { ...spec, updateStrategy, template: { ...spec.template, cliques } } };
  };
  for (const [onStuck, image] of [
    ["ReleaseSurge", "web:v4"],
    ["Rollback", "web:v5"],
  ] as const) {
    await patch(client, podCliqueSetResource, "chat", stuck(onStuck, image));
    await pass(60, 12);
  }
}

const imageBody = (image: string): unknown => ({
  spec: { template: { spec: { containers: [{ name: "app", image }] } } },
});

async function patch(
  client: Client,
  resource: Resource,
  name: string,
  body: unknown,
): Promise<void> {
  await client.patch(resource, { namespace, name }, { type: "merge", body });
}

/** The last object in the file. */
function sample(file: string): KubeObject {
  const documents = parseAllDocuments(readFileSync(`deploy/samples/${file}`, "utf8"));
  const object = documents.at(-1)?.toJS() as KubeObject;
  return { ...object, metadata: { ...object.metadata, namespace } };
}
