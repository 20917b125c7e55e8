/** A StatefulSet whose controller does not say what it was before: its pods do. */
import { expect, test } from "vitest";
import type { Pod } from "../../api/pod.ts";
import { statefulSetRollout } from "./stateful-set.ts";

const owner = [
  { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "u", controller: true },
];

const revision = (number: number) => ({
  metadata: {
    name: `web-${number}`,
    ownerReferences: owner,
    creationTimestamp: `2026-01-01T00:0${number}:00Z`,
  },
  revision: number,
  data: {
    spec: { template: { spec: { containers: [{ name: "app", image: `web:v${number}` }] } } },
  },
});

const pod = (ordinal: number, number: number): Pod => ({
  metadata: {
    name: `web-${ordinal}`,
    ownerReferences: owner,
    labels: { "controller-revision-hash": `web-${number}` },
  },
  spec: { containers: [{ name: "app" }], nodeName: "node-1" },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
});

function viewOf(type: string, pods: readonly number[]) {
  const object = {
    metadata: { name: "web", uid: "u", generation: 1 },
    spec: {
      replicas: pods.length,
      updateStrategy: { type },
      selector: { matchLabels: { app: "web" } },
      template: {},
    },
    // The first revision for ever, as the cluster's controller leaves it under OnDelete.
    status: { observedGeneration: 1, currentRevision: "web-1", updateRevision: "web-3" },
  };
  const related = {
    revisions: [revision(1), revision(2), revision(3)],
    pods: pods.map((number, ordinal) => pod(ordinal, number)),
  };
  return statefulSetRollout.view({ object, related, nowMs: 0 });
}

const cases: Record<
  string,
  { given: [type: string, pods: number[]]; current: string; changes: string }
> = {
  "what most outdated pods run": {
    given: ["OnDelete", [2, 2, 1, 3]],
    current: "web-2",
    changes: "app image v2 -> v3",
  },
  "the later of two": {
    given: ["OnDelete", [1, 2, 3]],
    current: "web-2",
    changes: "app image v2 -> v3",
  },
  "the target where nothing is outdated": {
    given: ["OnDelete", [3, 3]],
    current: "web-3",
    changes: "",
  },
  "what is reported where no pod is there": {
    given: ["OnDelete", []],
    current: "web-1",
    changes: "app image v1 -> v3",
  },
  "what is reported under RollingUpdate": {
    given: ["RollingUpdate", [2, 3]],
    current: "web-1",
    changes: "app image v1 -> v3",
  },
};

test.each(Object.entries(cases))(
  "the current revision is %s",
  (_name, { given, current, changes }) => {
    const view = viewOf(...given);
    expect(view.current?.name).toBe(current);
    expect(view.changes).toBe(changes);
  },
);
