/** Draws a foreseen rollout as one short line per step, for golden sequences. */
import type { Action } from "../../src/planner/decision.ts";
import type { ForeseenStep } from "../../src/planner/foresee.ts";

const marks = { create: "+", replace: "↻", delete: "-" } as const;
const ordinalOf = (name: string): string => name.slice(name.lastIndexOf("-") + 1);

export const drawActions = (actions: readonly Action[]): string =>
  actions.map(({ kind, ordinal }) => `${marks[kind]}${ordinal}`).join(" ");

/** `+3` create, `↻0` replace, `-3` delete, `0 gone`, `0 up`. */
export function drawSteps(steps: readonly ForeseenStep[]): string[] {
  return steps.map((step) => {
    if (step.kind === "act") return drawActions(step.decision.actions);
    const gone = step.gone.map((name) => `${ordinalOf(name)} gone`);
    return [...gone, ...step.available.map((name) => `${ordinalOf(name)} up`)].join(", ");
  });
}
