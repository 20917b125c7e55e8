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
export class World {
  truth: Snapshot;
  view: Snapshot;
  readonly policy: Policy;

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
