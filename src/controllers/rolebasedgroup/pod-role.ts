/** A role whose pods Lockstep makes itself: under `v1` Pod, and every role that is placed in batches. */
import type { KubeObject } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import type { AffinityCoordination } from "../../api/rbg/coordination.ts";
import { withDefaults } from "../../api/rbg/defaults.ts";
import type { DefaultedGroupSpec } from "../../api/rbg/defaults.ts";
import { workloadName } from "../../api/rbg/names.ts";
import type {
  Action,
  BatchLayout,
  Budget,
  CreateAction,
  Decision,
  Unit,
} from "../../planner/index.ts";
import {
  decide,
  decideBatches,
  nothingRequested,
  resolveBudget,
  statefulSetPolicy,
} from "../../planner/index.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import { podDelete, unitOfPod } from "../engine/pod-health.ts";
import { mostCreates } from "../engine/size-limits.ts";
import { allAtOnce } from "../engine/slow-start.ts";
import type { WritePlan } from "../engine/write.ts";
import { createOf } from "../engine/write.ts";
import { unplacedBatches } from "./batch-needs.ts";
import { affinityOf, batchOf, layoutOf } from "./batch-placement.ts";
import type { GroupReaders } from "./caches.ts";
import { groupKeyOf } from "./pod-template.ts";
import { causesOf, podsOf } from "./role-pods.ts";
import { buildRolePod } from "./role-pod.ts";
import type { RoleRecord } from "./role-record.ts";
import { nextRecord, readRecord, recordWrites, serviceOf } from "./role-record.ts";
import type {
  DesiredWorkload,
  ObservedWorkload,
  RolePlace,
  RolePod,
  RoleWorkload,
} from "./role-workload.ts";
import { nothingThere } from "./role-workload.ts";

interface Batching {
  readonly coordination: AffinityCoordination;
  readonly layout: BatchLayout;
  /** Pods of every role of the coordination that was started, this one included. */
  readonly pods: Readonly<Record<string, readonly RolePod[]>>;
}

interface ObservedPods extends ObservedWorkload {
  readonly service: KubeObject | undefined;
  readonly record: RoleRecord | undefined;
  readonly batching: Batching | undefined;
}

const defaulted = memoizeByIdentity(withDefaults);

export const podRole: RoleWorkload = {
  observe(readers, place): ObservedPods {
    const spec = defaulted(place.group.spec);
    const service = serviceOf(readers, place);
    const record = readRecord(service) ?? recordFrom(ownPods(readers, place));
    const pods = ownPods(readers, place);
    const batching = batchingOf(readers, place, spec);
    const rest = { service, record, batching };
    if (record === undefined) return { ...nothingThere, ...rest };
    return {
      ...nothingThere,
      ...rest,
      exists: true,
      size: record.size ?? (pods.at(-1)?.ordinal ?? -1) + 1,
      templateRevision: record.revision,
      cursor: record.cursor,
      ahead: record.ahead ?? [],
      // Nobody else acts on the record.
      isStatusCurrent: true,
      units: pods.map(unitOfPod),
      pods,
      causes: [...batchCauses(spec, batching), ...causesOf(pods)],
    };
  },
  writes(place, observed, desired) {
    const { service, record, batching } = observed as ObservedPods;
    // It is made in the same reconcile, and brings the group back.
    if (service === undefined) return [];
    const next = nextRecord(record, desired);
    const decision = decideRole(place, observed, { ...desired, record: next });
    const writes = podWrites(place, observed, { decision, desired, batching });
    return [{ inOrder: [...recordWrites(service, next), ...writes] }];
  },
};

const ownPods = (readers: GroupReaders, place: RolePlace): readonly RolePod[] =>
  podsOf(readers, place, place.group.metadata.uid ?? "");

/** Somebody deleted the service: its pods say what they are, and only what all of them are is taken as rolled out. */
function recordFrom(pods: readonly RolePod[]): RoleRecord | undefined {
  const highest = pods.at(-1);
  if (highest === undefined) return undefined;
  const { revision } = highest;
  const below = pods.findLast((each) => each.revision !== revision);
  const cursor = below === undefined ? 0 : below.ordinal + 1;
  return { revision, cursor, previous: below?.revision ?? revision };
}

function batchingOf(
  readers: GroupReaders,
  place: RolePlace,
  spec: DefaultedGroupSpec,
): Batching | undefined {
  const coordination = affinityOf(spec, place.role.name);
  if (coordination === undefined) return undefined;
  const members = spec.roles
    .filter(({ name }) => coordination.roles.includes(name))
    .map((role) => ({ ...place, role }));
  const started = members.filter(
    (each) => each.role.name === place.role.name || isStarted(readers, each),
  );
  const pods = started.map((each) => [each.role.name, ownPods(readers, each)] as const);
  return { coordination, layout: layoutOf(coordination, spec), pods: Object.fromEntries(pods) };
}

const isStarted = (readers: GroupReaders, place: RolePlace): boolean =>
  readRecord(serviceOf(readers, place)) !== undefined || ownPods(readers, place).length > 0;

function batchCauses(spec: DefaultedGroupSpec, batching: Batching | undefined): readonly string[] {
  if (batching === undefined) return [];
  const { coordination, layout, pods } = batching;
  if (layout.kind === "invalid") return [`${layout.problem}: ${layout.fix}`];
  const { topologyKey } = coordination;
  return unplacedBatches({ batches: layout.batches, topologyKey, roles: spec.roles, pods });
}

interface Desired extends DesiredWorkload {
  readonly record: RoleRecord;
}

/**
 * Only a role that no coordination updates can ask for surge, and its own budget is then the whole of it. In a batch a
 * pod that stands in for another would be in no batch.
 */
function budgetOf({ group, role }: RolePlace, maxUnavailable: number): Budget {
  const own = resolveBudget(role.rollingUpdate, role.replicas);
  const isPlaced = affinityOf(defaulted(group.spec), role.name) !== undefined;
  return own.maxSurge > 0 && !isPlaced ? own : { maxUnavailable, maxSurge: 0 };
}

function decideRole(
  place: RolePlace,
  { units }: ObservedWorkload,
  { record, maxUnavailable }: Desired,
): Decision {
  const { group, role, nowMs } = place;
  return decide(
    {
      nowMs,
      rollout: {
        name: workloadName(group.metadata.name ?? "", role.name),
        targetRevision: record.revision,
        previousRevision: record.previous,
        desired: role.replicas,
        paused: false,
      },
      units,
      requested: nothingRequested,
    },
    {
      ...statefulSetPolicy(budgetOf(place, maxUnavailable), record.cursor, "parallel"),
      ahead: new Set(record.ahead),
    },
  );
}

interface Decided {
  readonly decision: Decision;
  readonly desired: DesiredWorkload;
  readonly batching: Batching | undefined;
}

function podWrites(
  place: RolePlace,
  { pods }: ObservedWorkload,
  { decision, desired, batching }: Decided,
): readonly WritePlan[] {
  const actions: readonly Action[] = decision.actions;
  const isDue = dueIn(place, batching);
  // The pods that are made bring the group back for the rest.
  const creates = actions
    .filter((action) => action.kind === "create")
    .filter(isDue)
    .slice(0, mostCreates);
  const byUid = new Map(pods.map((each) => [each.pod.metadata.uid, each]));
  const gone = actions.flatMap((action) => {
    const found = action.kind === "create" ? undefined : byUid.get(action.id);
    return found === undefined ? [] : [podDelete(found)];
  });
  const proven = new Set(pods.map(({ revision }) => revision));
  const isProven = creates.every(({ revision }) => proven.has(revision));
  return [
    {
      sideBySide: [
        {
          sideBySide: creates.flatMap((action) => podCreate(place, action, { desired, batching })),
          // The server has accepted a pod of this template before, so there is no need to begin with one.
          pace: { firstBatch: isProven ? allAtOnce : 1 },
        },
        { sideBySide: gone },
      ],
    },
  ];
}

function podCreate(
  place: RolePlace,
  { ordinal, revision }: CreateAction,
  { desired, batching }: Pick<Decided, "desired" | "batching">,
): readonly WritePlan[] {
  // A revision that no record has any more cannot be made again.
  const template = desired.templateOf(revision) ?? desired.templateOf(desired.revision);
  if (template === undefined) return [];
  const { group, role } = place;
  const batch = batching && {
    coordination: batching.coordination,
    batch: batchOf(batching.coordination, role.name, ordinal),
    groupKey: groupKeyOf(group),
  };
  const pairedBy = revision === desired.revision ? { pairedBy: desired.pairedBy } : {};
  const parts = { ordinal, template, ...pairedBy, ...(batch === undefined ? {} : { batch }) };
  return [createOf(podResource, buildRolePod(place, parts))];
}

/** Without batches every pod is due; with them, those of batches that may be opened. */
function dueIn(
  { role, nowMs }: RolePlace,
  batching: Batching | undefined,
): (action: CreateAction) => boolean {
  if (batching === undefined) return () => true;
  const { coordination, layout, pods } = batching;
  if (layout.kind === "invalid") return () => false;
  const units: Record<string, readonly Unit[]> = Object.fromEntries(
    Object.entries(pods).map(([name, each]) => [name, each.map(unitOfPod)]),
  );
  // A role that was not started yet waits for its dependencies: no batch waits for it.
  const batches = layout.batches.map((batch) => ({
    ...batch,
    members: batch.members.filter((member) => member.role in pods),
  }));
  const decision = decideBatches({ nowMs, batches, units }, coordination.batchMode);
  const due = new Set(
    decision.kind === "create"
      ? decision.units.filter((unit) => unit.role === role.name).map(({ ordinal }) => ordinal)
      : [],
  );
  return ({ ordinal }) => due.has(ordinal);
}
