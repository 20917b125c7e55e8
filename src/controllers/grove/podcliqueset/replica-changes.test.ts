import { expect, test } from "vitest";
import { withDefaults } from "../../../api/grove/defaults.ts";
import { finalizers, labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueSet, PodCliqueSetUpdateProgress } from "../../../api/grove/podcliqueset.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import type { UpdateStrategyType } from "../../../api/grove/update-strategy.ts";
import type { Pod } from "../../../api/pod.ts";
import type { SetRevision } from "../set-revisions.ts";
import { buildScalingGroup, buildStandalone } from "./components.ts";
import { assessReplicas } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import type { ReplicaAction } from "./plan.ts";
import { nothingOf } from "./replica-objects.ts";
import type { PlannedReplica } from "./replica-changes.ts";
import {
  mustAskForOldPods,
  cliquesToFinalize,
  deletionWaves,
  groupChanges,
  hasOutdated,
  missingCliques,
  ownRevision,
  updatedCliques,
  podsWithoutClique,
  obsoleteToDelete,
} from "./replica-changes.ts";

const revision = (image: string, number: number): SetRevision => ({
  name: `chat-${image}`,
  number,
  hash: image,
  cliqueHashes: { front: `front-${image}`, back: `back-${image}`, work: `work-${image}` },
  cliques: ["front", "back", "work"].map((name) => ({
    name,
    spec: { podSpec: { containers: [{ name: "app", image }] } },
  })),
  object: { metadata: {}, revision: number },
});
const v1 = revision("v1", 1);
const v2 = revision("v2", 2);

const setOf = (type: UpdateStrategyType): PodCliqueSet => ({
  apiVersion: "grove.io/v1alpha1",
  kind: "PodCliqueSet",
  metadata: { name: "chat", namespace: "default", uid: "set" },
  spec: {
    replicas: 1,
    updateStrategy: { type },
    template: {
      cliques: v2.cliques.map(({ name, spec }) => ({
        name,
        spec: { roleName: name, replicas: 1, ...spec },
      })),
      podCliqueScalingGroups: [{ name: "decode", cliqueNames: ["work"], replicas: 2 }],
    },
  },
});

interface Given {
  readonly strategy?: UpdateStrategyType;
  readonly cliques?: readonly PodClique[];
  readonly groups?: readonly PodCliqueScalingGroup[];
  readonly pods?: readonly Pod[];
}

function observedOf({ strategy = "RollingRecreate", ...parts }: Given = {}): Observed {
  const set = setOf(strategy);
  return {
    nowMs: 0,
    set,
    name: "chat",
    namespace: "default",
    spec: withDefaults(set.spec),
    replicas: new Map([[0, { ...nothingOf("chat", 0), ...parts }]]),
    revisions: [v1, v2],
    orphanedRevisions: [],
    topologies: [],
  };
}

function planned(given: Given, action: ReplicaAction, of: SetRevision): [Observed, PlannedReplica] {
  const observed = observedOf(given);
  const [replica] = assessReplicas(observed, v2);
  return [observed, { index: 0, action, replica, revision: of }];
}

const clique = (name: string, of: SetRevision): PodClique => {
  const built = buildStandalone(observedOf(), 0, name, of);
  return { ...built, metadata: { ...built.metadata, uid: name } };
};
const going = <T extends PodClique | PodCliqueScalingGroup>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" },
});
const group = (of: SetRevision): PodCliqueScalingGroup => {
  const observed = observedOf();
  return buildScalingGroup(observed, 0, observed.spec.template.podCliqueScalingGroups[0]!, of);
};
const pod = (of: PodClique, uid: string, hash: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `${of.metadata.name}-0`,
    labels: { [labelKeys.podClique]: of.metadata.name!, [labelKeys.podTemplateHash]: hash },
    ownerReferences: [
      { apiVersion: "grove.io/v1alpha1", kind: "PodClique", name: "", uid, controller: true },
    ],
  },
  spec: { containers: [] },
});

const namesOf = (objects: readonly { metadata: { name?: string } }[]) =>
  objects.map(({ metadata }) => metadata.name);

const owners: Record<string, { given: Given; startsFrom?: string; want: SetRevision }> = {
  "what one component was made from, where the others are on the target": {
    given: { cliques: [clique("front", v2), clique("back", v1)], groups: [group(v2)] },
    want: v1,
  },
  "what its scaling group was made from": {
    given: { cliques: [clique("front", v2)], groups: [group(v1)] },
    want: v1,
  },
  "the target where everything is on it": { given: { groups: [group(v2)] }, want: v2 },
  "the revision it is startsFrom from where nothing is left of it": {
    given: {},
    startsFrom: v1.name,
    want: v1,
  },
  "the target where its own revision is forgotten": {
    given: { groups: [group(revision("v0", 0))] },
    want: v2,
  },
};

test.each(Object.entries(owners))(
  "a replica that stays is of %s",
  (_case, { given, startsFrom, want }) => {
    const [observed, { replica }] = planned(given, "keep", v2);
    expect(ownRevision(observed, { replica, startsFrom }, v2)).toBe(want);
  },
);

const changesOfGroups: Record<string, { given: Given; action: ReplicaAction; want: string[] }> = {
  "one that is missing is made": { given: {}, action: "move", want: ["create chat-v2"] },
  "one that goes is left alone": {
    given: { groups: [going(group(v1))] },
    action: "move",
    want: [],
  },
  "one on its way elsewhere is redirected": {
    given: { groups: [group(v1)] },
    action: "move",
    want: ["update chat-v2"],
  },
  "one that knows the target is not written": {
    given: { groups: [group(v2)] },
    action: "move",
    want: [],
  },
  "one of a replica that stays does not get the target": {
    given: { groups: [group(v1)] },
    action: "keep",
    want: [],
  },
};

test.each(Object.entries(changesOfGroups))(
  "scaling groups: %s",
  (_case, { given, action, want }) => {
    const changes = groupChanges(...planned(given, action, v2)).map(
      ({ verb, object }) => `${verb} ${object.metadata.annotations?.["lockstep.dev/revision"]}`,
    );
    expect(changes).toEqual(want);
  },
);

const changedCliques: Record<string, { given: Given; action: ReplicaAction; want: string[] }> = {
  "those of another revision get the target's template": {
    given: { cliques: [clique("front", v1), clique("back", v2)] },
    action: "move",
    want: ["chat-0-front"],
  },
  "those that go hear nothing more": {
    given: { cliques: [going(clique("front", v1))] },
    action: "move",
    want: [],
  },
  "those that are deleted with their replica keep their template": {
    given: { cliques: [clique("front", v1)] },
    action: "recreate",
    want: [],
  },
  "those that the target leaves as they are hear of it once the rest is gone": {
    given: { cliques: [clique("front", { ...v1, cliqueHashes: v2.cliqueHashes })] },
    action: "recreate",
    want: ["chat-0-front"],
  },
  "those that stay and do not move hear nothing": {
    given: { cliques: [clique("front", v1)] },
    action: "keep",
    want: [],
  },
  "those that stay but were moving are paused": {
    given: {
      cliques: [clique("front", v2)],
      pods: [pod(clique("front", v2), "front", "front-v1")],
    },
    action: "keep",
    want: ["chat-0-front"],
  },
};

test.each(Object.entries(changedCliques))("cliques: %s", (_case, { given, action, want }) => {
  expect(namesOf(updatedCliques(...planned(given, action, v2)))).toEqual(want);
});

const missing: Record<string, { given: Given; want: string[] }> = {
  "all of a new replica, but no member of a scaling group": {
    given: {},
    want: ["chat-0-front", "chat-0-back"],
  },
  "not what is there or still going": {
    given: { cliques: [clique("front", v2), going(clique("back", v2))] },
    want: [],
  },
  "not where a pod of an earlier incarnation holds the place": {
    given: { pods: [pod(clique("front", v2), "earlier", "front-v2")] },
    want: ["chat-0-back"],
  },
  "beside others of another revision": {
    given: { cliques: [clique("front", v1)] },
    want: ["chat-0-back"],
  },
  "under ReplicaRecreate nothing while a clique of another revision is left": {
    given: { strategy: "ReplicaRecreate", cliques: [going(clique("front", v1))] },
    want: [],
  },
  "under ReplicaRecreate nothing while a pod of another revision is left": {
    given: {
      strategy: "ReplicaRecreate",
      cliques: [clique("front", v2)],
      pods: [pod(clique("back", v1), "earlier", "back-v1")],
    },
    want: [],
  },
  "under ReplicaRecreate the rest once only the target is left": {
    given: { strategy: "ReplicaRecreate", cliques: [clique("front", v2)] },
    want: ["chat-0-back"],
  },
};

test.each(Object.entries(missing))("made anew: %s", (_case, { given, want }) => {
  expect(namesOf(missingCliques(...planned(given, "move", v2)))).toEqual(want);
});

const began = { updateStartedAt: "2030-01-01T00:00:00Z" };
const ended = { ...began, updateEndedAt: "2030-01-01T00:01:00Z" };
const bothOn = (of: SetRevision): PodClique[] => [clique("front", of), clique("back", of)];

interface Asked {
  readonly given: Given;
  readonly progress?: PodCliqueSetUpdateProgress;
  /** What the set was rolled out to last; undefined before the first time. */
  readonly before?: string;
  readonly want: boolean;
}

const questions: Record<string, Asked> = {
  "nothing where another strategy lets revisions meet": {
    given: { strategy: "RollingRecreate" },
    progress: began,
    want: false,
  },
  "nothing before the first update": { given: { strategy: "ReplicaRecreate" }, want: false },
  "nothing after an update": {
    given: { strategy: "ReplicaRecreate", cliques: [clique("front", v2)] },
    progress: ended,
    want: false,
  },
  "what is left in the reconcile that an update begins with": {
    given: { strategy: "ReplicaRecreate" },
    before: "v1",
    want: true,
  },
  "nothing while no clique is to be made": {
    given: { strategy: "ReplicaRecreate", cliques: bothOn(v2) },
    progress: began,
    want: false,
  },
  "what is left where nothing of the replica is there": {
    given: { strategy: "ReplicaRecreate" },
    progress: began,
    want: true,
  },
  "what is left where one clique is lacking": {
    given: { strategy: "ReplicaRecreate", cliques: [clique("front", v2)] },
    progress: began,
    want: true,
  },
  "what is left though a pod of an earlier clique still holds the place": {
    given: { strategy: "ReplicaRecreate", pods: [pod(clique("front", v1), "earlier", "front-v1")] },
    progress: began,
    want: true,
  },
  "nothing, and earlier answers are void, while an old clique is there": {
    given: { strategy: "ReplicaRecreate", cliques: [clique("front", v1)] },
    progress: began,
    want: false,
  },
  "nothing, and earlier answers are void, while an old clique goes": {
    given: { strategy: "ReplicaRecreate", cliques: [going(clique("front", v1)), ...bothOn(v2)] },
    progress: began,
    want: false,
  },
};

test.each(Object.entries(questions))(
  "PS14 the server is asked %s",
  (_case, { given, progress, before, want }) => {
    const [observed, replica] = planned(given, "recreate", v2);
    const { set } = observed;
    const status = {
      ...set.status,
      ...(before === undefined ? {} : { currentGenerationHash: before }),
      ...(progress === undefined ? {} : { updateProgress: progress }),
    };
    expect(mustAskForOldPods({ ...observed, set: { ...set, status } }, replica)).toBe(want);
  },
);

test("a replica is torn down for what stays of another revision, be it clique or pod", () => {
  const current = clique("front", v2);
  const outdated = clique("back", v1);
  const other = pod(current, "front", "front-v1");
  expect(hasOutdated({ cliques: [current, outdated], pods: [] }, v2)).toBe(true);
  expect(hasOutdated({ cliques: [current], pods: [other] }, v2)).toBe(true);
  expect(hasOutdated({ cliques: [current, going(outdated)], pods: [] }, v2)).toBe(false);
});

test("what is outdated is deleted after the rest", () => {
  const cliques = [clique("back", v1), clique("front", v2)];
  const waves = deletionWaves({ cliques }, v2).map(namesOf);
  expect(waves).toEqual([["chat-0-front"], ["chat-0-back"]]);
});

test("cliques without the finalizer get it beside those they have", () => {
  const theirs = clique("front", v1);
  const cliques = [
    { ...theirs, metadata: { ...theirs.metadata, finalizers: ["theirs"] } },
    going(clique("back", v1)),
  ];
  const [held, ...others] = cliquesToFinalize({ cliques });
  expect(held?.metadata.finalizers).toEqual(["theirs", finalizers.podClique]);
  expect(others).toEqual([]);
  expect(cliquesToFinalize({ cliques: [held!] })).toEqual([]);
});

test("pods whose clique is not there are nobody else's to delete", () => {
  const front = clique("front", v1);
  const pods = [pod(front, "front", "front-v1"), pod(front, "earlier", "front-v1")];
  expect(podsWithoutClique({ cliques: [front], pods })).toEqual([pods[1]]);
});

const { metadata, ...rest } = clique("front", v1);
const labels = { ...metadata.labels, [labelKeys.name]: "chat-0-gone" };
const other: PodClique = { ...rest, metadata: { ...metadata, name: "chat-0-gone", labels } };

test.each([
  ["keep", "RollingRecreate", 0],
  ["move", "RollingRecreate", 1],
  ["recreate", "ReplicaRecreate", 1],
  ["move", "OnDelete", 0],
] as const)(
  "PS17 what has no place in a replica that is to %s under %s: %i go",
  (action, strategy, want) => {
    const given = { strategy, cliques: [clique("front", v1), other] };
    const [observed, replica] = planned(given, action, v2);
    expect(obsoleteToDelete(observed, replica)).toHaveLength(want);
  },
);
