/** Every sentence that a PodClique can say, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAgo, drawnAtMs, drawnPods } from "../../../../test/builders/drawn-pods.ts";
import { podCliqueOf } from "../../../../test/builders/pod-clique-scenario.ts";
import { podCliqueSetOf } from "../../../../test/builders/pod-clique-set-scenario.ts";
import {
  conditionLines,
  eventLines,
  sentencesOf,
  tooLargeLines,
} from "../../../../test/builders/sentences.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique, PodCliqueSpec, PodCliqueStatus } from "../../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import { writesOf } from "../../engine/write.ts";
import { OwnerMemory } from "../../engine/per-owner.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import { surgeReleasedEvent } from "../update-condition.ts";
import { causesOf } from "./clique-conditions.ts";
import type { Observed } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { plan } from "./plan.ts";
import { podCliqueReconciler } from "./reconcile.ts";
import { cliqueStatus } from "./status.ts";

interface Given extends Partial<Omit<Observed, "pods" | "clique">> {
  /** By index, as `drawnPods` reads them; the clique itself is of v2. */
  readonly pods: string;
  readonly spec?: Partial<PodCliqueSpec>;
  readonly status?: PodCliqueStatus;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  /** What the server answered to the step. */
  readonly refusal?: string;
}

const gang: PodGang = {
  metadata: { name: "chat-0", namespace: "default" },
  spec: {
    podgroups: [
      {
        name: "chat-0-web",
        minReplicas: 2,
        podReferences: [0, 1, 2].map((index) => ({
          namespace: "default",
          name: `chat-0-web-${index}`,
        })),
      },
    ],
  },
};

function observed(given: Given): Observed {
  const { pods, spec, status, labels = {}, annotations, refusal: _refusal, ...more } = given;
  const drawn = podCliqueOf({
    labels: { [labelKeys.podTemplateHash]: "v2", ...labels },
    spec: { minAvailable: 2, ...spec },
  });
  const clique: PodClique = {
    ...drawn,
    metadata: {
      ...drawn.metadata,
      creationTimestamp: drawnAgo(7_200),
      ...(annotations === undefined ? {} : { annotations }),
    },
    ...(status === undefined ? {} : { status }),
  };
  return {
    nowMs: drawnAtMs,
    clique,
    set: undefined,
    pods: drawnPods("chat-0-web", pods).map((each) => ({ ...each, isLeftover: false })),
    orphans: [],
    gang,
    lack: undefined,
    baseGang: undefined,
    parents: [],
    revisions: [],
    ...more,
  };
}

function assessed(given: Given): { seen: Observed; planned: Plan; status: PodCliqueStatus } {
  const seen = observed(given);
  const planned = plan(seen);
  const known = given.status;
  return {
    seen,
    planned,
    status: cliqueStatus(seen, planned, { known, lastErrors: [], refusal: given.refusal }),
  };
}

const rolling = { updateStrategy: { type: "RollingRecreate", maxUnavailable: 1 } } as const;
const surging = {
  updateStrategy: { type: "RollingRecreate", maxUnavailable: 0, maxSurge: 1 },
} as const;
const member = { [labelKeys.scalingGroup]: "chat-0-pair" };
const condition = (type: string, status: "True" | "False", seconds = 3_600) => ({
  type,
  status,
  reason: "",
  message: "",
  lastTransitionTime: drawnAgo(seconds),
});
const started = { conditions: [condition("lockstep.dev/Started", "True")] };
const overdue = { conditions: [condition("Progressing", "True")] };
const updating: PodCliqueStatus = {
  currentPodTemplateHash: "v1",
  updateProgress: {
    updateStartedAt: drawnAgo(60),
    podTemplateHash: "v2",
    podCliqueSetGenerationHash: "",
  },
};
const released: PodCliqueStatus = {
  ...updating,
  updateProgress: { ...updating.updateProgress, surgeReleased: true } as never,
};
const plainSet = podCliqueSetOf({ cliques: { web: {} } });
const goingBack: PodCliqueSet = {
  ...plainSet,
  spec: { ...plainSet.spec, updateStrategy: { type: "RollingRecreate", onStuck: "Rollback" } },
  status: {
    currentRevision: "chat-v1",
    updateRevision: "chat-v2",
    updateProgress: { updateStartedAt: drawnAgo(3_600) },
  },
};
const quota = 'pods "chat-0-web-2" is forbidden: exceeded quota: gpus';
const scheduled = "PodCliqueScheduled";
const breached = "MinAvailableBreached";

const states: Readonly<Record<string, readonly [Given, shown: string]>> = {
  "every pod serves": [{ pods: "v2 v2 v2", status: started }, ""],
  "its first pods start": [
    { pods: "v2. v2. v2.", spec: rolling },
    "UpdateInProgress Available Progressing Stalled",
  ],
  "a single pod serves": [
    { pods: "v2", spec: { replicas: 1, minAvailable: 1 } },
    `${scheduled} ${breached}`,
  ],
  "the scheduler finds no node": [{ pods: "v2 v2 v2?" }, `${scheduled} Available Progressing`],
  "too few are on nodes at the first start": [{ pods: "v2 v2? v2?" }, breached],
  "too few are on nodes after a loss": [{ pods: "v2 v2? v2?", status: started }, breached],
  "pods that served crash": [{ pods: "v2 v2x v2x" }, `${breached} Available Progressing`],
  "an image cannot be pulled": [
    { pods: "v1 v1 v2!", spec: rolling, status: updating },
    `UpdateInProgress ${breached} Available Progressing`,
  ],
  "a quota refuses a pod": [{ pods: "v2 v2", refusal: quota }, "Progressing Stalled"],
  "a quota refuses the only pod": [
    {
      pods: "",
      spec: { replicas: 1, minAvailable: 1 },
      refusal: quota.replace("web-2", "web-0"),
    },
    "Available Progressing",
  ],
  "the deletion of a pod is refused": [
    { pods: "v1 v1 v1", spec: rolling, refusal: 'pods "chat-0-web-0" is forbidden: not today' },
    "Progressing",
  ],
  "a quota refuses a pod for the deadline": [
    { pods: "v2. v2.", refusal: quota, status: overdue },
    "Progressing Stalled",
  ],
  "a container restarted": [{ pods: "v2 v2 v2r" }, "Progressing"],
  "a node does not answer": [{ pods: "v2 v2 v2/" }, "Progressing"],
  "the scheduler does not say why": [{ pods: "v2 v2 v2u" }, "Progressing"],
  "a pod ended": [{ pods: "v2 v2 v2#" }, "Progressing"],
  "it is scaled below its minimum": [
    { pods: "v2", spec: { replicas: 1 } },
    `${breached} ${scheduled}`,
  ],
  "its gang does not exist": [
    { pods: "v2^ v2^ v2^", gang: undefined },
    `${scheduled} Available Progressing`,
  ],
  "one pod is not in its gang": [{ pods: "v2 v2 v2 v2^", spec: { replicas: 4 } }, scheduled],
  "its base gang has no node": [
    { pods: "v2^ v2^ v2^", baseGang: { name: "chat-0", object: gang, isOnNodes: false } },
    scheduled,
  ],
  "its gang lacks what runs beside it": [
    {
      pods: "v2^ v2^ v2^",
      labels: { ...member, [labelKeys.scalingGroupReplicaIndex]: "0" },
      gang: {
        ...gang,
        spec: {
          podgroups: [
            ...gang.spec.podgroups,
            { name: "chat-0-pair-0-lead", minReplicas: 1, podReferences: [] },
          ],
        },
      },
    },
    scheduled,
  ],
  "it starts after a clique that is not there": [
    { pods: "v2^ v2^ v2^", parents: [{ name: "chat-0-front", ready: 0, minAvailable: undefined }] },
    scheduled,
  ],
  "it starts after a clique that starts": [
    { pods: "v2^ v2^ v2^", parents: [{ name: "chat-0-front", ready: 1, minAvailable: 2 }] },
    scheduled,
  ],
  "its gang does not fit": [
    { pods: "v2^ v2^ v2^", lack: "3 pods of chat-0-web need 1 nvidia.com/gpu each" },
    `${scheduled} Progressing`,
  ],
  "its set holds it in mid-update until its turn": [
    {
      pods: "v1 v2 v2",
      spec: { updateStrategy: { ...rolling.updateStrategy, paused: true } },
      set: podCliqueSetOf({ cliques: { web: {} } }),
      status: updating,
    },
    "Progressing",
  ],
  "it is paused": [
    { pods: "v1 v2 v2", spec: { updateStrategy: { ...rolling.updateStrategy, paused: true } } },
    "Progressing Stalled",
  ],
  "a partition keeps one pod": [
    {
      pods: "v1 v2 v2",
      spec: { updateStrategy: { ...rolling.updateStrategy, partition: 1 } },
      status: updating,
    },
    "Progressing UpdateInProgress",
  ],
  "one outdated pod waits to be deleted": [
    { pods: "v1 v2 v2", spec: { updateStrategy: { type: "OnDelete" } } },
    "Progressing",
  ],
  "outdated pods wait to be deleted": [
    { pods: "v1 v1 v2", spec: { updateStrategy: { type: "OnDelete" } } },
    "Progressing",
  ],
  "its only pod is outdated, and its owner replaces it": [
    { pods: "v1", spec: { replicas: 1, minAvailable: 1 }, labels: member },
    "Progressing",
  ],
  "its pods are outdated, and its owner replaces them": [
    { pods: "v1 v1 v2", labels: member },
    "Progressing",
  ],
  "its owner has created it, and it starts": [
    { pods: "v2 v2. v2.", labels: member },
    "Progressing Stalled",
  ],
  "its owner has created it, and it does not come up": [
    { pods: "v2. v2. v2.", labels: member, status: overdue },
    "Progressing Stalled",
  ],
  "the set has a newer revision": [
    {
      pods: "v2 v2 v2",
      annotations: { [revisionAnnotation]: "chat-a" },
      revisions: [
        { name: "chat-a", cliqueHashes: { web: "v2" }, hash: "a" },
        { name: "chat-b", cliqueHashes: { web: "v3" }, hash: "b" },
      ] as never,
    },
    "Progressing",
  ],
  "one pod waits for the turn of its clique": [
    {
      pods: "v2",
      spec: { replicas: 1, minAvailable: 1 },
      annotations: { [revisionAnnotation]: "chat-a" },
      revisions: [
        { name: "chat-a", cliqueHashes: { web: "v2" }, hash: "a" },
        { name: "chat-b", cliqueHashes: { web: "v3" }, hash: "b" },
      ] as never,
    },
    "Progressing",
  ],
  "its surge finds no node": [
    { pods: "v1 v1 v1 v2?", spec: surging, status: updating },
    "Progressing Available",
  ],
  "its surge was given up, and it moves again": [
    {
      pods: "v1 v1 v2.",
      spec: rolling,
      status: {
        ...released,
        conditions: [
          {
            ...condition("SurgeReleased", "True"),
            reason: "DoesNotFit",
            message: "gave up surge chat-0-web-3; chat-0-web-3: not scheduled: no room",
          },
        ],
      },
    },
    "Progressing SurgeReleased",
  ],
  "its surge was given up": [
    { pods: "v1 v1 v1 v2?", spec: surging, status: released },
    "SurgeReleased Progressing Stalled",
  ],
  "its surge was given up, and nothing moves": [
    {
      pods: "v1 v1 v1",
      spec: surging,
      status: {
        ...released,
        conditions: [
          {
            ...condition("SurgeReleased", "True"),
            reason: "DoesNotFit",
            message: "gave up surge chat-0-web-3; chat-0-web-3: not scheduled: no room",
          },
        ],
      },
    },
    "Progressing Stalled",
  ],
  "what was given up is over": [
    {
      pods: "v2 v2 v2",
      spec: surging,
      status: { ...started, conditions: [condition("SurgeReleased", "True")] },
    },
    "SurgeReleased",
  ],
  "nothing changes for the deadline, and its set goes back": [
    {
      pods: "v1 v1 v2!",
      spec: rolling,
      set: goingBack,
      status: {
        ...updating,
        ...overdue,
        updateProgress: { ...updating.updateProgress, updateStartedAt: drawnAgo(3_600) } as never,
      },
    },
    "Progressing Stalled",
  ],
  "a quota refuses a pod for the deadline, and its set goes back": [
    { pods: "v2. v2.", refusal: quota, status: overdue, set: goingBack },
    "Progressing Stalled",
  ],
  "nothing changes for the deadline": [
    {
      pods: "v1 v1 v2!",
      spec: rolling,
      status: {
        ...updating,
        ...overdue,
        updateProgress: { ...updating.updateProgress, updateStartedAt: drawnAgo(3_600) } as never,
      },
    },
    "Progressing Stalled UpdateInProgress",
  ],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given, shown]) => {
    const types = shown === "" ? [] : shown.split(" ");
    return conditionLines(assessed(given).status, ...types);
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

const failures: Readonly<Record<string, readonly [Given, failure: string]>> = {
  "a quota refuses a pod": [{ pods: "v2 v2" }, quota],
  "a deletion is refused": [
    { pods: "v1 v1 v1", spec: rolling },
    "admission webhook denied the request",
  ],
};

const tools = { memory: new OwnerMemory() } as never;
const kind = podCliqueReconciler({} as never, tools, { claims: {} as never });

test("every failure is said with its cause", async () => {
  const text = await sentencesOf(failures, ([given, message]) => {
    const { seen, planned } = assessed(given);
    const event = kind.failureEvent?.(seen, planned, { cause: new Error(message), message });
    return eventLines([event]);
  });
  await expect(text).toMatchFileSnapshot("sentences-failures.txt");
});

test("event: a pod of nobody has the name of one of its pods", () => {
  const { seen, planned } = assessed({ pods: "v2 v2" });
  const create = writesOf(planned.phases).find(({ verb }) => verb === "create");
  const found = { metadata: { name: "chat-0-web-2", namespace: "default" } };
  const answer = create?.verb === "create" ? create.ifExists?.(found) : undefined;
  const { problem: message } = answer as { readonly problem: string };
  const event = kind.failureEvent?.(seen, planned, { cause: new Error(message), message });
  expect(eventLines([event])).toEqual([
    "Warning PodCreateFailed: creating chat-0-web-2, but that failed: pod default/chat-0-web-2 exists already " +
      "and is of no PodClique: delete it, or give the set another name",
  ]);
});

test("event: surge that does not start is given up, and no room would help", () => {
  const { planned } = assessed({ pods: "v1 v1 v1 v2!", spec: surging, status: released });
  expect(eventLines([surgeReleasedEvent(planned.decision, causesOf(planned))])).toEqual([
    "Warning SurgeReleased: gave up surge chat-0-web-3, which did not become available before the progress deadline; " +
      "chat-0-web-3: ImagePullBackOff: no such tag; undo it (lockstep undo), or change the template",
  ]);
});

test("event: surge is given up", () => {
  const { planned } = assessed({ pods: "v1 v1 v1 v2?", spec: surging, status: released });
  expect(eventLines([surgeReleasedEvent(planned.decision, causesOf(planned))])).toEqual([
    "Warning SurgeReleased: gave up surge chat-0-web-3, which did not fit before the progress deadline; " +
      "chat-0-web-3: not scheduled: 0/1 nodes are available: 8 Insufficient nvidia.com/gpu; " +
      "free capacity and restart the rollout (lockstep restart), or raise maxUnavailable",
  ]);
});

test("it asks for more pods than can be looked after", () => {
  const seen = observed({ pods: "", spec: { replicas: 30_000 } });
  expect(tooLargeLines(kind.tooLarge?.(seen), "Stalled")).toEqual([
    "Stalled=True TooLarge: spec.replicas asks for 30000 pods, at most 20000 are possible: " +
      "nothing is created, changed or deleted until that is lowered",
  ]);
});
