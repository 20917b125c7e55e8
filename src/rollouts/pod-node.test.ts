import { expect, test } from "vitest";
import type { ContainerStatus, Pod } from "../api/pod.ts";
import { podNode } from "./pod-node.ts";

const place = { ordinal: 0, revision: undefined, isUpdated: true };

const podOf = ({ metadata, spec, status }: Partial<Pod>): Pod => ({
  metadata: { name: "web-0", ...metadata },
  spec: { containers: [{ name: "app" }], nodeName: "node-1", ...spec },
  status: { phase: "Running", ...status },
});

test("a pod terminates since that was asked for, and not since its grace will be over", () => {
  const deletionTimestamp = "2026-01-01T00:00:30Z";
  const pod = podOf({ metadata: { deletionTimestamp, deletionGracePeriodSeconds: 30 } });
  const { health, since } = podNode(pod, place, 0);
  expect([health, since]).toEqual(["terminating", "2026-01-01T00:00:00Z"]);
});

test("what is on no node waits since its scheduler said so", () => {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const unplaced = { type: "PodScheduled", status: "False", lastTransitionTime } as const;
  const { nodeName: _none, ...spec } = podOf({}).spec;
  const pod = { ...podOf({ status: { phase: "Pending", conditions: [unplaced] } }), spec };
  const { health, since } = podNode(pod, place, 0);
  expect([health, since]).toEqual(["starting", lastTransitionTime]);
});

const waiting = (name: string, reason: string): ContainerStatus => ({
  name,
  ready: false,
  restartCount: 0,
  image: "",
  imageID: "",
  state: { waiting: { reason } },
});

test("every container without its image is named, those that run first too", () => {
  const pod = podOf({
    spec: {
      initContainers: [{ name: "weights" }],
      containers: [{ name: "app" }, { name: "proxy" }],
    },
    status: {
      initContainerStatuses: [waiting("weights", "ImagePullBackOff")],
      containerStatuses: [waiting("app", "PodInitializing"), waiting("proxy", "ErrImagePull")],
    },
  });
  expect(podNode(pod, place, 0)).toMatchObject({
    badImages: ["weights", "proxy"],
    container: "weights",
  });
});
