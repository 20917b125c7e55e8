/** Which replicas of a scaling group start over because their gang was broken for too long. */
import { expect, test } from "vitest";
import { podCliqueOf } from "../../../../test/builders/pod-clique-scenario.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { CliqueState } from "../clique-state.ts";
import { overdueReplicas } from "./replica-state.ts";
import type { GroupReplica, Observed } from "./observe.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");
const ago = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString();

/** Broken for so many seconds; whole where that is left out. */
function member(brokenForSeconds?: number): CliqueState {
  const lastTransitionTime = ago(brokenForSeconds ?? 0);
  const status = brokenForSeconds === undefined ? "False" : "True";
  const type = "MinAvailableBreached";
  const condition = { type, status, reason: "", message: "", lastTransitionTime };
  const object = { ...podCliqueOf({}), status: { conditions: [condition] } } as PodClique;
  return { clique: "web", object, scheduled: 1, minAvailable: 1 } as CliqueState;
}

interface Given {
  /** By index. */
  readonly brokenForSeconds: readonly (number | undefined)[];
  readonly desired?: number;
  readonly updateProgress?: { readonly updateStartedAt: string; readonly updateEndedAt?: string };
}

function observed({ brokenForSeconds, desired, updateProgress }: Given): Observed {
  const replicas = brokenForSeconds.map((seconds, index): GroupReplica => ({
    index,
    members: [member(), member(seconds)],
  }));
  return {
    nowMs,
    group: {
      metadata: { name: "chat-0-all" },
      spec: { replicas: desired ?? replicas.length, cliqueNames: ["lead", "web"] },
      status: updateProgress === undefined ? {} : { updateProgress },
    },
    spec: { template: { terminationDelay: "60s" } },
    minAvailable: 1,
    replicas,
  } as unknown as Observed;
}

const updateStartedAt = ago(300);
const cases: Record<string, Given & { want: number[] }> = {
  "broken for longer than the delay starts over": {
    brokenForSeconds: [undefined, 61],
    want: [1],
  },
  "broken for less waits": { brokenForSeconds: [undefined, 59], want: [] },
  "while the group is updated nothing starts over: what is missing is missing on purpose": {
    brokenForSeconds: [undefined, 61],
    updateProgress: { updateStartedAt },
    want: [],
  },
  "after the update it does": {
    brokenForSeconds: [undefined, 61],
    updateProgress: { updateStartedAt, updateEndedAt: ago(100) },
    want: [1],
  },
  "with too few others whole, the set restarts the whole replica": {
    brokenForSeconds: [61, 61],
    want: [],
  },
  "what scaling in takes is left to it": {
    brokenForSeconds: [undefined, 61],
    desired: 1,
    want: [],
  },
};

test.each(Object.entries(cases))("PS9 %s", (_name, { want, ...given }) => {
  expect(overdueReplicas(observed(given)).indices).toEqual(want);
});

test("PS9 the next reconcile is due when the delay is over", () => {
  expect(overdueReplicas(observed({ brokenForSeconds: [undefined, 20] })).recheckAfterMs).toBe(
    40_000,
  );
});
