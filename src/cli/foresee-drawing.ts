/** Draws a foreseen rollout: one line per step, and below it the units that serve. */
import type { Action } from "../planner/decision.ts";
import type { ForeseenStep, Foresight } from "../planner/foresee.ts";
import { shortDuration } from "./event-table.ts";

/** Colours a glyph, or leaves it as it is where output does not go to a terminal. */
export interface Paint {
  old(text: string): string;
  fresh(text: string): string;
  down(text: string): string;
  faint(text: string): string;
}

type Shape = "old" | "fresh" | "starting" | "leaving" | "missing";
const glyphs: Readonly<Record<Shape, string>> = {
  old: "○",
  fresh: "●",
  starting: "◌",
  leaving: "×",
  missing: "·",
};
const widestRow = 60;

export const legend = [
  `${glyphs.old} old  ${glyphs.fresh} new  ${glyphs.leaving} leaving`,
  `${glyphs.missing} gone  ${glyphs.starting} starting   | surge`,
].join("  ");

/** Keeps how each ordinal is drawn, from step to step. */
class Row {
  readonly #shapes = new Map<number, Shape>();
  readonly #desired: number;

  constructor(desired: number) {
    this.#desired = desired;
    for (let ordinal = 0; ordinal < desired; ordinal += 1) this.#shapes.set(ordinal, "old");
  }

  apply(step: ForeseenStep): void {
    if (step.kind === "act") {
      for (const { kind, ordinal } of step.decision.actions) {
        this.#shapes.set(ordinal, kind === "create" ? "starting" : "leaving");
      }
      return;
    }
    for (const name of step.gone) this.#leave(ordinalOf(name));
    for (const name of step.available) this.#shapes.set(ordinalOf(name), "fresh");
  }

  draw(paint: Paint): string {
    const draw = (ordinals: readonly number[]): string =>
      ordinals.map((ordinal) => paintShape(this.#shapes.get(ordinal) ?? "missing", paint)).join("");
    const ordinals = [...this.#shapes.keys()].toSorted((a, b) => a - b);
    const surge = draw(ordinals.filter((ordinal) => ordinal >= this.#desired));
    const base = draw(ordinals.filter((ordinal) => ordinal < this.#desired));
    return surge === "" ? base : `${base}|${surge}`;
  }

  #leave(ordinal: number): void {
    if (ordinal < this.#desired) this.#shapes.set(ordinal, "missing");
    else this.#shapes.delete(ordinal);
  }
}

const ordinalOf = (name: string): number => Number(name.slice(name.lastIndexOf("-") + 1));

function paintShape(shape: Shape, paint: Paint): string {
  switch (shape) {
    case "old":
      return paint.old(glyphs.old);
    case "fresh":
      return paint.fresh(glyphs.fresh);
    case "starting":
      return paint.faint(glyphs.starting);
    case "leaving":
    case "missing":
      return paint.down(glyphs[shape]);
  }
}

export function drawForesight(
  foresight: Foresight,
  name: string,
  desired: number,
  paint: Paint,
): string[] {
  const row = new Row(desired);
  const lines: string[] = [];
  for (const step of foresight.steps) {
    row.apply(step);
    const { available, outdated } = step.counts;
    const when = shortDuration(step.atMs).padStart(7);
    const picture = desired <= widestRow ? `${row.draw(paint)}   ` : "";
    lines.push(`${when}  ${describeStep(step, name)}`);
    lines.push(
      `${" ".repeat(9)}${picture}${paint.faint(`${available} of ${desired} available, ${outdated} outdated`)}`,
    );
  }
  return lines;
}

function describeStep(step: ForeseenStep, name: string): string {
  if (step.kind === "act") return describeActions(step.decision.actions, name);
  const gone = step.gone.length > 0 ? [`${listed(step.gone)} gone`] : [];
  const available = step.available.length > 0 ? [`${listed(step.available)} available`] : [];
  return [...gone, ...available].join(", ");
}

function describeActions(actions: readonly Action[], name: string): string {
  const called = (action: Action): string =>
    action.kind === "create" ? `${name}-${action.ordinal}` : action.unit;
  const say = (verb: string, isMeant: (action: Action) => boolean): string[] => {
    const meant = actions.filter(isMeant);
    return meant.length > 0 ? [`${verb} ${listed(meant.map(called))}`] : [];
  };
  return [
    ...say("create surge", ({ code }) => code === "Surge"),
    ...say("create", ({ kind, code }) => kind === "create" && code !== "Surge"),
    ...say("delete for replacement", ({ kind }) => kind === "replace"),
    ...say("delete", ({ kind }) => kind === "delete"),
  ].join("; ");
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 6).join(", ");
  return names.length > 6 ? `${shown} and ${names.length - 6} more` : shown;
}
