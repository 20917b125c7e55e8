/** Which replicas of a set start over because their gang was broken for too long. */
import { expect, test } from "vitest";
import { podCliqueOf } from "../../../../test/builders/pod-clique-scenario.ts";
import { podCliqueSetOf } from "../../../../test/builders/pod-clique-set-scenario.ts";
import { withDefaults } from "../../../api/grove/defaults.ts";
import { overdueReplicas } from "./gang-termination.ts";
import type { Observed } from "./observe.ts";
import type { ReplicaState } from "./replica-state.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");

/** Broken for so many seconds; whole where that is left out. */
function replica(index: number, brokenForSeconds?: number): ReplicaState {
  const lastTransitionTime = new Date(nowMs - (brokenForSeconds ?? 0) * 1000).toISOString();
  const status = brokenForSeconds === undefined ? "False" : "True";
  const condition = { type: "MinAvailableBreached", status, reason: "", message: "" };
  const conditions = [{ ...condition, lastTransitionTime }];
  const object = { ...podCliqueOf({ name: `chat-${index}-web` }), status: { conditions } };
  const standalone = [{ clique: "web", object }];
  return { index, standalone, cliques: [object], groups: [] } as unknown as ReplicaState;
}

interface Given {
  /** By index. */
  readonly brokenForSeconds: readonly (number | undefined)[];
  readonly updating?: readonly number[];
  readonly desired?: number;
}

const cases: Record<string, Given & { want: readonly number[] }> = {
  "broken for longer than the delay starts over": { brokenForSeconds: [undefined, 601], want: [1] },
  "broken for less waits": { brokenForSeconds: [undefined, 599], want: [] },
  "while a replica is updated it does not start over: what is missing is missing on purpose": {
    brokenForSeconds: [601, 601],
    updating: [1],
    want: [0],
  },
  "surge does not": { brokenForSeconds: [undefined, 601], desired: 1, want: [] },
};

test.each(Object.entries(cases))("PS9 %s", (_name, given) => {
  const { brokenForSeconds, updating = [], desired = brokenForSeconds.length, want } = given;
  const { spec } = podCliqueSetOf({ replicas: desired, cliques: { web: {} } });
  const observed = { nowMs, name: "chat", spec: withDefaults(spec), replicas: new Map() };
  const replicas = brokenForSeconds.map((seconds, index) => replica(index, seconds));
  const overdue = overdueReplicas(observed as unknown as Observed, replicas, new Set(updating));
  expect(overdue.indices).toEqual(want);
});
