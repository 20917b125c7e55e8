/** A cluster with one rollout, and what its controller sees of it, as one comparable value. */
import type { Policy } from "../../src/planner/policy.ts";
import type { Rollout, Snapshot } from "../../src/planner/rollout.ts";
import type { Unit } from "../../src/planner/unit.ts";
import {
  conditionIn,
  drawSlot,
  empty,
  healthOf,
  isTerminating,
  previous,
  revisionIn,
  revisions,
  slotOf,
  target,
} from "./slot.ts";

/** One change of one ordinal that the controller has not seen yet. */
export interface Sight {
  readonly ordinal: number;
  readonly slot: number;
  /** The unit was created again: the one before it is another incarnation. */
  readonly isNew: boolean;
}

export interface RolloutState {
  /** What the controller sees at each ordinal. */
  readonly slots: readonly number[];
  /** What has happened since, oldest first. */
  readonly unseen: readonly Sight[];
  /** Ordinals of units that it has deleted but still sees, as bits. */
  readonly deleting: number;
  /** Per ordinal: 0, or one more than the revision that it has created but does not see yet. */
  readonly creating: readonly number[];
  readonly desired: number;
  readonly partition: number;
  readonly paused: boolean;
}

export interface RolloutScope {
  readonly name: string;
  readonly units: number;
  readonly policy: Policy;
  /** Includes units that are unscheduled, that wait out minReadySeconds, or that failed for good. */
  readonly isDetailed: boolean;
  /** How many events the view may be behind. */
  readonly maxLag: number;
  readonly maxFaults: number;
}

export function keyOf(state: RolloutState): string {
  const { slots, unseen, deleting, creating, desired, partition, paused } = state;
  let key = String.fromCharCode(desired * 32 + partition * 2 + Number(paused), ...slots);
  if (deleting === 0 && unseen.length === 0 && !creating.some((asked) => asked > 0)) return key;
  key += String.fromCharCode(deleting, ...creating);
  for (const { ordinal, slot, isNew } of unseen) {
    key += String.fromCharCode(ordinal * 2 + Number(isNew), slot);
  }
  return key;
}

/** All that the controller sees, and therefore all that its decision can depend on. */
export const viewKeyOf = ({ slots, deleting, creating, ...rest }: RolloutState): string =>
  String.fromCharCode(
    rest.desired * 32 + rest.partition * 2 + Number(rest.paused),
    deleting,
    ...slots,
    ...creating,
  );

/** The true state of the world, whatever the controller sees. */
export function worldOf({ slots, unseen }: RolloutState): readonly number[] {
  if (unseen.length === 0) return slots;
  const world = [...slots];
  for (const { ordinal, slot } of unseen) world[ordinal] = slot;
  return world;
}

/** Something happens in the world; the oldest event is seen as soon as the view lags too far. */
export function happen(state: RolloutState, sight: Sight, maxLag: number): RolloutState {
  if (maxLag === 0 && state.unseen.length === 0) return seeing(state, sight, state.unseen);
  const next = { ...state, unseen: [...state.unseen, sight] };
  return next.unseen.length > maxLag ? observe(next) : next;
}

/** The controller sees the oldest event, and drops its own request once it sees the effect. */
export function observe(state: RolloutState): RolloutState {
  const [seen, ...unseen] = state.unseen;
  return seen === undefined ? state : seeing(state, seen, unseen);
}

function seeing(
  state: RolloutState,
  { ordinal, slot, isNew }: Sight,
  unseen: readonly Sight[],
): RolloutState {
  const isGone = slot === empty || isTerminating(slot) || isNew;
  const { deleting, creating, desired, partition, paused } = state;
  return {
    slots: state.slots.with(ordinal, slot),
    unseen,
    deleting: isGone ? deleting & ~(1 << ordinal) : deleting,
    creating: isNew && creating[ordinal] !== 0 ? creating.with(ordinal, 0) : creating,
    desired,
    partition,
    paused,
  };
}

/** The controller restarts: what it kept in memory is lost, and it lists everything. */
export const restarted = (state: RolloutState): RolloutState => ({
  ...state,
  slots: worldOf(state),
  unseen: [],
  deleting: 0,
  creating: state.creating.map(() => 0),
});

/** A lower revision is older; within one revision, the highest ordinal is the oldest. */
export const createdAt = (slot: number, ordinal: number): number =>
  (2 - revisionIn(slot)) * 100 + 50 - ordinal;

export const idAt = (ordinal: number): string => `web-${ordinal}/seen`;

export function snapshotOf(state: RolloutState): Snapshot {
  const units: Unit[] = [];
  const deletions: string[] = [];
  const creations: { ordinal: number; revision: string }[] = [];
  for (let ordinal = 0; ordinal < state.slots.length; ordinal += 1) {
    const slot = state.slots[ordinal]!;
    if (slot !== empty) units.push(unitIn(slot, ordinal));
    if ((state.deleting & (1 << ordinal)) !== 0) deletions.push(idAt(ordinal));
    const asked = state.creating[ordinal]!;
    if (asked > 0) creations.push({ ordinal, revision: revisions[asked - 1]! });
  }
  const { desired, paused } = state;
  const [targetRevision, previousRevision] = [revisions[target], revisions[previous]];
  const rollout: Rollout = { name: "web", targetRevision, previousRevision, desired, paused };
  return { nowMs: 1_000, rollout, units, requested: { deletions, creations } };
}

function unitIn(slot: number, ordinal: number): Unit {
  const condition = conditionIn(slot);
  return {
    name: `web-${ordinal}`,
    id: idAt(ordinal),
    ordinal,
    revision: revisions[revisionIn(slot)]!,
    health: healthOf[condition],
    scheduled: condition !== "unscheduled",
    createdAtMs: createdAt(slot, ordinal),
    ...(condition === "failed" ? { failed: true } : {}),
  };
}

/** The partition is the part of a policy that people change while a rollout runs. */
export const policyIn = ({ partition }: RolloutState, policy: Policy): Policy =>
  policy.kind === "rolling" ? { ...policy, partition } : policy;

/** Starts: all units outdated and serving, all outdated and broken, or none; with every partition. */
export function startsOf({ units, policy }: RolloutScope): RolloutState[] {
  const isByCount = policy.kind === "onDelete" && policy.scaleIn === "outdatedFirst";
  const places = units + (isByCount ? units : Math.min(units, policy.budget.maxSurge));
  const partitions = policy.kind === "rolling" ? units + 1 : 1;
  const rest = { unseen: [], deleting: 0, desired: units, paused: false };
  const starts = [slotOf(previous, "available"), slotOf(previous, "unavailable"), empty];
  return Array.from({ length: partitions }).flatMap((_, partition) =>
    starts.map((slot) => ({
      ...rest,
      partition,
      slots: Array.from({ length: places }, (_none, ordinal) => (ordinal < units ? slot : empty)),
      creating: Array.from({ length: places }, () => 0),
    })),
  );
}

export function drawState(state: RolloutState): string {
  const draw = (slots: readonly number[]): string =>
    slots
      .map((slot, ordinal) => `${ordinal === state.desired ? "| " : ""}${drawSlot(slot)}`)
      .join(" ");
  const notes = [
    ...(state.unseen.length > 0 ? [`seen as ${draw(state.slots)}`] : []),
    ...(state.paused ? ["paused"] : []),
    ...(state.partition > 0 ? [`partition ${state.partition}`] : []),
  ];
  return [draw(worldOf(state)), ...notes].join("   ");
}
