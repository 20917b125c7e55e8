/** The batches of a role whose pods are placed with those of others: what is open now, and what is in the way. Pure. */
import type { AffinityCoordination } from "../../api/rbg/coordination.ts";
import type { DefaultedGroupSpec } from "../../api/rbg/defaults.ts";
import type { BatchLayout, BatchSnapshot, CreateAction } from "../../planner/index.ts";
import { decideBatches, openBatches } from "../../planner/index.ts";
import { unitOfPod } from "../engine/pod-health.ts";
import { unplacedBatches } from "./batch-needs.ts";
import { affinityOf, layoutOf } from "./batch-placement.ts";
import type { GroupReaders } from "./caches.ts";
import { podsOfGroup } from "./role-pods.ts";
import { readRecord, serviceOf } from "./role-record.ts";
import type { RolePlace, RolePod } from "./role-workload.ts";

export interface RoleBatches {
  readonly coordination: AffinityCoordination;
  readonly layout: BatchLayout;
  /** Pods of every role of the coordination that was started, this one included. */
  readonly pods: Readonly<Record<string, readonly RolePod[]>>;
}

/** Undefined where the role is placed on its own. */
export function batchesOf(
  readers: GroupReaders,
  place: RolePlace,
  spec: DefaultedGroupSpec,
): RoleBatches | undefined {
  const coordination = affinityOf(spec, place.role.name);
  if (coordination === undefined) return undefined;
  const members = spec.roles
    .filter(({ name }) => coordination.roles.includes(name))
    .map((role) => ({ ...place, role }));
  const started = members.filter(
    (each) => each.role.name === place.role.name || isStarted(readers, each),
  );
  const pods = started.map((each) => [each.role.name, podsOfGroup(readers, each)] as const);
  return { coordination, layout: layoutOf(coordination, spec), pods: Object.fromEntries(pods) };
}

const isStarted = (readers: GroupReaders, place: RolePlace): boolean =>
  readRecord(serviceOf(readers, place)) !== undefined || podsOfGroup(readers, place).length > 0;

/** What keeps batches from being placed. */
export function batchCauses(
  spec: DefaultedGroupSpec,
  batches: RoleBatches | undefined,
): readonly string[] {
  if (batches === undefined) return [];
  const { coordination, layout, pods } = batches;
  if (layout.kind === "invalid") return [`${layout.problem}: ${layout.fix}`];
  const { topologyKey } = coordination;
  return unplacedBatches({ batches: layout.batches, topologyKey, roles: spec.roles, pods });
}

/** Without batches every pod is due; with them, those of batches that are open. */
export function dueIn(
  { role, nowMs }: RolePlace,
  batches: RoleBatches | undefined,
): (action: CreateAction) => boolean {
  if (batches === undefined) return () => true;
  const snapshot = snapshotOf(batches, nowMs);
  if (snapshot === undefined) return () => false;
  const decision = decideBatches(snapshot, batches.coordination.batchMode);
  const due = new Set(
    decision.kind === "create"
      ? decision.units.filter((unit) => unit.role === role.name).map(({ ordinal }) => ordinal)
      : [],
  );
  return ({ ordinal }) => due.has(ordinal);
}

/** How many pods of the role are in open batches. */
export function openUnits({ role, nowMs }: RolePlace, batches: RoleBatches): number {
  const { coordination, pods } = batches;
  const snapshot = snapshotOf(batches, nowMs);
  if (snapshot === undefined) return pods[role.name]?.length ?? 0;
  return openBatches(snapshot, coordination.batchMode) * (coordination.ratios[role.name] ?? 1);
}

/** Undefined where the sizes fill no whole batches. */
function snapshotOf({ layout, pods }: RoleBatches, nowMs: number): BatchSnapshot | undefined {
  if (layout.kind === "invalid") return undefined;
  const units = Object.fromEntries(
    Object.entries(pods).map(([name, each]) => [name, each.map(unitOfPod)]),
  );
  // A role that was not started yet waits for its dependencies: no batch waits for it.
  const batches = layout.batches.map((batch) => ({
    ...batch,
    members: batch.members.filter((member) => member.role in pods),
  }));
  return { nowMs, batches, units };
}
