import { expect, test } from "vitest";
import type { ContainerStatus, Pod, PodCondition } from "../../api/pod.ts";
import { cachedMetadata, cachedPod } from "./cached-objects.ts";
import { podHealth } from "./pod-health.ts";
import { isCloselyAlike } from "./pod-watch.ts";
import { atLeastOne } from "../../../test/builders/must.ts";

const time = "2026-01-01T00:00:00Z";
const owner = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  name: "web",
  uid: "uid-web",
  controller: true,
  blockOwnerDeletion: true,
};

const condition = (type: string, extra: Partial<PodCondition> = {}): PodCondition => ({
  type,
  status: "True",
  lastTransitionTime: time,
  lastProbeTime: null,
  observedGeneration: 1,
  ...extra,
});

const container = (extra: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: "app",
  image: "web:v1",
  imageID: "sha256:1",
  containerID: "containerd://1",
  state: { running: { startedAt: time } },
  lastState: {},
  ready: true,
  started: true,
  restartCount: 0,
  ...extra,
});

/** As a server sends it, decoded anew for every call. */
function sentPod(name: string, status: Pod["status"] = {}): Pod {
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: "web-",
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "7",
      generation: 1,
      creationTimestamp: time,
      labels: {
        app: "a-rather-long-name",
        "statefulset.kubernetes.io/pod-name": name,
        "controller-revision-hash": "web-776999688b",
      },
      annotations: { note: "read by nobody" },
      ownerReferences: [owner],
      managedFields: [{ manager: "kubelet" }],
    },
    spec: {
      nodeName: "node-number-one",
      hostname: name,
      subdomain: "web",
      schedulingGates: [{ name: "lockstep.dev/gate" }],
      containers: [{ name: "app", image: "web:v1" }],
      tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists" }],
    },
    status: {
      phase: "Running",
      podIP: "10.0.0.1",
      conditions: [condition("Ready"), condition("ContainersReady"), condition("PodScheduled")],
      containerStatuses: [container()],
      ...status,
    },
  };
  return JSON.parse(JSON.stringify(pod)) as Pod;
}

test("only what controllers read is kept of a pod", () => {
  expect(JSON.parse(JSON.stringify(cachedPod(sentPod("web-0"))))).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web-0",
      namespace: "default",
      uid: "uid-web-0",
      resourceVersion: "7",
      creationTimestamp: time,
      labels: {
        app: "a-rather-long-name",
        "statefulset.kubernetes.io/pod-name": "web-0",
        "controller-revision-hash": "web-776999688b",
      },
      ownerReferences: [owner],
    },
    spec: {
      nodeName: "node-number-one",
      hostname: "web-0",
      schedulingGates: [{ name: "lockstep.dev/gate" }],
    },
    status: {
      phase: "Running",
      conditions: [
        { type: "Ready", status: "True", lastTransitionTime: time },
        { type: "PodScheduled", status: "True", lastTransitionTime: time },
      ],
      containerStatuses: [
        {
          name: "app",
          state: { running: { startedAt: time } },
          lastState: {},
          ready: true,
          started: true,
          restartCount: 0,
        },
      ],
    },
  });
});

test("a pod without a status or labels is kept without", () => {
  const { metadata, spec } = sentPod("web-0");
  const bare = cachedPod({ metadata: { name: metadata.name }, spec });
  expect(JSON.parse(JSON.stringify(bare.metadata))).toEqual({ name: "web-0" });
  expect(bare.status).toBeUndefined();
});

test("of a claim the same metadata is kept, and nothing else", () => {
  const pod = sentPod("web-0");
  const { metadata } = cachedPod(pod);
  expect(cachedMetadata(pod)).toEqual({ apiVersion: "v1", kind: "Pod", metadata });
});

test("pods of one owner share its references", () => {
  const [a, b] = [cachedPod(sentPod("web-0")), cachedPod(sentPod("web-1"))];
  expect(a.metadata.ownerReferences).toBe(b.metadata.ownerReferences);
  const other = sentPod("web-2");
  other.metadata.ownerReferences = [{ ...owner, uid: "another" }];
  expect(cachedPod(other).metadata.ownerReferences).toEqual([{ ...owner, uid: "another" }]);
});

const crashed = {
  exitCode: 1,
  reason: "Error",
  startedAt: time,
  finishedAt: time,
  containerID: "containerd://0",
};
const unready = [condition("Ready", { status: "False", reason: "ContainersNotReady" })];
const statuses: Record<string, Pod["status"]> = {
  "it serves": {},
  "it has just been made": { phase: "Pending", conditions: [], containerStatuses: [] },
  "no node is found": {
    phase: "Pending",
    conditions: [condition("PodScheduled", { status: "False", reason: "Unschedulable" })],
    containerStatuses: [],
  },
  "its image cannot be pulled": {
    phase: "Pending",
    conditions: unready,
    containerStatuses: [
      container({
        ready: false,
        started: false,
        state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } },
      }),
    ],
  },
  "an init container crashes": {
    phase: "Pending",
    conditions: unready,
    initContainerStatuses: [
      container({ ready: false, restartCount: 2, lastState: { terminated: crashed } }),
    ],
  },
  "it has crashed before": {
    conditions: unready,
    containerStatuses: [
      container({ ready: false, restartCount: 1, lastState: { terminated: crashed } }),
    ],
  },
  "it was evicted": { phase: "Failed", reason: "Evicted", message: "the node was low on memory" },
  "its node is lost": {
    conditions: [condition("Ready", { status: "False", reason: "NodeNotReady" })],
  },
};
const names = Object.keys(statuses);

test.each(names)("health is the same by what is kept: %s", (name) => {
  const pod = sentPod("web-0", statuses[name]);
  expect(podHealth(cachedPod(pod), 10, 0)).toEqual(podHealth(pod, 10, 0));
});

test.each(names)("what differs for a controller differs in what is kept: %s", (name) => {
  const pod = sentPod("web-0", statuses[name]);
  for (const other of atLeastOne(names.map((each) => sentPod("web-0", statuses[each])))) {
    expect(isCloselyAlike(cachedPod(pod), cachedPod(other))).toBe(isCloselyAlike(pod, other));
  }
});

test("what is as long as an object is not kept for others: it would stay when its object is gone", () => {
  const withOwners = (count: number): Pod => {
    const pod = sentPod("web-0");
    const ownerReferences = Array.from({ length: count }, () => ({ ...owner }));
    return cachedPod({ ...pod, metadata: { ...pod.metadata, ownerReferences } });
  };
  const ownersOf = (count: number) => withOwners(count).metadata.ownerReferences;
  expect(ownersOf(1)).toBe(ownersOf(1));
  expect(ownersOf(1_000)).toEqual(ownersOf(1_000));
  expect(ownersOf(1_000)).not.toBe(ownersOf(1_000));
});
