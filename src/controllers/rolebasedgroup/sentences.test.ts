/** Every sentence that a RoleBasedGroup can say, in conditions and in events, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAgo } from "../../../test/builders/drawn-pods.ts";
import type { Given } from "../../../test/builders/drawn-group.ts";
import { observed, said } from "../../../test/builders/drawn-group.ts";
import {
  conditionLines,
  eventLines,
  sentencesOf,
  tooLargeLines,
} from "../../../test/builders/sentences.ts";
import type { RoleBasedGroupStatus } from "../../api/rbg/rolebasedgroup.ts";
import { groupEvents } from "./events.ts";
import type { OwnRollout } from "./role-workload.ts";
import { nothingThere } from "./role-workload.ts";
import { groupTooLarge } from "./size.ts";
import { rejectedStatus } from "./status.ts";

const moving = (seconds: number): RoleBasedGroupStatus => ({
  conditions: [{ type: "Progressing", status: "True", lastTransitionTime: drawnAgo(seconds) }],
});
const skew = { maxSkew: "25%", maxUnavailable: "50%" };
/** A role under Deployment, and what is said of that. */
const ownPace = (stand: OwnRollout["stand"], text: string, templateRevision = "v2") => {
  const message = `Deployment chat-prefill: ${text}`;
  return [
    "v2 v2",
    { cursor: undefined, templateRevision, ownRollout: { stand, message } },
  ] as const;
};
const refusal = (isFinal: boolean) => ({
  refusal: {
    isFinal,
    message: 'statefulsets.apps "chat-decode" is forbidden: exceeded quota: gpus',
  },
});
const steps = (pause: object) => ({
  steps: [
    { roles: { prefill: "50%", decode: "50%" }, pause },
    { roles: { prefill: "100%", decode: "100%" } },
  ],
});

const states: Readonly<Record<string, readonly [Given, shown: string]>> = {
  "both roles serve": [{ pods: { prefill: "v2 v2", decode: "v2" } }, ""],
  "one role serves": [{ pods: { prefill: "v2 v2" } }, "Ready"],
  "a pod beyond what is asked for does not start": [
    { pods: { prefill: "v1 v1 v2!" }, sizes: { prefill: 2 } },
    "Ready",
  ],
  "roles on their own start": [
    { pods: { prefill: ["- -", nothingThere], decode: ["-", nothingThere] } },
    "Ready Available Progressing",
  ],
  "a role waits for another": [
    {
      pods: { prefill: "v2. v2", decode: ["-", nothingThere] },
      waiting: new Map([["decode", ["prefill"]]]),
    },
    "Progressing",
  ],
  "a role waits for two others": [
    {
      pods: { prefill: "v2. v2", decode: ["-", nothingThere] },
      waiting: new Map([["decode", ["router", "prefill"]]]),
    },
    "Progressing",
  ],
  "a role waits for another that is started": [
    { pods: { decode: ["-", nothingThere] }, waiting: new Map([["decode", ["prefill"]]]) },
    "Progressing",
  ],
  "a role is not started for the deadline": [
    {
      pods: { decode: ["-", nothingThere] },
      waiting: new Map([["decode", ["prefill"]]]),
      status: moving(3_600),
    },
    "Progressing Stalled",
  ],
  "an old workload has to go first": [
    { pods: { prefill: "v2 v2", decode: ["v1", { isTerminating: true }] } },
    "Progressing",
  ],
  "roles move together": [
    {
      pods: { prefill: ["v1 v1 v1 v1", { cursor: 4 }], decode: ["v1 v1", { cursor: 2 }] },
      strategy: skew,
    },
    "Progressing",
  ],
  "a broken old pod goes ahead of healthy ones": [
    { pods: { prefill: ["v1! v1 v1 v2", { cursor: 3 }] } },
    "Progressing",
  ],
  "a broken old pod and the cursor move together": [
    {
      pods: { prefill: ["v1! v1! v1 v1", { cursor: 4 }], decode: ["v1 v1", { cursor: 2 }] },
      strategy: { maxUnavailable: 3 },
    },
    "Progressing",
  ],
  "the partition keeps a broken pod": [
    {
      pods: { prefill: ["v1! v1 v1 v1", { cursor: 4 }], decode: ["v1", { cursor: 1 }] },
      strategy: { ...skew, maxUnavailable: 1, partition: "25%" },
    },
    "Progressing Stalled",
  ],
  "another controller goes from the top only": [
    { pods: { prefill: ["v1! v1 v1", { cursor: 3, isTopDownOnly: true }] } },
    "Progressing Stalled",
  ],
  "another controller goes from the top only, and no time helps": [
    { pods: { prefill: ["v1i v1 v1", { cursor: 3, isTopDownOnly: true }] } },
    "Progressing Stalled",
  ],
  "the last pods are replaced": [
    { pods: { prefill: ["v1~ v1 v2. v2", { cursor: 0 }] } },
    "Progressing",
  ],
  "some pods do not exist yet": [
    { pods: { prefill: ["v2. - -", { cursor: 0 }] }, sizes: { prefill: 3 } },
    "Progressing",
  ],
  "a role fails, and its partner waits": [
    {
      pods: { prefill: ["v1 v1 v2 v2", { cursor: 2 }], decode: ["v1 v2!", { cursor: 1 }] },
      strategy: skew,
    },
    "Available Progressing Stalled",
  ],
  "nothing changes for the deadline": [
    {
      pods: { prefill: ["v1 v1 v2 v2", { cursor: 2 }], decode: ["v1 v2x", { cursor: 1 }] },
      strategy: { ...skew, progressDeadlineSeconds: 60 },
      status: moving(3_600),
    },
    "Progressing Stalled",
  ],
  "a template is not seen by its controller": [
    {
      pods: {
        prefill: ["v1 v1", { cursor: 2, isStatusCurrent: false }],
        decode: ["v1", { cursor: 1 }],
      },
      strategy: skew,
    },
    "Progressing",
  ],
  "it is paused": [
    {
      pods: { prefill: ["v1 v1", { cursor: 2 }], decode: "v2" },
      strategy: skew,
      annotations: { "lockstep.dev/paused": "true" },
    },
    "Progressing Stalled",
  ],
  "roles on their own are paused": [
    {
      pods: { prefill: ["v1 v1", { cursor: 2 }], decode: ["v1", { cursor: 1 }] },
      annotations: { "lockstep.dev/paused": "true" },
    },
    "Progressing",
  ],
  "a partition is reached": [
    {
      pods: { prefill: ["v1 v2", { cursor: 1 }], decode: ["v1 v2", { cursor: 1 }] },
      strategy: { partition: "50%" },
    },
    "Progressing",
  ],
  "a step waits for its seconds": [
    {
      pods: { prefill: ["v1 v2", { cursor: 1 }], decode: ["v1 v2", { cursor: 1 }] },
      strategy: steps({ seconds: 60 }),
    },
    "Progressing Stalled",
  ],
  "a step waits for a promotion": [
    {
      pods: { prefill: ["v1 v2", { cursor: 1 }], decode: ["v1 v2", { cursor: 1 }] },
      strategy: steps({}),
    },
    "Progressing Stalled",
  ],
  "a quota refuses a workload": [
    { pods: { prefill: "v2 v2", decode: ["-", nothingThere] }, observed: refusal(false) },
    "Progressing Stalled",
  ],
  "the server refuses a workload for good": [
    { pods: { prefill: "v2 v2", decode: ["-", nothingThere] }, observed: refusal(true) },
    "Progressing Stalled",
  ],
  "only a person can help": [
    {
      pods: {
        prefill: "v2 v2",
        decode: ["v2?", { needs: "batch 0 needs a node with 2 nvidia.com/gpu free" }],
      },
    },
    "Progressing Stalled",
  ],
  "roles grow in step": [
    {
      pods: { prefill: "v2 v2", decode: "v2" },
      wanted: { prefill: 8, decode: 4 },
      progression: "OrderReady",
    },
    "Progressing",
  ],
  "roles grow in step, one on nodes before the other": [
    {
      pods: { prefill: "v2 v2", decode: "v2?" },
      wanted: { prefill: 8, decode: 4 },
      progression: "OrderScheduled",
    },
    "Progressing",
  ],
  "roles grow in step, one ready before the other": [
    {
      pods: { prefill: "v2 v2.", decode: "v2." },
      wanted: { prefill: 8, decode: 4 },
      progression: "OrderReady",
    },
    "Progressing",
  ],
  "a Deployment has a pace of its own": [
    { pods: { prefill: ownPace("moving", "1 of 2 pods are updated"), decode: "v2" } },
    "Progressing",
  ],
  "a Deployment moves on for longer than the deadline": [
    { pods: { prefill: ownPace("moving", "1 of 2 pods are updated") }, status: moving(7_200) },
    "Progressing Stalled",
  ],
  "a Deployment is to have another template": [
    { pods: { prefill: ownPace("done", "all 2 pods are updated", "v1") } },
    "Progressing",
  ],
  "a Deployment is paused": [
    { pods: { prefill: ownPace("paused", "0 of 2 pods are updated") } },
    "Progressing Stalled",
  ],
  "a Deployment is past its own deadline": [
    { pods: { prefill: ownPace("late", "ReplicaSet chat-prefill-7f has timed out progressing") } },
    "Progressing Stalled",
  ],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given, shown]) => {
    const types = shown === "" ? [] : shown.split(" ");
    return conditionLines(said(given), ...types);
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

const refused: Readonly<Record<string, readonly [Given]>> = {
  "its spec is invalid": [
    { pods: { prefill: "v2" }, observed: { problems: ["spec.roles[0].name: must not be empty"] } },
  ],
  "it is too large": [{ pods: { prefill: "v2" }, sizes: { prefill: 1_000_000 } }],
};

test("what is refused says why", async () => {
  const text = await sentencesOf(refused, ([given]) => {
    const seen = observed(given);
    const problem = groupTooLarge(seen.spec);
    return problem === undefined ? conditionLines(rejectedStatus(seen)) : tooLargeLines(problem);
  });
  await expect(text).toMatchFileSnapshot("sentences-refused.txt");
});

const events: Readonly<Record<string, readonly [Given]>> = {
  "roles start together": [
    { pods: { prefill: ["-", nothingThere], decode: ["-", nothingThere] }, strategy: skew },
  ],
  "the second role starts once the first is ready": [
    { pods: { prefill: "v2 v2", decode: ["-", nothingThere] }, strategy: skew },
  ],
  "roles are to move to another revision": [
    {
      pods: {
        prefill: ["v1 v1", { templateRevision: "v1" }],
        decode: ["v1", { templateRevision: "v1" }],
      },
      strategy: skew,
      status: { coordinationState: [{ name: "pair", state: "Completed", revision: "before" }] },
    },
  ],
  "roles move together": [
    {
      pods: { prefill: ["v1 v1 v1 v1", { cursor: 4 }], decode: ["v1 v1", { cursor: 2 }] },
      strategy: skew,
    },
  ],
  "a role waits for another": [
    {
      pods: { prefill: "v2", decode: ["-", nothingThere] },
      strategy: skew,
      waiting: new Map([["decode", ["prefill"]]]),
    },
  ],
  "it is paused": [
    {
      pods: { prefill: ["v1 v1", { cursor: 2 }], decode: "v2" },
      strategy: skew,
      annotations: { "lockstep.dev/paused": "true" },
    },
  ],
  "a step waits for a promotion": [
    {
      pods: { prefill: ["v1 v2", { cursor: 1 }], decode: ["v1 v2", { cursor: 1 }] },
      strategy: steps({}),
    },
  ],
  "a role fails": [
    {
      pods: { prefill: ["v1 v1 v2 v2", { cursor: 2 }], decode: ["v1 v2!", { cursor: 1 }] },
      strategy: skew,
    },
  ],
  "a partition is reached": [
    {
      pods: { prefill: ["v1 v2", { cursor: 1 }], decode: ["v1 v2", { cursor: 1 }] },
      strategy: { partition: "50%" },
    },
  ],
  "everything is updated": [{ pods: { prefill: "v2", decode: "v2" }, strategy: skew }],
  "a role on its own is updated": [{ pods: { prefill: "v2" } }],
};

test("every event is true when it is emitted", async () => {
  const text = await sentencesOf(events, ([given]) => {
    const { group } = observed(given);
    return eventLines(groupEvents(group, said(given)));
  });
  await expect(text).toMatchFileSnapshot("sentences-events.txt");
});
