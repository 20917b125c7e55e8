/** A role whose pods Lockstep makes itself: under `v1` Pod, and every role that is placed in batches. */
import type { KubeObject } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import { workloadName } from "../../api/rbg/names.ts";
import type { Action, Budget, CreateAction, Decision } from "../../planner/index.ts";
import { decide, nothingRequested, resolveBudget, statefulSetPolicy } from "../../planner/index.ts";
import { podDelete, unitOfPod } from "../engine/pod-health.ts";
import { mostCreates } from "../engine/size-limits.ts";
import { allAtOnce } from "../engine/slow-start.ts";
import type { WritePlan } from "../engine/write.ts";
import { createOf } from "../engine/write.ts";
import { affinityOf, batchOf } from "./batch-placement.ts";
import { defaultedSpec } from "./defaulted-spec.ts";
import { groupKeyOf } from "./pod-template.ts";
import type { RoleBatches } from "./role-batches.ts";
import { batchCauses, batchesOf, dueIn, openUnits } from "./role-batches.ts";
import { causesOf, podsOfGroup } from "./role-pods.ts";
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

interface ObservedPods extends ObservedWorkload {
  readonly service: KubeObject | undefined;
  readonly record: RoleRecord | undefined;
  readonly batches: RoleBatches | undefined;
}

export const podRole: RoleWorkload = {
  observe(readers, place): ObservedPods {
    const spec = defaultedSpec(place.group.spec);
    const service = serviceOf(readers, place);
    const pods = podsOfGroup(readers, place);
    const record = readRecord(service) ?? recordFrom(pods);
    const batches = batchesOf(readers, place, spec);
    const opened = batches === undefined ? {} : { openUnits: openUnits(place, batches) };
    const rest = { service, record, batches, ...opened };
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
      causes: [...batchCauses(spec, batches), ...causesOf(pods)],
    };
  },
  writes(place, observed, desired) {
    const { service, record, batches } = observed as ObservedPods;
    // It is made in the same reconcile, and brings the group back.
    if (service === undefined) return [];
    const next = nextRecord(record, desired);
    const decision = decideRole(place, observed, { ...desired, record: next });
    const writes = podWrites(place, observed, { decision, desired, batches });
    return [{ inOrder: [...recordWrites(service, next), ...writes] }];
  },
};

/** Somebody deleted the service: its pods say what they are, and only what all of them are is taken as rolled out. */
function recordFrom(pods: readonly RolePod[]): RoleRecord | undefined {
  const highest = pods.at(-1);
  if (highest === undefined) return undefined;
  const { revision } = highest;
  const below = pods.findLast((each) => each.revision !== revision);
  const cursor = below === undefined ? 0 : below.ordinal + 1;
  return { revision, cursor, previous: below?.revision ?? revision };
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
  const isPlaced = affinityOf(defaultedSpec(group.spec), role.name) !== undefined;
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
  readonly batches: RoleBatches | undefined;
}

function podWrites(
  place: RolePlace,
  { pods }: ObservedWorkload,
  { decision, desired, batches }: Decided,
): readonly WritePlan[] {
  const actions: readonly Action[] = decision.actions;
  const isDue = dueIn(place, batches);
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
          sideBySide: creates.flatMap((action) => podCreate(place, action, { desired, batches })),
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
  { desired, batches }: Pick<Decided, "desired" | "batches">,
): readonly WritePlan[] {
  // A revision that no record has any more cannot be made again.
  const template = desired.templateOf(revision) ?? desired.templateOf(desired.revision);
  if (template === undefined) return [];
  const { group, role } = place;
  const batch = batches && {
    coordination: batches.coordination,
    batch: batchOf(batches.coordination, role.name, ordinal),
    groupKey: groupKeyOf(group),
  };
  const pairedBy = revision === desired.revision ? { pairedBy: desired.pairedBy } : {};
  const parts = { ordinal, template, ...pairedBy, ...(batch === undefined ? {} : { batch }) };
  return [createOf(podResource, buildRolePod(place, parts))];
}
