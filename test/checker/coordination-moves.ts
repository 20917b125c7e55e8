/** What can happen to two coordinated roles next. */
import type { CoordinationDecision } from "../../src/planner/coordination/coordination-decision.ts";
import {
  isLetThrough,
  roleNames,
  type CoordinationScope,
  type CoordinationState,
  type RoleState,
} from "./coordination-state.ts";
import type { Move } from "./explore.ts";
import {
  afterRetarget,
  afterRollback,
  conditionIn,
  empty,
  isLive,
  isTerminating,
  previous,
  revisionIn,
  revisions,
  slotOf,
  target,
  withCondition,
} from "./slot.ts";

type CoordinationMove = Move<CoordinationState>;
const calm = (label: () => string, next: CoordinationState): CoordinationMove => ({
  label,
  next,
  isHostile: false,
  isFair: true,
});
const hostile = (label: () => string, next: CoordinationState): CoordinationMove => ({
  label,
  next,
  isHostile: true,
  isFair: false,
});

export function act(state: CoordinationState, decision: CoordinationDecision): CoordinationState {
  const roles = state.roles.map((role, at) => {
    const { cursor } = decision.roles.find((each) => each.role === roleNames[at])!;
    const template = revisions.findIndex((name) => name === cursor.revision);
    const ahead = (cursor.ahead ?? []).reduce((bits, ordinal) => bits | (1 << ordinal), 0);
    return { ...role, template, cursor: cursor.ordinal, ahead };
  });
  return { ...state, roles };
}

export function calmMoves(
  state: CoordinationState,
  decision: CoordinationDecision,
  acted: CoordinationState,
  scope: CoordinationScope,
): CoordinationMove[] {
  const moves: CoordinationMove[] = [];
  if (decision.kind === "begin" || decision.kind === "advance") {
    const label = (): string =>
      `coordinator ${decision.kind}s ${acted.roles.map(({ cursor }) => cursor).join("/")}`;
    moves.push(calm(label, acted));
  }
  if (state.paused) {
    const next = { ...state, paused: false };
    moves.push({ label: () => "user resumes", next, isHostile: false, isFair: false });
  }
  state.roles.forEach((role, at) => moves.push(...workloadMoves(state, role, at, scope)));
  return moves;
}

const withRole = (state: CoordinationState, at: number, role: RoleState): CoordinationState => ({
  ...state,
  roles: state.roles.with(at, role),
});

/** The workload may replace all asked units at once; slower workloads do a part of that. */
function workloadMoves(
  state: CoordinationState,
  role: RoleState,
  at: number,
  scope: CoordinationScope,
): CoordinationMove[] {
  const moves: CoordinationMove[] = [];
  const name = roleNames[at]!;
  if (role.observed !== role.template) {
    const next = withRole(state, at, { ...role, observed: role.template });
    moves.push(calm(() => `${name} reports its new revision`, next));
  }
  if (role.lag > 0) {
    const next = withRole(state, at, { ...role, seen: role.world, lag: 0 });
    moves.push(calm(() => `coordinator sees ${name}`, next));
  }
  role.world.forEach((slot, ordinal) => {
    const onwards = nextSlot(role, slot, ordinal);
    if (onwards === undefined) return;
    const next = withRole(state, at, happen(role, ordinal, onwards, scope));
    moves.push(calm(() => `${name}-${ordinal} goes on`, next));
  });
  return moves;
}

/** A view that lags as far as it may catches up before the next event happens. */
function happen(
  role: RoleState,
  ordinal: number,
  slot: number,
  { maxLag }: CoordinationScope,
): RoleState {
  const world = role.world.with(ordinal, slot);
  if (maxLag === 0) return { ...role, world, seen: world };
  const isRefreshed = role.lag === maxLag;
  const seen = isRefreshed ? role.world : role.seen;
  const isSeen = seen.every((known, at) => known === world[at]);
  return { ...role, world, seen, lag: isSeen ? 0 : isRefreshed ? 1 : role.lag + 1 };
}

/** The revision of a terminating unit makes no difference, so it is not tracked. */
const leaving = slotOf(previous, "terminating");

/** Asked units terminate, empty ordinals are filled as the cursor says, and starting units become available. */
function nextSlot(role: RoleState, slot: number, at: number): number | undefined {
  const { template } = role;
  const isAsked = isLetThrough(role, at);
  if (slot === empty) return slotOf(isAsked ? template : previous, "pending");
  if (isTerminating(slot)) return empty;
  if (isAsked && revisionIn(slot) !== template) return leaving;
  return conditionIn(slot) === "available" ? undefined : withCondition(slot, "available");
}

export function hostileMoves(
  state: CoordinationState,
  scope: CoordinationScope,
): CoordinationMove[] {
  const moves: CoordinationMove[] = [
    hostile(() => "user sets a new revision (v2 is v1 now)", retarget(state)),
    hostile(() => "user rolls back (v1 is v2 now)", rollBack(state)),
  ];
  if (!state.paused) {
    moves.push(hostile(() => "user pauses", { ...state, paused: true }));
  }
  for (let partition = 0; partition <= Math.max(...scope.sizes); partition += 1) {
    if (partition === state.partition) continue;
    const label = (): string => `user sets partition ${partition}`;
    moves.push(hostile(label, { ...state, partition }));
  }
  state.roles.forEach((role, at) => {
    moves.push(...harm(state, role, at, scope), ...scaling(state, role, at, scope));
  });
  return moves;
}

function harm(
  state: CoordinationState,
  role: RoleState,
  at: number,
  scope: CoordinationScope,
): CoordinationMove[] {
  const moves: CoordinationMove[] = [];
  role.world.forEach((slot, ordinal) => {
    if (!isLive(slot)) return;
    const become = (slot: number): CoordinationState =>
      withRole(state, at, happen(role, ordinal, slot, scope));
    const unit = `${roleNames[at]}-${ordinal}`;
    const removes = (): string => `adversary removes ${unit}`;
    moves.push(hostile(removes, become(leaving)));
    if (conditionIn(slot) === "unavailable") return;
    const broken = become(withCondition(slot, "unavailable"));
    moves.push(hostile(() => `adversary breaks ${unit}`, broken));
  });
  return moves;
}

/** Scaling in takes the highest ordinal, which is the one that was updated first. */
function scaling(
  state: CoordinationState,
  role: RoleState,
  at: number,
  { sizes }: CoordinationScope,
): CoordinationMove[] {
  const { seen, world } = role;
  const scaled = (change: (slots: readonly number[]) => readonly number[]): CoordinationState =>
    withRole(state, at, { ...role, ...viewed(change(seen), change(world), role.lag) });
  const label = (by: number) => (): string => `user scales ${roleNames[at]} to ${seen.length + by}`;
  const moves: CoordinationMove[] = [];
  if (seen.length < sizes[at]!) {
    moves.push(
      hostile(
        label(1),
        scaled((slots) => [...slots, empty]),
      ),
    );
  }
  if (seen.length > 1) {
    moves.push(
      hostile(
        label(-1),
        scaled((slots) => slots.slice(0, -1)),
      ),
    );
  }
  return moves;
}

const viewed = (seen: readonly number[], world: readonly number[], lag: number) => ({
  seen,
  world,
  lag: seen.every((slot, at) => slot === world[at]) ? 0 : lag,
});

const mapRoles = (
  state: CoordinationState,
  slot: (slot: number) => number,
  revision: (revision: number) => number,
): CoordinationState => ({
  ...state,
  roles: state.roles.map((role) => ({
    ...role,
    ...viewed(role.seen.map(slot), role.world.map(slot), role.lag),
    template: revision(role.template),
    observed: revision(role.observed),
  })),
});

const staying =
  (change: (slot: number) => number) =>
  (slot: number): number =>
    isTerminating(slot) ? slot : change(slot);

const retarget = (state: CoordinationState): CoordinationState =>
  mapRoles(state, staying(afterRetarget), (revision) => Math.min(2, revision + 1));

const rollBack = (state: CoordinationState): CoordinationState =>
  mapRoles(state, staying(afterRollback), (revision) =>
    revision === target ? previous : revision === previous ? target : revision,
  );
