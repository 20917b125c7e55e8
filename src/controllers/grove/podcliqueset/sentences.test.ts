/** Every sentence that a PodCliqueSet can say, in conditions and in events, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAgo, drawnAtMs, drawnPods } from "../../../../test/builders/drawn-pods.ts";
import { podCliqueOf } from "../../../../test/builders/pod-clique-scenario.ts";
import { podCliqueSetOf } from "../../../../test/builders/pod-clique-set-scenario.ts";
import { conditionLines, eventLines, sentencesOf } from "../../../../test/builders/sentences.ts";
import type { ClusterTopologyBinding } from "../../../api/grove/cluster-topology.ts";
import { withDefaults } from "../../../api/grove/defaults.ts";
import { annotationKeys, labelKeys } from "../../../api/grove/labels.ts";
import type { PodCliqueSetStatus } from "../../../api/grove/podcliqueset.ts";
import { acceptedAnnotation, acceptedText } from "../accepted-spec.ts";
import type { SetRevision } from "../set-revisions.ts";
import { parseRevision, recordedCliques, revisionAnnotation } from "../set-revisions.ts";
import { acceptanceEvents, assessSpec, rejectedStatus } from "./accept.ts";
import { podCliqueSetEvents } from "./events.ts";
import type { Observed } from "./observe.ts";
import { withAccepted } from "./observe.ts";
import { plan } from "./plan.ts";
import type { ReplicaObjects } from "./replica-objects.ts";
import { nothingOf } from "./replica-objects.ts";
import { podCliqueSetStatus } from "./status.ts";

interface Given {
  /** By replica: pods of its clique `web` as `drawnPods` reads them, and before them the template it has. */
  readonly replicas: readonly string[];
  readonly desired?: number;
  readonly strategy?: Record<string, unknown>;
  readonly web?: Record<string, unknown>;
  readonly template?: Record<string, unknown>;
  readonly status?: PodCliqueSetStatus;
  /** Of the clique of the first replica. */
  readonly cliqueStatus?: Record<string, unknown>;
  readonly topologies?: readonly ClusterTopologyBinding[];
  readonly gangSchedulers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly surgeReleased?: boolean;
}

function setOf(given: Given, image: string) {
  const { desired, replicas, strategy, web, template, annotations = {} } = given;
  const set = podCliqueSetOf({
    replicas: desired ?? replicas.length,
    ...(strategy === undefined ? {} : { strategy }),
    ...(template === undefined ? {} : { template }),
    cliques: { web: { image: `app:${image}`, replicas: 2, minAvailable: 1, ...web } },
  });
  return { ...set, metadata: { ...set.metadata, annotations } };
}

function revisionOf(given: Given, name: string, number: number): SetRevision {
  const { spec } = setOf({ ...given, web: {}, template: {} }, name);
  const cliques = recordedCliques(spec.template.cliques);
  const annotations = {
    [acceptedAnnotation]: acceptedText(withDefaults(setOf({ ...given, web: {} }, name).spec)),
    ...(given.surgeReleased === true ? { "lockstep.dev/surge-released": "true" } : {}),
  };
  const parsed = parseRevision({
    metadata: { name: `chat-${name}`, annotations, creationTimestamp: drawnAgo(7_200) },
    revision: number,
    data: { format: 1, hash: name, cliqueHashes: { web: name }, spec: { template: { cliques } } },
  });
  if (parsed === undefined) throw new Error("no revision");
  return parsed;
}

function replicaOf({ cliqueStatus, web }: Given, drawing: string, index: number): ReplicaObjects {
  const [template = "", ...marks] = drawing.split(" ");
  const [name, uid] = [`chat-${index}-web`, `uid-${index}`];
  const drawn = podCliqueOf({ name, spec: { replicas: 2, minAvailable: 1 } });
  const metadata = {
    ...drawn.metadata,
    uid,
    annotations: { [revisionAnnotation]: `chat-${template}` },
    labels: { ...drawn.metadata.labels, [labelKeys.podTemplateHash]: template },
  };
  const owner = { apiVersion: "grove.io/v1alpha1", kind: "PodClique", name, uid, controller: true };
  const pods = drawnPods(name, marks.join(" ")).map(({ pod }) => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      ownerReferences: [owner],
      labels: { ...pod.metadata.labels, [labelKeys.podClique]: name },
    },
  }));
  const spec = { ...drawn.spec, ...(web?.["own"] as object | undefined) };
  const clique = { ...drawn, metadata, spec, ...(cliqueStatus && { status: cliqueStatus }) };
  return { ...nothingOf("chat", index), cliques: [clique], pods };
}

function observed(given: Given): Observed {
  const set = setOf(given, "v2");
  return {
    nowMs: drawnAtMs,
    set: { ...set, ...(given.status === undefined ? {} : { status: given.status }) },
    name: "chat",
    namespace: "default",
    spec: withDefaults(set.spec),
    replicas: new Map(
      given.replicas.flatMap((drawing, index) =>
        drawing === "-" ? [] : [[index, replicaOf(given, drawing, index)] as const],
      ),
    ),
    revisions: [revisionOf(given, "v1", 1), revisionOf(given, "v2", 2)],
    orphanedRevisions: [],
    topologies: given.topologies ?? [],
  };
}

function said(given: Given): { status: PodCliqueSetStatus; events: readonly string[] } {
  const seen = observed(given);
  const acceptance = assessSpec(seen);
  const inForce = acceptance.isAccepted ? seen : withAccepted(seen);
  const first = acceptanceEvents(seen, acceptance);
  if (inForce === undefined)
    return { status: rejectedStatus(seen, acceptance), events: eventLines(first) };
  const planned = plan(inForce, acceptance);
  const { gangSchedulers } = given;
  const status = podCliqueSetStatus(inForce, planned, { acceptance, gangSchedulers });
  const { before, after } = podCliqueSetEvents(inForce, planned, status);
  return { status, events: eventLines([...first, ...before, ...after]) };
}

const condition = (type: string, status: "True" | "False", more: object = {}) => ({
  type,
  status,
  reason: "",
  message: "",
  lastTransitionTime: drawnAgo(3_600),
  ...more,
});
const current: PodCliqueSetStatus = {
  currentGenerationHash: "v2",
  currentRevision: "chat-v2",
  updateRevision: "chat-v2",
  replicas: 2,
};
const updating: PodCliqueSetStatus = {
  ...current,
  currentRevision: "chat-v1",
  updateProgress: {
    updateStartedAt: drawnAgo(60),
    currentlyUpdating: [{ replicaIndex: 0, updateStartedAt: drawnAgo(60) }],
  },
};
const resting: PodCliqueSetStatus = {
  ...updating,
  updateProgress: { updateStartedAt: drawnAgo(60) },
};
const stuck: PodCliqueSetStatus = {
  ...updating,
  conditions: [condition("Progressing", "True")],
  updateProgress: {
    updateStartedAt: drawnAgo(3_600),
    currentlyUpdating: [{ replicaIndex: 0, updateStartedAt: drawnAgo(3_600) }],
  },
};
const gaveUp = condition("SurgeReleased", "True", {
  reason: "DoesNotFit",
  message:
    "gave up surge chat-1, which did not fit before the progress deadline; " +
    "chat-1-web-0: not scheduled: 0/1 nodes are available",
});
const levels = (...domains: string[]): ClusterTopologyBinding => ({
  metadata: { name: "machines" },
  spec: { levels: domains.map((domain) => ({ domain, key: `topology/${domain}` })) },
});
const packed = { topologyConstraint: { topologyName: "machines", pack: { required: "rack" } } };
const invalid = {
  web: { extra: { startsAfter: ["web"] } },
  template: { cliqueStartupType: "CliqueStartupTypeExplicit" },
};
const surge = { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
const topology = "TopologyLevelsUnavailable";

const states: Readonly<Record<string, readonly [Given, shown: string]>> = {
  "every replica serves": [{ replicas: ["v2 v2 v2", "v2 v2 v2"], status: current }, ""],
  "it is created": [{ replicas: ["-"] }, "UpdateInProgress Available Progressing"],
  "an image cannot be pulled": [
    { replicas: ["v2 v1 v2!", "v1 v1 v1"], status: updating },
    "UpdateInProgress Available Progressing",
  ],
  "the second of two has to wait": [
    { replicas: ["v2 v1 v2.", "v1 v1 v1"], status: updating },
    "Progressing",
  ],
  "a partition keeps one pod of each replica": [
    { replicas: ["v2 v1 v2"], web: { updateStrategy: { partition: 1 } }, status: updating },
    "UpdateInProgress Progressing Stalled",
  ],
  "a partition keeps the first replica": [
    { replicas: ["v1 v1 v1", "v2 v2 v2"], strategy: { partition: 1 }, status: resting },
    "Progressing",
  ],
  "it is paused before the first replica": [
    { replicas: ["v1 v1 v1"], strategy: { paused: true }, status: resting },
    "Progressing Stalled",
  ],
  "it is paused in the middle of a replica": [
    { replicas: ["v1 v1 v1"], strategy: { paused: true }, status: updating },
    "Progressing Stalled",
  ],
  "outdated replicas wait to be deleted": [
    { replicas: ["v2 v1 v1"], strategy: { type: "OnDelete" }, status: updating },
    "Progressing",
  ],
  "its only part has stalled": [
    {
      replicas: ["v2 v1 v1"],
      status: updating,
      cliqueStatus: {
        conditions: [
          condition("Stalled", "True", {
            message: "no progress since 2026-01-01T11:00:00Z: no surge",
          }),
        ],
      },
    },
    "Progressing",
  ],
  "its clique is scaled below its minimum": [
    {
      replicas: ["v2 v2"],
      status: current,
      web: { own: { replicas: 1, minAvailable: 2 } },
    },
    "Available Progressing",
  ],
  "a quota refuses its pods": [
    {
      replicas: ["v2 v2"],
      status: current,
      cliqueStatus: {
        lastErrors: [
          {
            code: "ERR_SYNC_PODS",
            description:
              'creating chat-0-web-1, but that failed: pods "chat-0-web-1" is forbidden: exceeded quota: gpus',
            observedAt: "",
          },
        ],
      },
    },
    "Available Progressing",
  ],
  "its gang does not fit": [
    {
      replicas: ["v2 v2^ v2^"],
      status: current,
      cliqueStatus: {
        conditions: [
          condition("PodCliqueScheduled", "False", {
            message:
              "0 of 2 pods are on nodes, 1 needed; 2 are held back: their gang chat-0 does not fit",
          }),
        ],
      },
    },
    "Progressing",
  ],
  "its clique has yet to say why it keeps its pods back": [
    {
      replicas: ["v2 v2^ v2^"],
      status: current,
      cliqueStatus: {
        conditions: [
          condition("PodCliqueScheduled", "False", {
            message: "0 of 0 pods are on nodes, 1 needed",
          }),
        ],
      },
    },
    "Progressing",
  ],
  "nothing changes for the deadline": [
    { replicas: ["v2 v1 v2!"], status: stuck },
    "Progressing Stalled",
  ],
  "nothing changes, and it goes back": [
    { replicas: ["v2 v1 v2!"], strategy: { onStuck: "Rollback" }, status: stuck },
    "Progressing Stalled",
  ],
  "surge finds no node": [
    { replicas: ["v1 v1 v1", "v2 v2? v2?"], desired: 1, strategy: surge, status: updating },
    "Available Progressing",
  ],
  "surge is given up": [
    {
      replicas: ["v1 v1 v1", "v2 v2? v2?"],
      desired: 1,
      strategy: { ...surge, onStuck: "ReleaseSurge" },
      status: stuck,
    },
    "SurgeReleased Progressing Stalled",
  ],
  "surge was given up": [
    {
      replicas: ["v1 v1 v1"],
      strategy: { ...surge, onStuck: "ReleaseSurge" },
      surgeReleased: true,
      status: {
        ...stuck,
        conditions: [gaveUp],
      },
    },
    "SurgeReleased Progressing Stalled",
  ],
  "what was given up is over": [
    {
      replicas: ["v2 v2 v2"],
      status: { ...current, conditions: [condition("SurgeReleased", "True")] },
    },
    "SurgeReleased",
  ],
  "a new spec is invalid": [
    { replicas: ["-"], ...invalid },
    "SpecAccepted Available Progressing Stalled",
  ],
  "a running spec is made invalid": [
    { replicas: ["v2 v2 v2"], ...invalid, status: current },
    "SpecAccepted Available Progressing Stalled",
  ],
  "a setting has no effect": [
    { replicas: ["v2 v2 v2"], strategy: { type: "OnDelete", partition: 1 }, status: current },
    "SpecAccepted",
  ],
  "replicas were edited in the template": [
    { replicas: ["v2 v2 v2", "v2 v2 v2"], web: { replicas: 3 }, status: current },
    "SpecAccepted",
  ],
  "it names no topology": [
    {
      replicas: ["v2 v2 v2"],
      template: { topologyConstraint: { pack: { required: "rack" } } },
      status: current,
    },
    topology,
  ],
  "its topology does not exist": [
    { replicas: ["v2 v2 v2"], template: packed, status: current },
    topology,
  ],
  "its topology lacks a level": [
    { replicas: ["v2 v2 v2"], template: packed, topologies: [levels("zone")], status: current },
    topology,
  ],
  "its topology has every level": [
    {
      replicas: ["v2 v2 v2"],
      template: packed,
      topologies: [levels("zone", "rack")],
      status: current,
    },
    topology,
  ],
  "its scheduler places gangs": [
    { replicas: ["v2 v2 v2"], gangSchedulers: ["default-scheduler"], status: current },
    "GangScheduling",
  ],
  "its scheduler places pods one by one": [
    { replicas: ["v2 v2 v2"], gangSchedulers: ["kai-scheduler"], status: current },
    "GangScheduling",
  ],
  "its scheduler places pods one by one, and gangs are let go": [
    {
      replicas: ["v2 v2 v2"],
      gangSchedulers: ["kai-scheduler"],
      annotations: { [annotationKeys.gangFit]: "Ignore" },
      status: current,
    },
    "GangScheduling",
  ],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given, shown]) => {
    const types = shown === "" ? [] : shown.split(" ");
    return conditionLines(said(given).status, ...types);
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

const events: Readonly<Record<string, readonly [Given]>> = {
  "an image is changed": [
    {
      replicas: ["v1 v1 v1", "v1 v1 v1"],
      status: {
        ...current,
        currentGenerationHash: "v1",
        currentRevision: "chat-v1",
        updateRevision: "chat-v1",
      },
    },
  ],
  "an image is changed while it is paused": [
    {
      replicas: ["v1 v1 v1", "v1 v1 v1"],
      strategy: { paused: true },
      status: {
        ...current,
        currentGenerationHash: "v1",
        currentRevision: "chat-v1",
        updateRevision: "chat-v1",
      },
    },
  ],
  "the last pod is updated": [{ replicas: ["v2 v2 v2"], status: updating }],
  "a partition is reached": [
    { replicas: ["v2 v1 v2"], web: { updateStrategy: { partition: 1 } }, status: updating },
  ],
  "it is scaled in": [{ replicas: ["v2 v2 v2", "v2 v2 v2"], desired: 1, status: current }],
  "nothing changes, and it goes back": [
    { replicas: ["v2 v1 v2!"], strategy: { onStuck: "Rollback" }, status: stuck },
  ],
  "surge was given up, and it goes back": [
    {
      replicas: ["v1 v1 v1"],
      strategy: { ...surge, onStuck: "Rollback" },
      surgeReleased: true,
      status: { ...stuck, conditions: [condition("Progressing", "True"), gaveUp] },
    },
  ],
  "surge is given up": [
    {
      replicas: ["v1 v1 v1", "v2 v2? v2?"],
      desired: 1,
      strategy: { ...surge, onStuck: "ReleaseSurge" },
      status: stuck,
    },
  ],
  "a gang was broken for too long": [
    {
      replicas: ["v2 v2x v2x"],
      status: current,
      cliqueStatus: { conditions: [condition("MinAvailableBreached", "True")] },
    },
  ],
  "a new spec is invalid": [{ replicas: ["-"], ...invalid }],
  "an invalid spec was corrected": [
    {
      replicas: ["v2 v2 v2"],
      status: { ...current, conditions: [condition("SpecAccepted", "False")] },
    },
  ],
  "replicas were edited in the template": [
    { replicas: ["v2 v2 v2", "v2 v2 v2"], web: { replicas: 3 }, status: current },
  ],
};

test("every event is true when it is emitted", async () => {
  const text = await sentencesOf(events, ([given]) => {
    return said(given).events;
  });
  await expect(text).toMatchFileSnapshot("sentences-events.txt");
});
