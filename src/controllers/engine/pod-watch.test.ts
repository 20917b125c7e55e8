import { expect, test } from "vitest";
import type { Pod } from "../../api/pod.ts";
import type { Change } from "../../runtime/cache.ts";
import { isCloselyAlike, isOnlyPlacing } from "./pod-watch.ts";

const owner = { apiVersion: "v1", kind: "PodClique", name: "web", uid: "1", controller: true };
const made: Pod = {
  metadata: {
    name: "web-0",
    namespace: "default",
    labels: { app: "web" },
    ownerReferences: [owner],
  },
  spec: { containers: [{ name: "app", image: "web:v1" }] },
  status: { phase: "Pending" },
};
const placed: Pod = { ...made, spec: { ...made.spec, nodeName: "node-0" } };
const orphaned: Pod = { ...made, metadata: { ...made.metadata, ownerReferences: [] } };
const gated: Pod = { ...made, spec: { ...made.spec, schedulingGates: [{ name: "kueue" }] } };
const refused: Pod = {
  ...made,
  status: {
    ...made.status,
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
  },
};
const going: Pod = {
  ...placed,
  metadata: { ...made.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
};

const hurried: Pod = {
  ...going,
  metadata: {
    ...going.metadata,
    deletionTimestamp: "2025-12-31T23:59:30Z",
    deletionGracePeriodSeconds: 0,
  },
};

function running(restartCount: number, isReady: boolean): Pod {
  const state = { running: { startedAt: "2026-01-01T00:00:01Z" } };
  const container = { name: "app", image: "web:v1", imageID: "web:v1", restartCount, state };
  return {
    ...placed,
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
      containerStatuses: [{ ...container, lastState: {}, ready: isReady, started: true }],
    },
  };
}

type Want = "nobody cares" | "may wait" | "at once";

const changes: Record<string, { change: Change<Pod>; want: Want }> = {
  "a pod that is free to be placed": { change: { type: "added", object: made }, want: "may wait" },
  "a pod that is held back": { change: { type: "added", object: gated }, want: "at once" },
  "a pod that nobody controls": { change: { type: "added", object: orphaned }, want: "at once" },
  "somebody took it over": { change: updated(orphaned, made), want: "at once" },
  "a pod that was there before us": {
    change: { type: "added", object: running(0, true) },
    want: "at once",
  },
  "a node was found": { change: updated(made, placed), want: "may wait" },
  "no node was found": { change: updated(made, refused), want: "may wait" },
  "its gate was opened": { change: updated(gated, made), want: "at once" },
  "it starts": { change: updated(placed, running(0, false)), want: "at once" },
  "it became ready": { change: updated(running(0, false), running(0, true)), want: "at once" },
  "a container was restarted": {
    change: updated(running(0, false), running(1, false)),
    want: "at once",
  },
  "it was placed and started at once": { change: updated(made, running(0, true)), want: "at once" },
  "it was asked to go": { change: updated(placed, going), want: "at once" },
  "it is given less time to go": { change: updated(going, hurried), want: "nobody cares" },
  "it is gone": { change: { type: "deleted", object: placed }, want: "at once" },
  "its labels are others": {
    change: updated(made, { ...made, metadata: { ...made.metadata, labels: {} } }),
    want: "at once",
  },
  "its address was written": {
    change: updated(placed, { ...placed, status: { ...placed.status, podIP: "10.0.0.1" } }),
    want: "nobody cares",
  },
};

function updated(old: Pod, object: Pod): Change<Pod> {
  return { type: "updated", old, object };
}

test.each(Object.entries(changes))(
  "a clique is reconciled for a pod: %s",
  (_name, { change, want }) => {
    const isNothing = change.type === "updated" && isCloselyAlike(change.old, change.object);
    expect(isNothing ? "nobody cares" : isOnlyPlacing(change) ? "may wait" : "at once").toBe(want);
  },
);
