/** What the counters count, when an update is complete, and when to reconcile again. */
import { describe, expect, test } from "vitest";
import type { StatefulSet, StatefulSetSpec, StatefulSetStatus } from "../../api/apps.ts";
import type { Pod, PodPhase } from "../../api/pod.ts";
import { readOverrides } from "./annotations.ts";
import { revisionLabel } from "./identity.ts";
import type { Observed } from "./observe.ts";
import type { RolloutPlan } from "./plan.ts";
import { planRollout } from "./plan.ts";
import { fullPolicy } from "./policy.ts";
import { setPodOf } from "./set-pod.ts";
import { isPhaseChange, statefulSetStatus } from "./status.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");
const ago = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString();

/** `new` or `old`; `ready60` since that many seconds, `unready`, `Pending`, `Failed`; `~` is terminating. */
function podOf(mark: string, ordinal: number): Pod {
  const [, revision = "", state = "", terminating] = /^(\w+):([\w.]+)(~?)$/.exec(mark) ?? [];
  const isReady = state.startsWith("ready");
  const phase: PodPhase = isReady || state === "unready" ? "Running" : (state as PodPhase);
  const seconds = Number(state.replace("ready", "") || 3_600);
  const condition = isReady
    ? { type: "Ready", status: "True" as const, lastTransitionTime: ago(seconds) }
    : { type: "Ready", status: "False" as const, lastTransitionTime: ago(5) };
  return {
    metadata: {
      name: `web-${ordinal}`,
      uid: `uid-${ordinal}`,
      labels: { [revisionLabel]: revision },
      creationTimestamp: ago(7_200),
      ...(terminating === "" ? {} : { deletionTimestamp: ago(1) }),
    },
    spec: { containers: [], nodeName: "node" },
    status: { phase, conditions: [condition] },
  };
}

interface Given {
  readonly replicas: number;
  /** By ordinal: `new:ready`, `old:unready`, `new:ready~`; `-` is missing. */
  readonly pods: string;
  readonly spec?: Partial<StatefulSetSpec>;
}

function assessed({ replicas, pods, spec = {} }: Given): {
  planned: RolloutPlan;
  status: StatefulSetStatus;
} {
  const set: StatefulSet = {
    metadata: { name: "web", namespace: "default", generation: 7 },
    spec: {
      replicas,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: "web" } },
      template: {},
      ...spec,
    },
  };
  const marks = pods.split(" ").map((mark, ordinal) => ({ mark, ordinal }));
  const observed = {
    nowMs,
    set,
    overrides: readOverrides(set),
    pods: marks
      .filter(({ mark }) => mark !== "-")
      .flatMap(({ mark, ordinal }) => setPodOf(podOf(mark, ordinal)) ?? []),
    revisions: [],
    claim: () => undefined,
  } as unknown as Observed;
  const planned = planRollout(
    observed,
    { current: "old", update: "new" },
    fullPolicy(set, observed.overrides),
  );
  return { planned, status: statefulSetStatus(observed, planned, { collisionCount: 0 }) };
}

const counters = ({ status }: ReturnType<typeof assessed>): string =>
  [
    status.replicas,
    status.readyReplicas,
    status.availableReplicas,
    status.currentReplicas,
    status.updatedReplicas,
  ].join(" ");

describe("ST15 replicas, ready, available, current, updated", () => {
  const rows: Record<string, Given & { want: string }> = {
    "every pod counts, in range or condemned": {
      replicas: 2,
      pods: "old:ready old:ready old:ready",
      want: "3 3 3 3 0",
    },
    "a pending pod is a replica, not ready": {
      replicas: 2,
      pods: "old:ready new:Pending",
      want: "2 1 1 1 1",
    },
    "a terminating pod is a replica of no revision, still ready, not available": {
      replicas: 2,
      pods: "old:ready~ new:ready",
      want: "2 2 1 0 1",
    },
    "a pod of a third revision is neither current nor updated": {
      replicas: 2,
      pods: "other:ready new:ready",
      want: "2 2 2 0 1",
    },
    "ready is not available before minReadySeconds": {
      replicas: 4,
      pods: "old:unready old:ready0 old:ready7200 old:ready7200",
      spec: { minReadySeconds: 3_600 },
      want: "4 3 2 4 0",
    },
    "missing pods are not counted": { replicas: 3, pods: "old:ready - -", want: "1 1 1 1 0" },
  };
  test.each(Object.entries(rows))("%s", (_sentence, { want, ...given }) => {
    expect(counters(assessed(given))).toBe(want);
  });
});

describe("ST15 an update is complete", () => {
  const rows: [string, Given, boolean][] = [
    ["when all are", { replicas: 3, pods: "new:ready new:ready new:ready" }, true],
    ["not with one updated", { replicas: 3, pods: "old:ready old:ready new:ready" }, false],
    ["not with one unready", { replicas: 3, pods: "new:ready new:unready new:ready" }, false],
    ["not with one missing", { replicas: 3, pods: "new:ready new:ready -" }, false],
    ["not with one too many", { replicas: 2, pods: "new:ready new:ready new:ready" }, false],
    [
      "not inside minReadySeconds",
      { replicas: 2, pods: "new:ready5 new:ready60", spec: { minReadySeconds: 30 } },
      false,
    ],
    [
      "also under OnDelete",
      { replicas: 2, pods: "new:ready new:ready", spec: { updateStrategy: { type: "OnDelete" } } },
      true,
    ],
    ["of nothing, when nothing is asked for", { replicas: 0, pods: "-" }, true],
  ];
  test.each(rows)("%s", (_when, given, want) => {
    const { status } = assessed(given);
    expect(status.currentRevision).toBe(want ? "new" : "old");
    expect(status.updateRevision).toBe("new");
    expect(status.observedGeneration).toBe(7);
  });
});

describe("ST16 inside minReadySeconds of 30", () => {
  const spec = { minReadySeconds: 30 };
  const ordered = { ...spec, podManagementPolicy: "OrderedReady" } as const;
  const partition = (at: number): Partial<StatefulSetSpec> => ({
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: at } },
  });
  const rows: [string, Given, available: number, deletes: number][] = [
    [
      "OrderedReady deletes nothing",
      { replicas: 2, pods: "old:ready10 old:ready10", spec: ordered },
      0,
      0,
    ],
    [
      "nor with a partition",
      {
        replicas: 4,
        pods: "old:ready10 old:ready10 old:ready10 old:ready10",
        spec: { ...ordered, ...partition(2) },
      },
      0,
      0,
    ],
    [
      "nor to scale in",
      { replicas: 1, pods: "new:ready10 new:ready10 new:ready10", spec: ordered },
      0,
      0,
    ],
    ["a minute is enough", { replicas: 2, pods: "old:ready60 old:ready60", spec: ordered }, 2, 1],
    ["without it at once", { replicas: 2, pods: "old:ready0 old:ready0" }, 2, 1],
    [
      "OnDelete names the revision all the same",
      {
        replicas: 2,
        pods: "old:ready10 old:ready10",
        spec: { ...spec, updateStrategy: { type: "OnDelete" } },
      },
      0,
      0,
    ],
  ];
  test.each(rows)("%s", (_what, given, available, deletes) => {
    const { status, planned } = assessed(given);
    expect(status.availableReplicas).toBe(available);
    expect(status.updateRevision).toBe("new");
    expect(planned.decision.actions).toHaveLength(deletes);
  });

  test("the next reconcile is due when the first of them becomes available", () => {
    const { status, planned } = assessed({
      replicas: 3,
      pods: "new:ready0 new:ready2 new:ready4.3",
      spec: { minReadySeconds: 5 },
    });
    expect([status.readyReplicas, status.availableReplicas]).toEqual([3, 0]);
    expect(planned.decision.recheckAfterMs).toBe(700);
  });
});

describe("ST15 what is reported at once", () => {
  const status: StatefulSetStatus = {
    replicas: 4,
    observedGeneration: 7,
    updateRevision: "b",
    conditions: [{ type: "Progressing", status: "True" }],
  };
  const owner = { apiVersion: "workloads.x-k8s.io/v1alpha1", kind: "RoleBasedGroup", name: "chat" };
  const setOf = (isSteered: boolean): StatefulSet => ({
    metadata: {
      name: "web",
      ...(isSteered ? { ownerReferences: [{ ...owner, uid: "u", controller: true }] } : {}),
    },
    spec: { selector: {}, template: {} },
    status,
  });
  const rows: [string, Partial<StatefulSetStatus>, boolean, boolean][] = [
    ["a counter", { readyReplicas: 3 }, false, false],
    ["a generation", { observedGeneration: 8 }, true, false],
    ["that it rests", { conditions: [{ type: "Progressing", status: "False" }] }, true, false],
    ["another revision", { updateRevision: "c" }, true, true],
  ];
  test.each(rows)("%s", (_what, change, alone, steered) => {
    const next = { ...status, ...change };
    expect([isPhaseChange(setOf(false), next), isPhaseChange(setOf(true), next)]).toEqual([
      alone,
      steered,
    ]);
  });
});
