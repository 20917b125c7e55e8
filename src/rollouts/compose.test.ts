import { expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import { listedView } from "./compose.ts";
import { rolloutKinds } from "./kinds.ts";

const statefulSet = rolloutKinds.find(({ word }) => word === "statefulset");

const listed = (updatedReplicas: number, availableReplicas: number) => {
  const object = {
    metadata: { name: "web", namespace: "default" },
    spec: { replicas: 10, selector: { matchLabels: { app: "web" } }, template: {} },
    status: { replicas: 10, updatedReplicas, availableReplicas },
  } as unknown as KubeObject;
  return listedView(statefulSet!, object, { nowMs: 0 }).progress;
};

const cases: Record<string, { updated: number; available: number; want: number }> = {
  "updated pods may be the ones that are down": { updated: 3, available: 7, want: 0 },
  "more are updated than are down": { updated: 8, available: 7, want: 5 },
  "fewer are updated than are down": { updated: 1, available: 7, want: 0 },
  "all serve": { updated: 4, available: 10, want: 4 },
};

test.each(Object.entries(cases))(
  "a list shows what is done for sure: %s",
  (_what, { updated, available, want }) => {
    expect(listed(updated, available)).toEqual({ unit: "pod", done: want, total: 10 });
  },
);
