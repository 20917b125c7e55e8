/** A preview cannot lie: deciding anew at every step of it, on a world of its own, gives the same steps. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyWorld, policyFamilies } from "../../test/builders/planner-arbitraries.ts";
import { decide } from "./decide.ts";
import type { Action, Decision } from "./decision.ts";
import { foresee, type ForeseenStep, type FleetCounts } from "./foresee.ts";
import { performAll, setHealth, vanish } from "./model.ts";
import type { Policy } from "./policy.ts";
import { progressOf } from "./progress.ts";
import type { Snapshot } from "./rollout.ts";

/** Ids are made up by each world for itself; all else must be the same. */
const withoutId = (action: Action): Action =>
  action.kind === "create" ? action : { ...action, id: "" };

const comparable = ({ kind, actions, reason, waits, waitingFor, remedy }: Decision) => ({
  kind,
  actions: actions.map(withoutId),
  reason,
  waits: waits.map(({ unit, ordinal, code }) => ({ unit, ordinal, code })),
  waitingFor,
  remedy,
});

function named(world: Snapshot, name: string): string {
  const unit = world.units.find((candidate) => candidate.name === name);
  if (unit === undefined) throw new Error(`the preview speaks of ${name}, and there is none`);
  return unit.id;
}

/** What the step says happens, carried out unit by unit. */
function after(world: Snapshot, step: ForeseenStep, decision: Decision): Snapshot {
  if (step.kind === "act") return performAll(world, decision.actions);
  const gone = step.gone.reduce((now, name) => vanish(now, named(now, name)), world);
  return step.available.reduce((now, name) => setHealth(now, named(now, name), "available"), gone);
}

const countsIn = (world: Snapshot, policy: Policy): Omit<FleetCounts, "down"> => {
  const { available, outdated, surge } = progressOf(world, policy);
  return { available, outdated, surge };
};

test.each(Object.entries(policyFamilies))(
  "RO7 RO10 what is foreseen for %s is what is decided at every step, to the end",
  (_name, policies) => {
    fc.assert(
      fc.property(anyWorld, policies, (start, policy) => {
        const { steps, end } = foresee(start, policy, { goneAfterMs: 2, availableAfterMs: 3 });
        let world = start;
        for (const step of steps) {
          world = { ...world, nowMs: start.nowMs + step.atMs };
          const decision = decide(world, policy);
          const isStep = decision.actions.length > 0;
          expect(isStep, "it acts exactly when it was foreseen to act").toBe(step.kind === "act");
          const foreseen = step.kind === "act" ? step.decision : undefined;
          const decided = isStep ? comparable(decision) : undefined;
          expect(decided).toEqual(foreseen && comparable(foreseen));
          world = after(world, step, decision);
          const { down: _, ...counts } = step.counts;
          expect(countsIn(world, policy)).toEqual(counts);
        }
        expect(comparable(decide(world, policy))).toEqual(comparable(end));
      }),
      { numRuns: 120 },
    );
  },
);
