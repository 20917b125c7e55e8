/** What is said around a RoleBasedGroup: of its workloads, its sets and its scaling adapters, each in a true state. */
import { expect, test } from "vitest";
import { drawnAgo, drawnAtMs, drawnPods } from "../../../test/builders/drawn-pods.ts";
import { groupOf } from "../../../test/builders/role-based-group-scenario.ts";
import {
  conditionLines,
  eventLines,
  nameConflictLines,
  sentencesOf,
} from "../../../test/builders/sentences.ts";
import type { Deployment, StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import { withDefaults } from "../../api/rbg/defaults.ts";
import type { RoleSpec } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import type { Status } from "../../api/status.ts";
import { ApiError } from "../../api/status.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import { readerOf } from "../../runtime/reader.ts";
import { OwnerMemory, PerOwner } from "../engine/per-owner.ts";
import { podHealth } from "../engine/pod-health.ts";
import { unplacedBatches } from "./batch-needs.ts";
import type { GroupReaders } from "./caches.ts";
import { groupCacheDefinitions } from "./caches.ts";
import type { Observed } from "./observe.ts";
import { observe } from "./observe.ts";
import { podGroupReads } from "./pod-group.ts";
import { roleBasedGroupReconciler } from "./reconcile.ts";
import { Refusals } from "./refusals.ts";
import { planRestarts, ReadyPods } from "./restarts.ts";
import type { OwnRollout } from "./role-workload.ts";
import { rejectedStatus } from "./status.ts";

type Said = () => readonly string[] | Promise<readonly string[]>;

const owner = {
  apiVersion: "",
  kind: "RoleBasedGroup",
  name: "chat",
  uid: "chat",
  controller: true,
};

interface World {
  readonly role?: Partial<RoleSpec>;
  readonly deployment?: Partial<Deployment["spec"]>;
  readonly deploymentStatus?: Deployment["status"];
  readonly set?: StatefulSet;
}

function seen({ role = {}, deployment, deploymentStatus, set }: World): Observed {
  const drawn = groupOf({ sizes: { web: 2 }, roles: { web: role } });
  const group = { ...drawn, metadata: { ...drawn.metadata, uid: "chat", generation: 1 } };
  const indexed = (name: keyof GroupReaders, objects: readonly unknown[] = []) =>
    readerOf(objects as never, groupCacheDefinitions[name].indexes as never);
  const metadata = { name: "chat-web", namespace: "default", ownerReferences: [owner] };
  const deployments =
    deployment === undefined
      ? []
      : [{ metadata: { ...metadata, generation: 1 }, spec: deployment, status: deploymentStatus }];
  const readers = {
    groups: readerOf([group]),
    sets: indexed("sets", set === undefined ? [] : [set]),
    deployments: indexed("deployments", deployments),
    leaderWorkerSets: { ...indexed("leaderWorkerSets"), hasSynced: false, isServed: false },
    adapters: indexed("adapters"),
    pods: indexed("pods"),
    services: indexed("services"),
    configMaps: indexed("configMaps"),
    revisions: indexed("revisions"),
  } as unknown as GroupReaders;
  const memory = {
    readyPods: new PerOwner(() => new ReadyPods()),
    refusals: new PerOwner(() => new Refusals()),
  };
  const key = { namespace: "default", name: "chat" };
  const observed = observe(readers, memory, { key, nowMs: drawnAtMs });
  if (observed === undefined) throw new Error("no group");
  return observed;
}

/** The events of one reconcile. */
function emitted(observed: Observed, restarts: object = { messages: [], delayed: [] }) {
  const recorded: EventText[] = [];
  const events = { record: (_about: unknown, event: EventText) => recorded.push(event) };
  const tools = { events, memory: new OwnerMemory(), clock: {} } as never;
  const kind = roleBasedGroupReconciler({} as never, tools);
  kind.emit?.(observed, { plan: { restarts }, phases: [] } as never, {});
  return eventLines(recorded);
}

const needing = (message: string | undefined): readonly string[] =>
  eventLines([{ type: "Stalled=True", reason: "NeedsChange", message: message ?? "" }]);

const shownAs: Readonly<Record<OwnRollout["stand"], readonly [string, string]>> = {
  begins: ["Progressing=True", "RollingOut"],
  moving: ["Progressing=True", "RollingOut"],
  paused: ["Progressing=False", "Paused"],
  late: ["Stalled=True", "ProgressDeadlineExceeded"],
  done: ["Progressing=False", "RolledOut"],
};

/** As the rollout of the role is said to stand. */
const ownRollout = (status: Deployment["status"], isPaused = false): readonly string[] => {
  const world = { role: { workload: { apiVersion: "apps/v1", kind: "Deployment" } } } as const;
  const observed = seen({
    ...world,
    deployment: { replicas: 2, paused: isPaused },
    deploymentStatus: status,
  });
  const { stand = "begins", message = "" } = observed.roles[0]?.seen.ownRollout ?? {};
  return eventLines([{ type: shownAs[stand][0], reason: shownAs[stand][1], message }]);
};
const late = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" } as const;

const droppedSet = {
  metadata: {
    name: "chat-web",
    namespace: "default",
    ownerReferences: [owner],
    annotations: { "lockstep.dev/max-unavailable": "2" },
  },
  spec: { replicas: 2, updateStrategy: { type: "RollingUpdate" } },
} as unknown as StatefulSet;

function restarted(role: Partial<RoleSpec>, records: readonly object[] = []): readonly string[] {
  const observed = seen({ role });
  const pods = drawnPods("chat-web", "v2 v2").map(({ pod, ordinal }) => ({
    pod,
    ordinal,
    revision: "v2",
    health: podHealth(pod, 0, drawnAtMs),
  }));
  const roles = observed.roles.map((each) => ({ ...each, seen: { ...each.seen, pods } }));
  const group = { ...observed.group, status: { restarts: records } } as never;
  const uids = new Set(["chat-web-0/v2"]);
  const found = { group, roles, nowMs: drawnAtMs, restarted: uids };
  return emitted(observed, planRestarts(found, { web: "v2" }));
}

function batch(drawing: string, spec: object, topologyKey: string): readonly string[] {
  const pods = drawnPods("chat-web", drawing).map(({ pod, ordinal }) => ({ pod, ordinal }));
  const role = {
    ...withDefaults(groupOf({ sizes: { web: 2 } }).spec).roles[0],
    template: { spec },
  };
  const batches = [{ number: 0, members: [{ role: "web", ordinals: [0, 1] }] }];
  const [text] = unplacedBatches({
    batches,
    topologyKey,
    roles: [role],
    pods: { web: pods },
  } as never);
  return needing(text);
}
const gpus = { containers: [{ name: "app", resources: { limits: { "nvidia.com/gpu": 4 } } }] };
const plain = { containers: [{ name: "app" }] };
const rack = "topology.kubernetes.io/rack";

function notServed(): readonly string[] {
  const { group, configMap } = seen({});
  const [read] = podGroupReads({
    group,
    policy: { kubeScheduling: {} },
    minMember: 2,
    configMap,
    templates: [],
  });
  const answer = read?.onError?.(new ApiError({ code: 404, reason: "NotFound" } as Status));
  const message = answer?.problem ?? "";
  return eventLines([{ type: "Warning", reason: read?.problemReason ?? "", message }]);
}

const conflicts = roleBasedGroupReconciler(
  {} as never,
  { memory: new OwnerMemory() } as never,
).nameConflicts;
const kinds = { owner: roleBasedGroupResource, resource: statefulSetResource };

const said: Readonly<Record<string, readonly [Said]>> = {
  "a Deployment has not seen its template": [() => ownRollout({ observedGeneration: 0 })],
  "a Deployment is late": [() => ownRollout({ observedGeneration: 1, conditions: [late] })],
  "a Deployment is paused": [() => ownRollout({ observedGeneration: 1 }, true)],
  "a Deployment is half updated": [
    () => ownRollout({ observedGeneration: 1, updatedReplicas: 1, replicas: 2 }),
  ],
  "a Deployment has an old pod": [
    () => ownRollout({ observedGeneration: 1, updatedReplicas: 2, replicas: 3 }),
  ],
  "a Deployment has old pods": [
    () => ownRollout({ observedGeneration: 1, updatedReplicas: 2, replicas: 4 }),
  ],
  "a Deployment starts its last pod": [
    () =>
      ownRollout({ observedGeneration: 1, updatedReplicas: 2, replicas: 2, availableReplicas: 1 }),
  ],
  "a Deployment is done": [
    () =>
      ownRollout({ observedGeneration: 1, updatedReplicas: 2, replicas: 2, availableReplicas: 2 }),
  ],
  "a Deployment has no partition": [
    () =>
      emitted(
        seen({
          role: {
            workload: { apiVersion: "apps/v1", kind: "Deployment" },
            rolloutStrategy: { rollingUpdate: { partition: 1 } },
          },
          deployment: { replicas: 2 },
        }),
      ),
  ],
  "a server drops maxUnavailable": [() => emitted(seen({ set: droppedSet }))],
  "a setting has no effect": [
    () =>
      emitted(
        seen({
          role: { rolloutStrategy: { rollingUpdate: { type: "InPlaceIfPossible" } } } as never,
        }),
      ),
  ],
  "a container restarted": [
    () => restarted({ restartPolicy: "RecreateRoleInstanceOnPodRestart" } as never),
  ],
  "a container restarted, and the group with it": [
    () => restarted({ restartPolicy: "RecreateRBGOnPodRestart" }),
  ],
  "a container restarts again": [
    () =>
      restarted({ restartPolicy: "RecreateRBGOnPodRestart" }, [
        { name: "chat", uid: "other", count: 3, lastTime: drawnAgo(1) },
      ]),
  ],
  "LeaderWorkerSets are not installed": [
    () =>
      needing(
        seen({
          role: {
            workload: { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet" },
          },
        }).roles[0]?.seen.needs,
      ),
  ],
  "a workload is not known": [
    () =>
      conditionLines(
        rejectedStatus(seen({ role: { workload: { apiVersion: "batch/v1", kind: "Job" } } })),
        "Stalled",
      ),
  ],
  "PodGroups are not served": [notServed],
  "a workload of nobody has the name": [
    () => (conflicts === undefined ? [] : nameConflictLines(conflicts, kinds)),
  ],
  "a batch finds no node": [() => batch("v2? v2?", gpus, "kubernetes.io/hostname")],
  "half a batch finds no node": [() => batch("v2 v2?", gpus, "kubernetes.io/hostname")],
  "half a batch finds no room in its rack": [() => batch("v2 v2?", gpus, rack)],
  "a batch finds no rack": [() => batch("v2? v2?", plain, rack)],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(said, async ([says]) => {
    const lines = await says();
    return lines;
  });
  await expect(text).toMatchFileSnapshot("sentences-of-parts.txt");
});
