/** The promises of a rollout, each checked against what the controller saw, decided and left behind. */
import type { Action, Decision } from "../../src/planner/decision.ts";
import type { Policy } from "../../src/planner/policy.ts";
import { createdAt, idAt, worldOf, type RolloutState } from "./rollout-state.ts";
import {
  conditionIn,
  empty,
  isAvailable,
  isFailed,
  isLive,
  isTerminating,
  previous,
  revisionIn,
  revisions,
  target,
} from "./slot.ts";

export interface RolloutStep {
  readonly state: RolloutState;
  readonly policy: Policy;
  readonly decision: Decision;
  /** The state after every action was performed. */
  readonly next: RolloutState;
  /** What it saw, with its own deletions counted from the moment of the request. */
  readonly seen: readonly number[];
  readonly taken: ReadonlySet<number>;
}

type Promised = (step: RolloutStep) => string | undefined;

export function brokenPromise(step: RolloutStep): string | undefined {
  for (const promised of promises) {
    const broken = promised(step);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

const count = (
  slots: readonly number[],
  isCounted: (slot: number, at: number) => boolean,
): number => slots.reduce((sum, slot, at) => sum + Number(isCounted(slot, at)), 0);

const isOutdated = (slot: number): boolean => slot !== empty && revisionIn(slot) !== target;
const isByCount = (policy: Policy): boolean =>
  policy.kind === "onDelete" && policy.scaleIn === "outdatedFirst";

/** Outdated, to be replaced, and not terminating. */
function isReplaceable({ state, policy }: RolloutStep, slot: number, ordinal: number): boolean {
  const isStaged = ordinal >= state.partition && ordinal < state.desired;
  return policy.kind === "rolling" && isStaged && isLive(slot) && isOutdated(slot);
}

const isServing = (step: RolloutStep, slot: number, ordinal: number): boolean =>
  isReplaceable(step, slot, ordinal) && isAvailable(slot);

/** Counted as down for minReadySeconds alone. */
const isUnproven = (slot: number): boolean => conditionIn(slot) === "ready" && isOutdated(slot);

/** Units that may serve after this step, those of the base included that wait out minReadySeconds. */
const mayServe = ({ state, seen, taken }: RolloutStep): number =>
  count(
    seen,
    (slot, at) => !taken.has(at) && (isAvailable(slot) || (at < state.desired && isUnproven(slot))),
  );

const floorOf = ({ state, policy }: RolloutStep): number =>
  state.desired - policy.budget.maxUnavailable;

/** RO16: a clock that went back makes units that serve look as if they had just become ready. */
const unprovenStay: Promised = (step) => {
  const { seen, taken } = step;
  const lost = count(
    seen,
    (slot, at) => taken.has(at) && isUnproven(slot) && isReplaceable(step, slot, at),
  );
  const [left, floor] = [mayServe(step), floorOf(step)];
  return lost > 0 && left < floor
    ? `P1 budget: ${lost} ready units are deleted, ${left} may serve after it, ${floor} must`
    : undefined;
};

const budget: Promised = (step) => {
  const { state, seen, taken, next } = step;
  const floor = floorOf(step);
  const before = count(seen, isAvailable);
  const lost = count(seen, (slot, at) => taken.has(at) && isAvailable(slot));
  if (lost > 0 && before - lost < floor) {
    return `P1 budget: ${before} serve, ${lost} of them are deleted, ${floor} must stay`;
  }
  const world = worldOf(state);
  const left = count(worldOf(next), isAvailable);
  const isOurs = left < count(world, isAvailable);
  const unforeseen = count(seen, (slot, at) => isAvailable(slot) && !isAvailable(world[at]!));
  if (isOurs && left + unforeseen < floor) {
    return `P1 budget: ${left} really serve after it, ${floor} must`;
  }
  return undefined;
};

const surge: Promised = (step) => {
  const { state, policy, decision, seen, next } = step;
  const added = decision.actions.filter(({ code }) => code === "Surge");
  if (added.length === 0) return undefined;
  const extra = count(worldOf(next), (slot, at) => at >= state.desired && isLive(slot));
  if (extra > policy.budget.maxSurge) {
    return `P2 surge: ${extra} units above desired, ${policy.budget.maxSurge} may be`;
  }
  const useful = count(seen, (slot, at) => isServing(step, slot, at));
  if (added.length > useful) return "P2 surge: a unit is added that stands in for nobody";
  const isOnTarget = added.every(
    (action) => action.kind === "create" && action.revision === revisions[target],
  );
  return isOnTarget ? undefined : "P2 surge: it is not on the target revision";
};

const brokenIsFree: Promised = (step) => {
  const { state, policy, seen, taken } = step;
  if (policy.kind !== "rolling" || policy.brokenUnits === "wait") return undefined;
  const isSpent = mayServe(step) <= floorOf(step);
  const waits = (slot: number): boolean =>
    conditionIn(slot) === "ready" && (policy.pacing !== "parallel" || isSpent);
  const kept = seen.findIndex(
    (slot, at) =>
      !taken.has(at) &&
      isReplaceable(step, slot, at) &&
      !isAvailable(slot) &&
      !waits(slot) &&
      (!state.paused || isFailed(slot)),
  );
  return kept < 0 ? undefined : `P3 broken costs nothing: web-${kept} is left as it is`;
};

const failedComeBack: Promised = ({ state, policy, seen, taken }) => {
  if (isByCount(policy)) return undefined;
  const left = seen.findIndex((slot, at) => at < state.desired && isFailed(slot) && !taken.has(at));
  return left < 0 ? undefined : `P3 a unit that failed for good is left: web-${left}`;
};

const noHoles: Promised = (step) => {
  const { state, policy, decision, seen } = step;
  const top = state.desired + Math.min(state.desired, policy.budget.maxSurge);
  for (const action of decision.actions) {
    if (action.kind !== "create" || isByCount(policy)) continue;
    const isSurge = action.code === "Surge";
    const isInside = isSurge
      ? action.ordinal >= state.desired && action.ordinal < top
      : action.ordinal >= 0 && action.ordinal < state.desired;
    if (!isInside) return `P4 no holes: ordinal ${action.ordinal} is created out of place`;
  }
  if (decision.kind !== "done") return undefined;
  if (isByCount(policy)) {
    const [live, all] = [count(seen, isLive), count(seen, (slot) => slot !== empty)];
    return live === state.desired && all === live ? undefined : "P4 no holes: done with others";
  }
  const wrong = seen.findIndex((slot, at) => (slot !== empty) !== at < state.desired);
  return wrong < 0 ? undefined : `P4 no holes: done while ordinal ${wrong} is not as it should be`;
};

/** Done means serving, and on the target wherever the partition does not keep it. */
const doneIsDone: Promised = ({ state, policy, decision, seen }) => {
  if (decision.kind !== "done") return undefined;
  const isKept = (at: number): boolean => policy.kind === "onDelete" || at < state.partition;
  const early = seen.findIndex(
    (slot, at) => at < state.desired && (!isAvailable(slot) || (isOutdated(slot) && !isKept(at))),
  );
  if (early < 0 || isByCount(policy)) return undefined;
  return `P7 done is said too early: web-${early} is not there yet`;
};

const neverBackwards: Promised = ({ state, policy, decision, seen }) => {
  // Requested creations count, even if the view does not show them yet.
  const asked = state.creating.filter((revision) => revision > 0).length;
  const surplus = count(seen, isLive) + asked - state.desired;
  let removed = 0;
  for (const action of decision.actions) {
    if (action.kind === "create") continue;
    const slot = seen[action.ordinal] ?? empty;
    if (isFailed(slot)) continue;
    removed += 1;
    if (isByCount(policy)) {
      const isLeft = (other: number): boolean => isLive(other) && isOutdated(other);
      const keepsOutdated = !isOutdated(slot) && count(seen, isLeft) > surplus;
      if (removed > surplus || keepsOutdated)
        return "P5 scale-in takes more, or others, than it must";
      continue;
    }
    if (action.ordinal >= state.desired) continue;
    if (policy.kind === "onDelete") return `P5 OnDelete deletes web-${action.ordinal}`;
    if (!isOutdated(slot)) return `P5 never backwards: web-${action.ordinal} is on the target`;
    if (action.ordinal < state.partition) {
      return `P5 the partition keeps web-${action.ordinal}, and it is deleted`;
    }
    if (state.paused) return `P5 web-${action.ordinal} is replaced during a pause`;
  }
  return undefined;
};

/** A surge unit of the target is deleted only when it stands in for no other unit. */
const surgeStays: Promised = (step) => {
  const { state, policy, decision, seen } = step;
  if (policy.kind === "onDelete") return undefined;
  const isAsked = (at: number): boolean => state.creating[at]! > 0;
  const extra = count(
    seen,
    (slot, at) => at >= state.desired && (isAsked(at) || (isLive(slot) && !isOutdated(slot))),
  );
  const isOpen = seen.some(
    (slot, at) =>
      at >= state.partition && at < state.desired && (!isAvailable(slot) || isOutdated(slot)),
  );
  const gone = decision.actions.filter(
    (action) => action.kind === "delete" && isAvailable(seen[action.ordinal] ?? empty),
  );
  const useful = gone.filter((action) => !isOutdated(seen[action.ordinal]!)).length;
  if (!isOpen || useful === 0 || extra - useful >= policy.budget.maxSurge) return undefined;
  return "P5 surge leaves before everybody is back";
};

const createdAsPromised: Promised = ({ state, policy, decision }) => {
  for (const action of decision.actions) {
    if (action.kind !== "create") continue;
    const isKept = policy.kind === "rolling" && action.ordinal < state.partition;
    const wanted = revisions[isKept && action.code !== "Surge" ? previous : target];
    if (action.revision === wanted) continue;
    return `P6 ordinal ${action.ordinal} is created as ${action.revision}, not ${wanted}`;
  }
  return undefined;
};

const inTurn: Promised = (step) => {
  const { policy, seen, taken } = step;
  if (policy.kind === "onDelete") return undefined;
  const serving = seen.flatMap((slot, at) => (isServing(step, slot, at) ? [at] : []));
  const rank = (at: number): number => {
    if (policy.ordering === "descendingOrdinal") return -at;
    return policy.ordering === "oldestFirst" ? createdAt(seen[at]!, at) : at;
  };
  const order = serving.toSorted((a, b) => rank(a) - rank(b));
  const firstLeft = order.findIndex((at) => !taken.has(at));
  const jumped = firstLeft < 0 ? undefined : order.slice(firstLeft).find((at) => taken.has(at));
  if (jumped === undefined) return undefined;
  return `P10 order: web-${jumped} goes before web-${order[firstLeft]}`;
};

const nothingTwice: Promised = ({ state, decision, seen, taken }) => {
  const created = new Set<number>();
  for (const action of decision.actions) {
    const slot = seen[action.ordinal] ?? empty;
    if (action.kind === "create") {
      const isTaken = slot !== empty || (state.creating[action.ordinal] ?? 0) !== 0;
      if (isTaken || created.has(action.ordinal)) return `P11 twice: ${shown(action)} again`;
      created.add(action.ordinal);
    } else if (slot === empty || isTerminating(slot) || action.id !== idAt(action.ordinal)) {
      return `P11 twice: ${shown(action)} again`;
    }
  }
  const all = decision.actions.length;
  return created.size + taken.size === all ? undefined : "P11 twice: two actions for one unit";
};

const shown = ({ kind, ordinal }: Action): string => `${kind} web-${ordinal}`;

/** If nothing but the budget limits the rollout, it uses all of it. */
const prompt: Promised = (step) => {
  const { state, policy, seen, taken } = step;
  if (policy.kind === "onDelete" || policy.pacing !== "parallel" || state.paused) return undefined;
  if (policy.brokenUnits === "wait") return undefined;
  const isIdle = seen.some((slot, at) => isServing(step, slot, at) && !taken.has(at));
  const left = count(seen, (slot, at) => isAvailable(slot) && !taken.has(at));
  const isRoom = left > Math.max(0, state.desired - policy.budget.maxUnavailable);
  return isIdle && isRoom ? "P7 live: the budget has room and nobody goes" : undefined;
};

const orderly: Promised = (step) => {
  const { state, policy, decision, seen, taken } = step;
  if (policy.pacing === "parallel") return undefined;
  const down = seen.findIndex((slot, at) => at < state.desired && !isAvailable(slot));
  const leaves = decision.actions.filter((action) => action.kind === "delete");
  if (leaves.length > 1) return "ordered: more than one unit leaves at once";
  const [first] = leaves;
  const isAbove = (slot: number, at: number): boolean =>
    at > (first?.ordinal ?? 99) && slot !== empty;
  const isFromTop = policy.budget.maxSurge === 0 && !isByCount(policy);
  if (first !== undefined && isFromTop && seen.some(isAbove)) {
    return "ordered: a unit leaves from below the top";
  }
  if (policy.pacing === "strict") return undefined;
  const created = decision.actions.filter(({ code }) => code === "UnitMissing");
  if (created.length > 1) return "ordered: more than one unit starts at once";
  if (created.length === 1 && !isByCount(policy) && created[0]!.ordinal !== down) {
    return `ordered: web-${created[0]!.ordinal} starts before web-${down} serves`;
  }
  if (policy.kind === "onDelete") return undefined;
  const isReturning = (slot: number, at: number): boolean =>
    at < state.desired &&
    state.creating[at] === 0 &&
    (slot === empty || (!isOutdated(slot) && !isAvailable(slot)));
  const takes = seen.some((slot, at) => taken.has(at) && isServing(step, slot, at));
  return takes && seen.some(isReturning) ? "ordered: a round starts inside another" : undefined;
};

/** Strict: no unit is replaced while a unit that is back is preceded by one that is not. */
const strictly: Promised = (step) => {
  const { state, policy, seen, taken } = step;
  if (policy.kind === "onDelete" || policy.pacing !== "strict") return undefined;
  if (policy.ordering !== "descendingOrdinal") return undefined;
  const staged = seen.map(
    (slot, at) => at >= state.partition && at < state.desired && { slot, at },
  );
  const places = staged.filter((place) => place !== false);
  const goes = places.filter(({ slot, at }) => taken.has(at) && isServing(step, slot, at));
  const isBack = (slot: number): boolean => isAvailable(slot) && !isOutdated(slot);
  const isAway = (slot: number): boolean => !isLive(slot) || (!isOutdated(slot) && !isBack(slot));
  const jumper = goes.find((unit) =>
    places.some(
      (back) =>
        back.at > unit.at &&
        isBack(back.slot) &&
        places.some((away) => away.at > back.at && isAway(away.slot)),
    ),
  );
  return jumper === undefined ? undefined : `ordered: web-${jumper.at} goes out of turn`;
};

const explained: Promised = ({ decision }) => {
  const { reason, waits, kind } = decision;
  if (reason.message === "") return "P7 the decision has no reason";
  const isVague = waits.some(({ unit, freedBy }) => unit === "" || freedBy === "");
  if (isVague) return "P7 a wait does not say who or what would free it";
  if (kind !== "hold" || waits.length > 0) return undefined;
  const isClear = reason.code === "Paused" || reason.code === "NoBudget";
  return isClear ? undefined : `P7 it holds (${reason.code}) and names nobody`;
};

const promises: readonly Promised[] = [
  nothingTwice,
  budget,
  unprovenStay,
  surge,
  brokenIsFree,
  failedComeBack,
  noHoles,
  doneIsDone,
  neverBackwards,
  surgeStays,
  createdAsPromised,
  inTurn,
  prompt,
  orderly,
  strictly,
  explained,
];
