import { expect, test } from "vitest";
import { labelKeys, podGangGate } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import { gatesOf, hasBeenScheduled, isCreatedUngated, isInDoubt } from "./gates.ts";
import type { Observed } from "./observe.ts";

const clique: PodClique = {
  metadata: { name: "chat-0-web", namespace: "default" },
  spec: { roleName: "web", replicas: 2, podSpec: { containers: [] } },
};

const gang = (listed: readonly string[], isScheduled = false): PodGang => ({
  metadata: { name: "chat-0" },
  spec: {
    podgroups: [
      {
        name: "chat-0-web",
        minReplicas: 1,
        podReferences: listed.map((name) => ({ namespace: "default", name })),
      },
    ],
  },
  status: {
    phase: "Pending",
    conditions: [{ type: "Scheduled", status: isScheduled ? "True" : "False" }],
  },
});

/** A member of replica 1 of a scaling group; beside it in the gang are a standalone clique and replica 10. */
const member: PodClique = {
  ...clique,
  metadata: {
    name: "chat-0-pair-1-web",
    labels: {
      [labelKeys.scalingGroup]: "chat-0-pair",
      [labelKeys.scalingGroupReplicaIndex]: "1",
    },
  },
};

const gangOf = (listed: Readonly<Record<string, readonly string[]>>): PodGang => ({
  metadata: { name: "chat-0" },
  spec: {
    podgroups: Object.entries(listed).map(([name, pods]) => ({
      name,
      minReplicas: 1,
      podReferences: pods.map((pod) => ({ namespace: "default", name: pod })),
    })),
  },
});

const observed = (more: Partial<Observed>): Observed => ({
  nowMs: 0,
  clique,
  set: undefined,
  orphans: [],
  pods: ["a", "b"].map((name, ordinal) => ({
    ordinal,
    isLeftover: false,
    pod: {
      metadata: { name },
      spec: { containers: [], schedulingGates: [{ name: podGangGate }] },
    },
  })),
  gang: gang(["a", "b"]),
  lack: undefined,
  baseGang: undefined,
  parents: [],
  revisions: [],
  ...more,
});

const cases: Record<string, { given: Partial<Observed>; open: string[]; reason?: string }> = {
  "listed pods may go": { given: {}, open: ["a", "b"] },
  "unlisted pods wait": {
    given: { gang: gang(["b"]) },
    open: ["b"],
    reason: "its PodGang does not list it yet",
  },
  "without a gang nobody goes": {
    given: { gang: undefined },
    open: [],
    reason: "their PodGang does not exist yet",
  },
  "a member waits until its gang lists those beside it": {
    given: {
      clique: member,
      gang: gangOf({ "chat-0-pair-1-web": ["a", "b"], "chat-0-pair-1-lead": [] }),
    },
    open: [],
    reason: "their PodGang lists too few pods of chat-0-pair-1-lead beside them",
  },
  "other replicas and cliques of the gang hold a member back for nothing": {
    given: {
      clique: member,
      gang: gangOf({
        "chat-0-front": [],
        "chat-0-pair-10-lead": [],
        "chat-0-pair-1-web": ["a", "b"],
        "chat-0-pair-1-lead": ["c"],
      }),
    },
    open: ["a", "b"],
  },
  "a scaled gang waits for its base gang": {
    given: { baseGang: { name: "chat-0", object: gang([]), isOnNodes: true } },
    open: [],
    reason: "the base gang chat-0 has not been scheduled yet",
  },
  "a base gang that was scheduled once is enough": {
    given: { baseGang: { name: "chat-0", object: gang([], true), isOnNodes: true } },
    open: ["a", "b"],
  },
  "a base gang that lost everybody starts over, whatever its status still says": {
    given: { baseGang: { name: "chat-0", object: gang([], true), isOnNodes: false } },
    open: [],
    reason: "the base gang chat-0 has not been scheduled yet",
  },
  "a parent below its minimum holds pods back": {
    given: { parents: [{ name: "chat-0-a", ready: 1, minAvailable: 2 }] },
    open: [],
    reason: "they start after chat-0-a, which has 1 of 2 pods ready",
  },
  "a parent with its minimum lets them go": {
    given: { parents: [{ name: "chat-0-a", ready: 2, minAvailable: 2 }] },
    open: ["a", "b"],
  },
  "a parent that does not exist holds pods back": {
    given: { parents: [{ name: "chat-0-a", ready: 0, minAvailable: undefined }] },
    open: [],
    reason: "they start after chat-0-a, which does not exist yet",
  },
  "under a gang scheduler of its own a startup order holds nobody back": {
    given: {
      clique: {
        ...clique,
        spec: { ...clique.spec, podSpec: { containers: [], schedulerName: "kai-scheduler" } },
      },
      parents: [{ name: "chat-0-a", ready: 0, minAvailable: 1 }],
    },
    open: ["a", "b"],
  },
};

test.each(Object.entries(cases))("GA6 %s", (_name, { given, open, reason }) => {
  const gates = gatesOf(observed(given));
  expect(gates.open.map(({ metadata }) => metadata.name)).toEqual(open);
  expect(gates.reason).toBe(reason);
  expect(gates.closed).toBe(2 - open.length);
});

test.each(Object.entries(cases))("GA6 at birth as later: %s", (_name, { given, open }) => {
  const uncreated = { ...observed(given), pods: [] };
  expect(["a", "b"].filter((name) => isCreatedUngated(uncreated, name))).toEqual(open);
});

test("GA6 what a gang lists is looked up once, not for every one of ten thousand pods", () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `p${at}`);
  const large = { ...observed({ gang: gang(names) }), pods: [] };
  expect(names.filter((name) => isCreatedUngated(large, name))).toHaveLength(10_000);
}, 3_000);

const base = (status: "True" | "False", isOnNodes: boolean) => ({
  name: "chat-0",
  isOnNodes,
  object: {
    metadata: { name: "chat-0" },
    spec: { podgroups: [] },
    status: { phase: "Pending" as const, conditions: [{ type: "Scheduled", status }] },
  },
});

test.each([
  { status: "True", isOnNodes: true, isScheduled: true, doubt: false },
  { status: "True", isOnNodes: false, isScheduled: false, doubt: true },
  { status: "False", isOnNodes: true, isScheduled: false, doubt: false },
  { status: "False", isOnNodes: false, isScheduled: false, doubt: false },
] as const)(
  "GA6 Scheduled=$status with a pod on a node $isOnNodes: scheduled $isScheduled, requeued $doubt",
  ({ status, isOnNodes, isScheduled, doubt }) => {
    expect(hasBeenScheduled(base(status, isOnNodes))).toBe(isScheduled);
    expect(isInDoubt(base(status, isOnNodes))).toBe(doubt);
  },
);
