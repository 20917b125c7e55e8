/** A cluster and a controller that may see it late; it fails as soon as a promise is broken. */
import { decide } from "../../src/planner/decide.ts";
import type { Action } from "../../src/planner/decision.ts";
import { perform, request, setHealth, vanish } from "../../src/planner/model.ts";
import type { Policy } from "../../src/planner/policy.ts";
import { nothingRequested, type Rollout, type Snapshot } from "../../src/planner/rollout.ts";
import type { Unit } from "../../src/planner/unit.ts";

function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`broken: ${rule}`);
}

const serving = (units: readonly Unit[]): number =>
  units.filter(({ health }) => health === "available").length;
const live = (units: readonly Unit[]): Unit[] =>
  units.filter(({ health }) => health !== "terminating");

/** The cluster, and a controller whose view of it may lag behind. */
export class PlannerWorld {
  truth: Snapshot;
  view: Snapshot;
  policy: Policy;

  constructor(start: Snapshot, policy: Policy) {
    this.truth = start;
    this.view = start;
    this.policy = policy;
  }

  refresh(): void {
    this.view = { ...this.truth, requested: nothingRequested };
  }

  change(rollout: Partial<Rollout>): void {
    this.truth = { ...this.truth, rollout: { ...this.truth.rollout, ...rollout } };
    this.view = { ...this.view, rollout: this.truth.rollout };
  }

  /** Where the kind has no partition there is none to move. */
  setPartition(partition: number): void {
    if (this.policy.kind === "rolling") this.policy = { ...this.policy, partition };
  }

  /** From here on everything that starts becomes available, and nobody interferes. */
  finish(): void {
    this.change({ paused: false });
    for (let turn = 0; turn < 200; turn += 1) {
      this.refresh();
      if (decide(this.view, this.policy).kind === "done") return;
      this.reconcile();
      this.settleAll();
    }
    const { reason } = decide(this.view, this.policy);
    throw new Error(`never done: ${reason.message} ${JSON.stringify(this.truth.units)}`);
  }

  settleAll(): void {
    for (let index = this.truth.units.length - 1; index >= 0; index -= 1) {
      this.happen("settle", index);
    }
  }

  /** What is not as it should be at the end of a rollout. */
  flaws(): string[] {
    const { units, rollout } = this.truth;
    const { policy } = this;
    const ordinals = units.map(({ ordinal }) => ordinal).toSorted((a, b) => a - b);
    const isByCount = policy.kind === "onDelete" && policy.scaleIn === "outdatedFirst";
    const isWhole = isByCount || ordinals.every((ordinal, at) => ordinal === at);
    const kept = policy.kind === "rolling" ? policy.partition : Infinity;
    const outdated = units.filter(
      ({ ordinal, revision }) => ordinal >= kept && revision !== rollout.targetRevision,
    );
    return [
      ...(units.length === rollout.desired && isWhole ? [] : [`RO4 holes: ${ordinals.join(" ")}`]),
      ...outdated.map(({ name, revision }) => `RO7 ${name} is still on ${revision}`),
    ];
  }

  /** Somebody else's doing is seen at once; only the controller's own writes may be invisible to it. */
  happen(kind: "settle" | "break" | "remove", index: number): void {
    const { units } = this.truth;
    if (units.length === 0) return;
    const unit = units[index % units.length]!;
    if (kind === "remove" || (kind === "settle" && unit.health === "terminating")) {
      this.truth = vanish(this.truth, unit.id);
    } else if (unit.health !== "terminating") {
      this.truth = setHealth(this.truth, unit.id, kind === "break" ? "unavailable" : "available");
    }
    this.refresh();
  }

  reconcile(): readonly Action[] {
    const decision = decide(this.view, this.policy);
    const before = this.truth;
    for (const action of decision.actions) {
      this.#check(action);
      this.truth = perform({ ...this.truth, nowMs: this.truth.nowMs + 1 }, action);
    }
    this.#checkPromises(before, decision.actions);
    this.view = request(this.view, decision.actions);
    return decision.actions;
  }

  #check(action: Action): void {
    const { units, rollout } = this.truth;
    if (action.kind === "create") {
      must(
        units.every(({ ordinal }) => ordinal !== action.ordinal),
        "RO4 one unit an ordinal",
      );
      return;
    }
    const unit = units.find(({ id }) => id === action.id);
    must(unit?.health !== "terminating", "RO11 nothing is deleted twice");
    const isTarget = unit?.revision === rollout.targetRevision;
    const mayGo = action.kind === "delete" || unit?.failed === true;
    must(!isTarget || mayGo, "RO5 never backwards");
  }

  #checkPromises(before: Snapshot, actions: readonly Action[]): void {
    const { maxUnavailable, maxSurge } = this.policy.budget;
    const { desired } = this.truth.rollout;
    const floor = Math.min(serving(before.units), desired - maxUnavailable);
    must(serving(this.truth.units) >= floor, "RO1 budget");
    if (!actions.some(({ code }) => code === "Surge")) return;
    const extra = live(this.truth.units).filter(({ ordinal }) => ordinal >= desired);
    must(extra.length <= maxSurge, "RO2 surge");
  }
}
