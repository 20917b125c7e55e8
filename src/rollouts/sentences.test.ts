/** Every sentence of `lockstep why`, each for a state in which it is true and helps. */
import { expect, test } from "vitest";
import { sentencesOf } from "../../test/builders/sentences.ts";
import type { KubeObject } from "../api/object.ts";
import { reportedState } from "./state.ts";
import type { NodeHealth, RolloutNode, RolloutView } from "./view.ts";
import { shownOnly } from "./view.ts";
import type { Explanation } from "./why.ts";
import { explain, explainPod } from "./why.ts";

const v1 = { name: "chat-v1", number: 1 };
const v2 = { name: "chat-v2", number: 2 };

const healths: Readonly<Record<string, NodeHealth>> = {
  "!": "broken",
  ".": "starting",
  "~": "terminating",
  "'": "ready",
};

/** `v1 v2! v2~`: marks as in the drawings of fleets; the cause belongs to those that do not serve. */
function podsOf(
  drawing: string,
  { cause, badImages = ["app"], container }: Pick<Given, "cause" | "badImages" | "container">,
): readonly RolloutNode[] {
  return drawing
    .split(" ")
    .filter(Boolean)
    .map((mark, ordinal) => {
      const health = healths[mark.slice(-1)] ?? "available";
      const isUpdated = mark.startsWith("v2");
      return {
        kind: "Pod",
        name: `chat-0-web-${ordinal}`,
        label: String(ordinal),
        ordinal,
        revision: isUpdated ? v2 : v1,
        isUpdated,
        health,
        ...(container === undefined ? {} : { container }),
        node: "node-1",
        children: [],
        ...(cause === undefined || health === "available" ? {} : { cause, badImages }),
      };
    });
}

interface Given extends Partial<RolloutView> {
  readonly pods?: string;
  readonly cause?: string;
  readonly badImages?: readonly string[];
  /** Of a pod of several, the container in trouble. */
  readonly container?: string;
  /** Whether its clique is a replica above the desired number. */
  readonly isSurge?: boolean;
}

function viewOf({
  pods = "v2 v2",
  cause,
  badImages,
  container,
  isSurge = false,
  ...given
}: Given): RolloutView {
  const counts = { unit: "pod", desired: 2, available: 2, updated: 2 };
  const children = podsOf(pods, { cause, badImages, container });
  const clique = {
    kind: "PodClique",
    name: "chat-0-web",
    label: "web",
    health: "partial",
  } as const;
  return {
    object: {
      apiVersion: "grove.io/v1alpha1",
      kind: "PodCliqueSet",
      word: "podcliqueset",
      namespace: "llm",
      name: "chat",
    },
    state: "Progressing",
    reason: { code: "BudgetSpent", message: "waiting for chat-0 (new) to become available" },
    strategy: "RollingRecreate",
    isPaused: false,
    current: v1,
    target: v2,
    changes: "web app image v1 -> v2",
    counts,
    progress: { unit: "pod", done: 1, total: 2 },
    nodes: [{ ...clique, isSurge, children }],
    events: [],
    notes: [],
    ...given,
  };
}

const linesOf = ({ doing, rule, freedBy, commands, notes }: Explanation): readonly string[] => [
  doing,
  `${rule.number} ${rule.title}`,
  `freed by ${freedBy}`,
  ...commands.map(({ command, does }) => `${command} (${does})`),
  ...notes,
];

const reason = (code: string, message: string): Pick<RolloutView, "reason"> => ({
  reason: { code, message },
});
const noOperator = {
  lease: "lockstep-system/lockstep",
  lastHolder: "lockstep-5f_1",
  ended: "expired",
  since: "2026-01-01T00:00:00Z",
  flags: "--controllers podcliqueset --statefulset-mode full",
} as const;

const stalled: Given = {
  state: "Stalled",
  pods: "v1 v2!",
  ...reason("ProgressDeadlineExceeded", "no progress since noon: waiting for chat-0 (new)"),
};

const rollouts: Readonly<Record<string, readonly [Given]>> = {
  "it has all that was asked for": [
    { state: "Healthy", current: v2, ...reason("RolledOut", "2 units available on chat-v2") },
  ],
  "it is done, and a setting has no effect": [
    {
      state: "Healthy",
      current: v2,
      notes: ["spec.partition has no effect"],
      ...reason("RolledOut", "2 units available on chat-v2"),
    },
  ],
  "a part has all that was asked for": [
    {
      state: "Healthy",
      current: v2,
      steeredBy: { word: "podcliqueset", name: "chat" },
      notes: ["it is a part of podcliqueset/chat, which steers it"],
      ...reason("RolledOut", "2 pods available on v2"),
    },
  ],
  "it waits for a new pod": [{ pods: "v1 v2." }],
  "it waits for nobody": [
    { pods: "v1 v1", ...reason("Replacing", "replacing chat-0 by chat-v2: 1 may be down") },
  ],
  "it waits for what a deleted clique leaves behind": [
    { pods: "v2 v2", ...reason("BudgetSpent", "waiting for chat-0-pair-0 (old) to terminate") },
  ],
  "it waits for an old pod to end": [
    { pods: "v1~ v2", ...reason("UnitTerminating", "waiting for chat-0 (old) to terminate") },
  ],
  "no operator is at work": [
    {
      pods: "v1 v2.",
      operator: noOperator,
      ...reason("NoOperator", "no operator has been at work since noon"),
    },
  ],
  "the lease of the operator is gone": [
    {
      pods: "v1 v1",
      missingLease: "lockstep-system/lockstep",
      ...reason("Replacing", "replacing"),
    },
  ],
  "it is paused, and no operator is at work": [
    {
      state: "Paused",
      pods: "v1 v2",
      operator: noOperator,
      ...reason("Paused", "paused with 1 outdated unit left"),
    },
  ],
  "no operator runs such a set": [
    {
      object: {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        word: "statefulset",
        namespace: "default",
        name: "web",
      },
      notes: [shownOnly],
      ...reason("NotObserved", "not observed yet: no status yet"),
    },
  ],
  "its deletion was requested, and no operator ends it": [
    {
      state: "Deleting",
      abandoned: "NoOperator",
      ...reason("Deleting", "its deletion was requested, and nobody ends it: held by grove.io/x"),
    },
  ],
  "its deletion was requested, and its definitions are gone": [
    {
      state: "Deleting",
      abandoned: "NoDefinitions",
      ...reason("Deleting", "its deletion was requested, and nobody ends it: held by grove.io/x"),
    },
  ],
  "an image cannot be pulled": [{ ...stalled, cause: "ImagePullBackOff: no such tag" }],
  "no image of two containers can be pulled": [
    { ...stalled, cause: "ImagePullBackOff: no such tag", badImages: ["weights", "app"] },
  ],
  "a broken pod of the revision before goes in its turn": [{ pods: "v1! v2." }],
  "a quota refuses its pods": [
    {
      pods: "v1 v1",
      ...reason(
        "Creating",
        "creating chat-0-web-1; chat-0-web-1: not created: exceeded quota: gpus, requested: pods=1, used: pods=2",
      ),
    },
  ],
  "a policy refuses its pods": [
    {
      ...stalled,
      pods: "v1 v1",
      ...reason(
        "Creating",
        'creating chat-0-web-1; chat-0-web-1: not created: violates PodSecurity "baseline"',
      ),
    },
  ],
  "a clique is scaled below its minimum": [
    {
      ...reason(
        "UnitNotAvailable",
        "waiting for chat-0 (new) to become available; chat-0-web is scaled to 1, below its minimum of 2",
      ),
    },
  ],
  "its gang does not fit": [
    {
      pods: "v2. v2.",
      cause: "held back: their gang chat-0 does not fit: 9 pods need 36 nvidia.com/gpu",
      ...reason("GangDoesNotFit", "waiting for chat-0 (new) to become available"),
    },
  ],
  "a part gave its surge up": [
    {
      ...stalled,
      pods: "v1 v1",
      released: [
        "chat-0-web: gave up surge chat-0-web-2, which did not fit before the progress deadline",
      ],
      ...reason(
        "ProgressDeadlineExceeded",
        "no progress since noon: waiting for chat-0 (updating) to be complete; chat-0-web: 2 outdated pods remain, " +
          "but no pod may be down and the surge was released because it did not become available: fix what kept it",
      ),
    },
  ],
  "a container crashes": [{ ...stalled, cause: "CrashLoopBackOff: back-off 10s" }],
  "one of several containers crashes": [
    { ...stalled, cause: "CrashLoopBackOff: back-off 10s", container: "proxy" },
  ],
  "a part that was created on the target crashes": [
    {
      ...stalled,
      current: v2,
      changes: "",
      cause: "CrashLoopBackOff: back-off 10s",
      steeredBy: { word: "podcliqueset", name: "chat", current: v1 },
    },
  ],
  "a pod ended": [{ ...stalled, cause: "the pod ended as Failed (Evicted: low on memory)" }],
  "a new pod finds no node": [
    { ...stalled, pods: "v1 v2.", cause: "not scheduled: 8 Insufficient nvidia.com/gpu" },
  ],
  "a first pod finds no node": [
    {
      pods: "v2.",
      current: v2,
      cause: "not scheduled: 8 Insufficient nvidia.com/gpu",
      ...reason("UnitNotAvailable", "waiting for chat-0 (new) to become available"),
    },
  ],
  "a container asks for what is not there": [
    { ...stalled, cause: 'CreateContainerConfigError: secret "key" not found' },
  ],
  "a pod is not ready, and nobody knows why": [{ ...stalled, pods: "v1 v2." }],
  "it stalls without a pod to wait for": [
    { ...stalled, pods: "v1 v1", ...reason("NeedsChange", "decode is refused") },
  ],
  "nothing may be down and nothing extra": [
    {
      ...stalled,
      pods: "v1 v1",
      ...reason("NoBudget", "2 outdated units remain, but no unit may be down"),
    },
  ],
  "surge that did not fit was given up": [
    {
      ...stalled,
      pods: "v1 v1",
      released: ["chat: gave up surge chat-1, which did not fit before the progress deadline"],
    },
  ],
  "surge that did not start was given up": [
    {
      ...stalled,
      pods: "v1 v1",
      released: [
        "chat: gave up surge chat-1, which did not become available before the progress deadline; " +
          "chat-1-web-0: ImagePullBackOff: no such tag",
      ],
    },
  ],
  "it is paused": [
    { state: "Paused", pods: "v1 v2", ...reason("Paused", "paused with 1 outdated unit left") },
  ],
  "a step waits for a promotion": [
    {
      state: "Paused",
      pods: "v1 v2",
      ...reason("AwaitingPromotion", "pair: step 1 of 2 is reached"),
    },
  ],
  "a partition is reached": [
    {
      state: "AtPartition",
      pods: "v1 v2",
      ...reason("AtPartition", "web 1 of 2 updated, partition 1"),
    },
  ],
  "a partition is reached, and it is paused": [
    {
      state: "AtPartition",
      isPaused: true,
      pods: "v1 v2",
      notes: ["it is paused: what is changed now waits for a resume"],
      ...reason("AtPartition", "web 1 of 2 updated, partition 1"),
    },
  ],
  "outdated pods wait to be deleted": [
    {
      state: "AwaitingDelete",
      pods: "v1 v2",
      ...reason("OutdatedLeftToDelete", "1 outdated unit remains until you delete it"),
    },
  ],
  "a part waits for its turn": [
    { state: "AwaitingTurn", pods: "v1 v1", ...reason("AwaitingTurn", "2 of 2 pods are outdated") },
  ],
  "a part waits for its turn in a set that rests at a partition": [
    {
      state: "AwaitingTurn",
      pods: "v1 v1",
      ...reason("AwaitingTurn", "2 of 2 pods are outdated"),
      steeredBy: { word: "podcliqueset", name: "chat", state: "AtPartition" },
    },
  ],
  "a part waits for its turn in a set that is paused": [
    {
      state: "AwaitingTurn",
      pods: "v1 v1",
      ...reason("AwaitingTurn", "2 of 2 pods are outdated"),
      steeredBy: { word: "podcliqueset", name: "chat", state: "Paused" },
    },
  ],
  "a part waits for its turn in a set that is stuck": [
    {
      state: "AwaitingTurn",
      pods: "v1 v1",
      ...reason("AwaitingTurn", "2 of 2 pods are outdated"),
      steeredBy: { word: "podcliqueset", name: "chat", state: "Stalled" },
    },
  ],
  "an outdated pod of a role crashes, and its group is paused": [
    {
      ...stalled,
      pods: "v1! v2",
      cause: "CrashLoopBackOff: back-off 10s",
      steeredBy: { word: "rolebasedgroup", name: "chat", state: "Paused" },
    },
  ],
  "a role is at the partition of a step that waits for a promotion": [
    {
      state: "AtPartition",
      pods: "v1 v2",
      ...reason("AtPartition", "partition 1 keeps 1 pod on another revision"),
      steeredBy: {
        word: "rolebasedgroup",
        name: "chat",
        state: "Paused",
        code: "AwaitingPromotion",
      },
    },
  ],
  "a part is at a partition of its own while its set goes on": [
    {
      state: "AtPartition",
      pods: "v1 v2",
      ...reason("AtPartition", "1 of 2 updated, partition 1"),
      steeredBy: { word: "podcliqueset", name: "chat", state: "Progressing" },
    },
  ],
  "a role is at the partition that its group moves": [
    {
      state: "AtPartition",
      pods: "v1 v2",
      ...reason("AtPartition", "partition 1 keeps 1 pod on another revision"),
      steeredBy: { word: "rolebasedgroup", name: "chat", state: "Progressing" },
    },
  ],
  "its spec is rejected": [
    {
      state: "Rejected",
      ...reason("SpecRejected", "nothing is created until this is corrected: spec.replicas"),
    },
  ],
  "no operator has seen it": [
    {
      pods: "",
      ...reason("NotObserved", "the controller has not reported on generation 2: no status yet"),
    },
  ],
  "a new part has pods and no status yet": [
    {
      pods: "v2.",
      ...reason("NotObserved", "the controller has not reported on generation 1: no status yet"),
    },
  ],
  "it is being deleted": [
    {
      state: "Deleting",
      pods: "v2~",
      ...reason("Deleting", "its deletion was requested, and what it owns goes with it"),
    },
  ],
};

test("why a rollout is where it is", async () => {
  const text = await sentencesOf(rollouts, ([given]) => {
    return linesOf(explain(viewOf(given)));
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

const pods: Readonly<Record<string, readonly [Given]>> = {
  "it serves": [
    {
      state: "Healthy",
      pods: "v2",
      current: v2,
      ...reason("RolledOut", "1 unit available on chat-v2"),
    },
  ],
  "it was created in place of an old one": [{ pods: "v2." }],
  "it is a part of surge": [{ pods: "v2.", isSurge: true }],
  "it gives way": [{ pods: "v1~" }],
  "it gives way, and is held": [{ pods: "v1~ v2", cause: "held by example.com/hook" }],
  "it is scaled in": [{ pods: "v2~" }],
  "it is outdated, and others are down": [{ pods: "v1" }],
  "it is outdated, and the rollout is paused": [
    {
      pods: "v1",
      isPaused: true,
      state: "Paused",
      ...reason("Paused", "paused with 1 outdated unit left"),
    },
  ],
  "a partition keeps it": [
    {
      pods: "v1",
      state: "AtPartition",
      ...reason("AtPartition", "web 1 of 2 updated, partition 1"),
    },
  ],
  "it waits for the promotion of a step": [
    {
      pods: "v1",
      state: "Paused",
      ...reason("AwaitingPromotion", "pair: step 1 of 2 is reached: waiting to be promoted"),
    },
  ],
  "it waits to be deleted": [
    {
      pods: "v1",
      state: "AwaitingDelete",
      ...reason("OutdatedLeftToDelete", "1 outdated unit remains until you delete it"),
    },
  ],
  "it crashes": [{ pods: "v2!", cause: "CrashLoopBackOff: back-off 10s" }],
  "it serves, and its neighbour crashes": [
    {
      pods: "v2 v2!",
      cause: "CrashLoopBackOff: back-off 10s",
      ...reason(
        "SurgeNotAvailable",
        "waiting for chat-1 (surge) to become available; chat-0-web-1: CrashLoopBackOff: back-off 10s",
      ),
    },
  ],
  "it serves, and its neighbour crashes for too long": [
    {
      ...stalled,
      pods: "v2 v2!",
      cause: "CrashLoopBackOff: back-off 10s",
      ...reason(
        "ProgressDeadlineExceeded",
        "no progress since noon: waiting for chat-0 (new); chat-0-web-1: CrashLoopBackOff: back-off 10s",
      ),
    },
  ],
  "it serves, and what it belongs to is stuck elsewhere": [
    {
      ...stalled,
      pods: "v2",
      nodes: podsOf("v2 v2!", { cause: "CrashLoopBackOff: back-off 10s" }),
    },
  ],
  "it starts, and what it belongs to is stuck": [{ ...stalled, pods: "v2." }],
  "it is held back for a base gang that nobody shows": [
    {
      pods: "v2.",
      cause: "held back: the base gang chat-0 has not been scheduled yet",
    },
  ],
};

test("GA6 a pod that is held back for its base gang waits for what keeps that one", () => {
  const view = viewOf({ pods: "v2. v2.", cause: "held back: their gang chat-0 does not fit: 9" });
  const [pod, base] = view.nodes[0]?.children ?? [];
  if (pod === undefined || base === undefined) throw new Error("no pods");
  const held = { ...pod, cause: "held back: the base gang chat-0 has not been scheduled yet" };
  const nodes = view.nodes.map((node) => ({ ...node, children: [held, base] }));
  const { freedBy, commands } = explainPod({ ...view, nodes }, held);
  expect(freedBy).toBe("a node with room for it, or a revision that asks for less");
  expect(commands).toEqual(explain(view).commands);
});

test("why a pod is as it is", async () => {
  const text = await sentencesOf(pods, ([given]) => {
    const view = viewOf(given);
    const [pod = view.nodes[0]] = view.nodes[0]?.children ?? [];
    if (pod === undefined) throw new Error("no pod");
    return linesOf(explainPod(view, pod));
  });
  await expect(text).toMatchFileSnapshot("sentences-of-pods.txt");
});

test("a quota has a name that no shell obeys, or it is none: commands are copied into shells", () => {
  const message = "chat-0-web-1: not created: exceeded quota: $(id), requested: pods=1";
  const lines = linesOf(explain(viewOf({ pods: "v1 v1", ...reason("Creating", message) })));
  expect(lines.join("\n")).toContain("kubectl edit podcliqueset/chat");
  expect(lines.join("\n")).not.toContain("quota $(id)");
});

test("what a node says its containers are called is quoted", () => {
  const view = viewOf({ ...stalled, cause: "ImagePullBackOff: no such tag" });
  const nodes = view.nodes.map((clique) => ({
    ...clique,
    children: clique.children.map((pod) => ({ ...pod, badImages: ["$(id)"] })),
  }));
  expect(linesOf(explain({ ...view, nodes })).join("\n")).toContain("'web/$(id)=IMAGE'");
});

test("a pod is stuck since its rollout is, however long it has been broken", () => {
  const view = viewOf({ state: "Stalled", since: "2026-01-01T00:10:00Z" });
  const [broken] = podsOf("v2!", { cause: "CrashLoopBackOff: back-off 10s" });
  if (broken === undefined) throw new Error("no pod");
  const pod = { ...broken, since: "2026-01-01T00:00:00Z" };
  const { state, since, waitsFor } = explainPod(view, pod);
  expect([state, since, waitsFor[0]?.since]).toEqual(["Stalled", view.since, pod.since]);
  const moving = explainPod(viewOf({ since: "2026-01-01T00:10:00Z" }), pod);
  expect([moving.state, moving.since]).toEqual(["Progressing", pod.since]);
});

const unreported: Readonly<
  Record<string, readonly [metadata: KubeObject["metadata"], status: object]>
> = {
  "no operator runs": [{ generation: 1 }, {}],
  "a later generation": [{ generation: 3 }, { observedGeneration: 2 }],
  deleted: [{ deletionTimestamp: "2026-01-01T00:00:00Z" }, {}],
  "deleted, and held": [
    { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["grove.io/podclique"] },
    {},
  ],
};

test("what no condition says", async () => {
  const text = await sentencesOf(unreported, ([metadata, status]) => {
    return [reportedState({ metadata }, status)?.reason.message ?? ""];
  });
  await expect(text).toMatchFileSnapshot("sentences-unreported.txt");
});
