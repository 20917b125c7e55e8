/** Two roles that change together, their workloads, and what the coordinator sees of them. */
import type {
  CoordinatedRole,
  CoordinationPolicy,
  CoordinationSnapshot,
} from "../../src/planner/coordination/coordinated-roles.ts";
import type { Unit } from "../../src/planner/unit.ts";
import {
  conditionIn,
  drawSlot,
  empty,
  healthOf,
  previous,
  revisionIn,
  revisions,
  slotOf,
  target,
} from "./slot.ts";

export interface RoleState {
  /** What the coordinator sees; the length is what is desired. */
  readonly seen: readonly number[];
  readonly world: readonly number[];
  /** How many events the view is behind. */
  readonly lag: number;
  /** What is written on the workload: units at or above `cursor` move to `template`. */
  readonly cursor: number;
  /** Ordinals below the cursor that move to `template` all the same, as bits. */
  readonly ahead: number;
  readonly template: number;
  /** The revision that the workload's status refers to. */
  readonly observed: number;
}

export interface CoordinationState {
  readonly roles: readonly RoleState[];
  readonly paused: boolean;
  readonly partition: number;
}

export interface CoordinationScope {
  readonly sizes: readonly [number, number];
  readonly maxUnavailable: number;
  readonly maxSkewPercent: number | undefined;
  /** How many events of a role the view of it may be behind. */
  readonly maxLag: number;
  readonly maxFaults: number;
}

export const roleNames = ["decode", "prefill"] as const;

/** Roles of the same size are mirror images of each other: a state and its mirror image are one state. */
export function keyOf({ roles, paused, partition }: CoordinationState, scope: CoordinationScope) {
  const [first, second] = roles.map(roleKey) as [string, string];
  const isSwapped = scope.sizes[0] === scope.sizes[1] && second < first;
  const rest = String.fromCharCode(partition * 2 + Number(paused));
  return isSwapped ? rest + second + first : rest + first + second;
}

export const isAhead = ({ ahead }: Pick<RoleState, "ahead">, at: number): boolean =>
  ((ahead >> at) & 1) === 1;

/** Units at or above the cursor move, and those that go ahead of it. */
export const isLetThrough = (role: Pick<RoleState, "ahead" | "cursor">, at: number): boolean =>
  at >= role.cursor || isAhead(role, at);

function roleKey({ seen, world, lag, cursor, ahead, template, observed }: RoleState): string {
  const key = String.fromCharCode(
    (ahead * 8 + seen.length) * 4 + lag,
    cursor * 16 + template * 4 + observed,
    ...world,
  );
  return lag === 0 ? key : key + String.fromCharCode(...seen);
}

/** All that the coordinator sees, and therefore all that its decision can depend on. */
export function viewKeyOf({ roles, paused, partition }: CoordinationState): string {
  let key = String.fromCharCode(partition * 2 + Number(paused));
  for (const { seen, cursor, ahead, template, observed } of roles) {
    key += String.fromCharCode(
      ahead * 8 + seen.length,
      cursor * 16 + template * 4 + observed,
      ...seen,
    );
  }
  return key;
}

export function startsOf({ sizes }: CoordinationScope): CoordinationState[] {
  const rest = { template: previous, observed: previous };
  const partitions = Array.from({ length: Math.max(...sizes) + 1 }, (_, at) => at);
  return partitions.map((partition) => ({
    paused: false,
    partition,
    roles: sizes.map((size) => {
      const slots = Array.from({ length: size }, () => slotOf(previous, "available"));
      return { ...rest, seen: slots, world: slots, lag: 0, cursor: 0, ahead: 0 };
    }),
  }));
}

export const policyOf = (
  { roles, partition }: CoordinationState,
  { maxUnavailable, maxSkewPercent }: CoordinationScope,
): CoordinationPolicy => ({
  pace: { kind: "skew", maxSkewPercent },
  limits: Object.fromEntries(
    roles.map(({ seen }, at) => [
      roleNames[at]!,
      { maxUnavailable, partition: Math.min(partition, seen.length) },
    ]),
  ),
});

export const snapshotOf = ({ roles, paused }: CoordinationState): CoordinationSnapshot => ({
  nowMs: 1_000,
  targetRevision: revisions[target],
  paused,
  roles: roles.map(roleIn),
});

function roleIn(state: RoleState, at: number): CoordinatedRole {
  const { seen, cursor, template, observed } = state;
  const role = roleNames[at]!;
  const ahead = seen.flatMap((_, ordinal) => (isAhead(state, ordinal) ? [ordinal] : []));
  return {
    role,
    desired: seen.length,
    units: seen.flatMap((slot, ordinal) => (slot === empty ? [] : [unitIn(role, slot, ordinal)])),
    cursor: { revision: revisions[template]!, ordinal: cursor, ahead },
    observedRevision: revisions[observed],
  };
}

function unitIn(role: string, slot: number, ordinal: number): Unit {
  const name = `${role}-${ordinal}`;
  const health = healthOf[conditionIn(slot)];
  const revision = revisions[revisionIn(slot)]!;
  return { name, id: name, ordinal, revision, health, scheduled: true, createdAtMs: 0 };
}

export function drawState({ roles, paused, partition }: CoordinationState): string {
  const drawn = roles.map((role, at) => {
    const { seen, world, cursor, template } = role;
    const early = seen.flatMap((_, ordinal) => (isAhead(role, ordinal) ? [`+${ordinal}`] : []));
    const isStale = seen.some((slot, ordinal) => slot !== world[ordinal]);
    const view = isStale ? ` seen as ${seen.map(drawSlot).join(" ")}` : "";
    const stand = `cursor ${cursor}${early.join("")} of ${revisions[template]}`;
    return `${roleNames[at]} ${world.map(drawSlot).join(" ")}${view} (${stand})`;
  });
  const notes = [paused ? "paused" : "", partition > 0 ? `partition ${partition}` : ""];
  return [...drawn, ...notes.filter((note) => note !== "")].join("   ");
}
