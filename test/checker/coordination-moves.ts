/** What can happen to two coordinated roles next. */
import type { CoordinationDecision } from "../../src/planner/coordination/coordination-decision.ts";
import {
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
const calm = { isHostile: false, isFair: true } as const;
const hostile = { isHostile: true, isFair: false } as const;

export function act(state: CoordinationState, decision: CoordinationDecision): CoordinationState {
  const roles = state.roles.map((role, at) => {
    const { cursor } = decision.roles.find((each) => each.role === roleNames[at])!;
    const template = revisions.findIndex((name) => name === cursor.revision);
    return { ...role, template, cursor: cursor.ordinal };
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
    moves.push({ label, next: acted, ...calm });
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

/** A workload with the right to replace all it was asked for at once; slower ones do less. */
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
    moves.push({ label: () => `${name} reports its new revision`, next, ...calm });
  }
  if (role.seen !== role.world && role.seen.some((slot, each) => slot !== role.world[each])) {
    const next = withRole(state, at, { ...role, seen: role.world });
    moves.push({ label: () => `coordinator sees ${name}`, next, ...calm });
  }
  role.world.forEach((slot, ordinal) => {
    const onwards = nextSlot(role, slot, ordinal);
    if (onwards === undefined) return;
    const next = withRole(state, at, happen(role, ordinal, onwards, scope));
    moves.push({ label: () => `${name}-${ordinal} goes on`, next, ...calm });
  });
  return moves;
}

function happen(
  role: RoleState,
  ordinal: number,
  slot: number,
  { isStale }: CoordinationScope,
): RoleState {
  const world = role.world.with(ordinal, slot);
  return { ...role, world, seen: isStale ? role.seen : world };
}

/** Asked units go, empty places are filled by what the cursor says, what starts comes up. */
function nextSlot({ cursor, template }: RoleState, slot: number, at: number): number | undefined {
  if (slot === empty) return slotOf(at >= cursor ? template : previous, "pending");
  if (isTerminating(slot)) return empty;
  if (at >= cursor && revisionIn(slot) !== template) return withCondition(slot, "terminating");
  return conditionIn(slot) === "available" ? undefined : withCondition(slot, "available");
}

export function hostileMoves(
  state: CoordinationState,
  scope: CoordinationScope,
): CoordinationMove[] {
  const moves: CoordinationMove[] = [
    { label: () => "user sets a new revision (v2 is v1 now)", next: retarget(state), ...hostile },
    { label: () => "user rolls back (v1 is v2 now)", next: rollBack(state), ...hostile },
  ];
  if (!state.paused) {
    moves.push({ label: () => "user pauses", next: { ...state, paused: true }, ...hostile });
  }
  for (let partition = 0; partition <= Math.max(...scope.sizes); partition += 1) {
    if (partition === state.partition) continue;
    const label = (): string => `user sets partition ${partition}`;
    moves.push({ label, next: { ...state, partition }, ...hostile });
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
    const become = (condition: "unavailable" | "terminating"): CoordinationState =>
      withRole(state, at, happen(role, ordinal, withCondition(slot, condition), scope));
    const unit = `${roleNames[at]}-${ordinal}`;
    moves.push({
      label: () => `adversary removes ${unit}`,
      next: become("terminating"),
      ...hostile,
    });
    if (conditionIn(slot) === "unavailable") return;
    moves.push({
      label: () => `adversary breaks ${unit}`,
      next: become("unavailable"),
      ...hostile,
    });
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
    withRole(state, at, { ...role, seen: change(seen), world: change(world) });
  const label = (by: number) => (): string => `user scales ${roleNames[at]} to ${seen.length + by}`;
  const moves: CoordinationMove[] = [];
  if (seen.length < sizes[at]!) {
    moves.push({ label: label(1), next: scaled((slots) => [...slots, empty]), ...hostile });
  }
  if (seen.length > 1) {
    moves.push({ label: label(-1), next: scaled((slots) => slots.slice(0, -1)), ...hostile });
  }
  return moves;
}

const mapRoles = (
  state: CoordinationState,
  slot: (slot: number) => number,
  revision: (revision: number) => number,
): CoordinationState => ({
  ...state,
  roles: state.roles.map((role) => ({
    ...role,
    seen: role.seen.map(slot),
    world: role.world.map(slot),
    template: revision(role.template),
    observed: revision(role.observed),
  })),
});

const retarget = (state: CoordinationState): CoordinationState =>
  mapRoles(state, afterRetarget, (revision) => Math.min(2, revision + 1));

const rollBack = (state: CoordinationState): CoordinationState =>
  mapRoles(state, afterRollback, (revision) =>
    revision === target ? previous : revision === previous ? target : revision,
  );
