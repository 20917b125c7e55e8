/** Every sentence that a PodCliqueScalingGroup can say, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAgo, drawnAtMs, drawnPod } from "../../../../test/builders/drawn-pods.ts";
import { podCliqueOf } from "../../../../test/builders/pod-clique-scenario.ts";
import { podCliqueSetOf } from "../../../../test/builders/pod-clique-set-scenario.ts";
import {
  conditionLines,
  eventLines,
  sentencesOf,
  tooLargeLines,
} from "../../../../test/builders/sentences.ts";
import type { Condition } from "../../../api/apps.ts";
import { withDefaults } from "../../../api/grove/defaults.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { ScalingGroupStatus } from "../../../api/grove/scaling-group.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { ChildUpdateStrategy } from "../../../api/grove/update-strategy.ts";
import type { EventText } from "../../../runtime/event-recorder.ts";
import type { CliqueState } from "../clique-state.ts";
import { assessClique } from "../clique-state.ts";
import type { SetRevision } from "../set-revisions.ts";
import type { GroupReplica, Observed } from "./observe.ts";
import { plan } from "./plan.ts";
import { scalingGroupReconciler } from "./reconcile.ts";
import { groupStatus } from "./status.ts";

const set = podCliqueSetOf({ cliques: { web: {} }, groups: { pair: { cliques: ["web"] } } });

const revision = (name: string): SetRevision => ({
  name: `chat-${name}`,
  number: 1,
  hash: name,
  cliqueHashes: { web: name },
  cliques: [],
  object: { metadata: { name: `chat-${name}` }, revision: 1 },
});

/** A replica of one clique with one pod: marks as `drawnPod` reads them, `w` before one whose gang is breached. */
function replica(mark: string, index: number): GroupReplica {
  const name = `chat-0-pair-${index}-web`;
  const isBreached = mark.startsWith("w");
  const pod = drawnPod(`${name}-0`, 0, mark.replace("w", ""));
  const uid = `uid-${index}`;
  const drawn = podCliqueOf({ name, spec: { replicas: 1, minAvailable: 1 } });
  const hash = pod.metadata.labels?.[labelKeys.podTemplateHash] ?? "";
  const object = {
    ...drawn,
    metadata: { ...drawn.metadata, uid, labels: { [labelKeys.podTemplateHash]: hash } },
    status: { conditions: isBreached ? [conditionOf("MinAvailableBreached", "True")] : [] },
  };
  const owner = { apiVersion: "grove.io/v1alpha1", kind: "PodClique", name, uid, controller: true };
  const owned = { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
  const member: CliqueState = assessClique({
    clique: "web",
    object,
    pods: [owned],
    targetHash: "v2",
  });
  return { index, members: [member] };
}

const conditionOf = (type: string, status: "True" | "False", reason = ""): Condition => ({
  type,
  status,
  reason,
  message: "",
  lastTransitionTime: drawnAgo(3_600),
});

interface Given {
  /** By index; `-` is missing. */
  readonly replicas: string;
  readonly desired?: number;
  readonly minAvailable?: number;
  readonly strategy?: Partial<ChildUpdateStrategy>;
  readonly status?: ScalingGroupStatus;
  readonly newest?: SetRevision;
  /** Whether its set is paused by somebody. */
  readonly isSetPaused?: boolean;
  readonly set?: PodCliqueSet;
}

function observed({ replicas, desired = 2, minAvailable = 1, ...given }: Given): Observed {
  const updateStrategy = { type: "RollingRecreate", maxUnavailable: 1, ...given.strategy } as const;
  const drawn = replicas.split(" ").flatMap((mark, index) => {
    return mark === "-" ? [] : [replica(mark, index)];
  });
  return {
    nowMs: drawnAtMs,
    group: {
      metadata: { name: "chat-0-pair", namespace: "default", creationTimestamp: drawnAgo(7_200) },
      spec: { replicas: desired, minAvailable, cliqueNames: ["web"], updateStrategy },
      ...(given.status === undefined ? {} : { status: given.status }),
    },
    groupName: "pair",
    set:
      given.isSetPaused === true
        ? {
            ...set,
            spec: { ...set.spec, updateStrategy: { type: "RollingRecreate", paused: true } },
          }
        : (given.set ?? set),
    spec: withDefaults(set.spec),
    setReplica: 0,
    minAvailable,
    target: revision("v2"),
    newest: given.newest ?? revision("v2"),
    replicas: drawn,
    orphans: [],
    neighbours: [],
    revision: (name) => revision(name.replace("chat-", "")),
  };
}

const healthy = {
  currentPodCliqueSetGenerationHash: "v2",
  conditions: [conditionOf("MinAvailableBreached", "False")],
};
const updating: ScalingGroupStatus = {
  ...healthy,
  currentPodCliqueSetGenerationHash: "v1",
  updateProgress: { updateStartedAt: drawnAgo(60), podCliqueSetGenerationHash: "v2" },
};
const surge = { maxUnavailable: 0, maxSurge: 1 };
const gaveUp: Condition = {
  ...conditionOf("SurgeReleased", "True"),
  message:
    "gave up surge chat-0-pair-2; chat-0-pair-2-web-0: not scheduled: 0/1 nodes are available",
};
const breached = "MinAvailableBreached";
const terminating = "GangTerminationInProgress";

const states: Readonly<Record<string, readonly [Given, shown: string]>> = {
  "every replica serves": [{ replicas: "v2 v2", status: healthy }, ""],
  "it has never served": [
    { replicas: "v2. -" },
    `${breached} UpdateInProgress Available Progressing`,
  ],
  "one of one serves": [{ replicas: "v2", desired: 1, status: healthy }, `${breached} Available`],
  "a replica is lost": [
    { replicas: "v2 wv2x", minAvailable: 2, status: healthy },
    `${breached} Available Progressing`,
  ],
  "it is scaled below its minimum": [
    { replicas: "v2", desired: 1, minAvailable: 2, status: healthy },
    breached,
  ],
  "it is updated": [
    { replicas: "v1 v2!", status: updating },
    `${breached} UpdateInProgress Progressing`,
  ],
  "the first of two is updated": [{ replicas: "v1 v1", status: updating }, "Progressing"],
  "surge finds no node": [
    { replicas: "v1 v1 v2?", strategy: surge, status: updating },
    "Available Progressing",
  ],
  "surge was given up": [
    {
      replicas: "v1 v1 v2?",
      strategy: surge,
      status: {
        ...updating,
        updateProgress: { ...updating.updateProgress, surgeReleased: true } as never,
      },
    },
    "SurgeReleased Progressing",
  ],
  "surge that cannot start is given up": [
    {
      replicas: "v1 v1 v2!",
      strategy: surge,
      status: {
        ...updating,
        updateProgress: { ...updating.updateProgress, surgeReleased: true } as never,
      },
    },
    "SurgeReleased Progressing",
  ],
  "it is scaled in after surge was given up": [
    {
      replicas: "v1 v1",
      desired: 1,
      strategy: surge,
      status: {
        conditions: [gaveUp],
        updateProgress: { ...updating.updateProgress, surgeReleased: true } as never,
      },
    },
    "Progressing",
  ],
  "it is scaled out after an update": [
    {
      replicas: "v2 -",
      status: {
        ...healthy,
        conditions: [...healthy.conditions, conditionOf("UpdateInProgress", "False")],
        updateProgress: { ...updating.updateProgress, updateEndedAt: drawnAgo(30) } as never,
      },
    },
    `${breached} UpdateInProgress Progressing`,
  ],
  "what was given up is over": [
    {
      replicas: "v2 v2",
      strategy: surge,
      status: { ...healthy, conditions: [conditionOf("SurgeReleased", "True")] },
    },
    "SurgeReleased",
  ],
  "a partition keeps one replica": [
    { replicas: "v1 v2", strategy: { partition: 1 }, status: updating },
    "Progressing",
  ],
  "it is paused": [
    { replicas: "v1 v2", strategy: { paused: true }, isSetPaused: true, status: updating },
    "MinAvailableBreached Progressing Stalled",
  ],
  "its set holds it in mid-update until its turn": [
    { replicas: "v1 v2", strategy: { paused: true }, status: updating },
    "Progressing Stalled",
  ],
  "outdated replicas wait to be deleted": [
    { replicas: "v1 v2", strategy: { type: "OnDelete" }, status: updating },
    "Progressing",
  ],
  "its set replaces the whole replica": [
    { replicas: "v1 v1", strategy: { type: "ReplicaRecreate" }, status: updating },
    "Progressing Stalled",
  ],
  "its set has begun to delete the only one": [
    { replicas: "v1.", desired: 1, strategy: { type: "ReplicaRecreate" }, status: updating },
    "Progressing",
  ],
  "the set has a newer revision": [
    { replicas: "v2 v2", newest: revision("v3"), status: healthy },
    "Progressing",
  ],
  "its gang starts over, and is back": [
    {
      replicas: "v2 v2",
      minAvailable: 0,
      status: { ...healthy, conditions: [...healthy.conditions, conditionOf(terminating, "True")] },
    },
    terminating,
  ],
  "nothing changes for the deadline, and its set goes back": [
    {
      replicas: "v1 v2!",
      set: {
        ...set,
        spec: { ...set.spec, updateStrategy: { type: "RollingRecreate", onStuck: "Rollback" } },
        status: {
          currentRevision: "chat-v1",
          updateRevision: "chat-v2",
          updateProgress: { updateStartedAt: drawnAgo(3_600) },
        },
      },
      status: {
        ...updating,
        conditions: [conditionOf("Progressing", "True")],
        updateProgress: { ...updating.updateProgress, updateStartedAt: drawnAgo(3_600) } as never,
      },
    },
    "Progressing Stalled",
  ],
  "nothing changes for the deadline": [
    {
      replicas: "v1 v2!",
      status: {
        ...updating,
        conditions: [conditionOf("Progressing", "True")],
        updateProgress: { ...updating.updateProgress, updateStartedAt: drawnAgo(3_600) } as never,
      },
    },
    "Progressing Stalled",
  ],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given, shown]) => {
    const seen = observed(given);
    const types = shown === "" ? [] : shown.split(" ");
    return conditionLines(groupStatus(seen, plan(seen)), ...types);
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

const tools = { clock: {}, events: {} } as never;
const kind = scalingGroupReconciler({} as never, tools, {} as never);

test("event: a gang was broken for too long", () => {
  const recorded: EventText[] = [];
  const events = { record: (_about: unknown, event: EventText) => recorded.push(event) };
  const speaking = scalingGroupReconciler({} as never, { clock: {}, events } as never, {} as never);
  const seen = observed({ replicas: "v2 wv2x", status: healthy });
  speaking.emit?.(seen, { ...plan(seen), terminated: [1] }, groupStatus(seen, plan(seen)));
  expect(eventLines(recorded)).toEqual([
    "Warning PodCliqueScalingGroupReplicaDeleteSuccessful: replica 1 starts over: " +
      "it was below minAvailable for longer than terminationDelay",
  ]);
});

test("it asks for more pods than can be looked after", () => {
  const seen = observed({ replicas: "v2", desired: 30_000 });
  expect(tooLargeLines(kind.tooLarge?.(seen), "Stalled")).toEqual([
    "Stalled=True TooLarge: spec.replicas asks for 60000 cliques and pods, at most 20000 are possible: " +
      "nothing is created, changed or deleted until that is lowered",
  ]);
});
