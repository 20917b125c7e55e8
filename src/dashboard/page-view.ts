/** What the page gets of rollouts, besides the cells and series of their frames. Pure. */
import { groupResource } from "../api/resource.ts";
import { servingText } from "../rollouts/counting.ts";
import { remainingOf } from "../rollouts/eta.ts";
import type { RolloutKind } from "../rollouts/kind.ts";
import type { Loaded } from "../rollouts/compose.ts";
import { differencesBetween, pathText, revisionRows } from "../rollouts/revisions.ts";
import type { RolloutView } from "../rollouts/view.ts";
import { waitsForOperator } from "../rollouts/view.ts";
import { asksForHelp, explain, headlineOf } from "../rollouts/why.ts";
import { offersOf } from "./offers.ts";

export const summaryOf = (view: RolloutView) => {
  const { object, state, reason, since, counts, progress, operator } = view;
  return {
    id: `${object.word}/${object.namespace}/${object.name}`,
    object,
    state,
    reason: reason.message,
    since,
    counts,
    progress,
    /** There where it waits for an operator: since when none is at work. */
    leftSince: waitsForOperator(view) ? operator?.since : undefined,
  };
};

const recentEvents = 30;

export interface Followed {
  readonly kind: RolloutKind;
  readonly loaded: Loaded;
  readonly view: RolloutView;
  /** For the first time: nothing is promised before all of it has served. */
  readonly isComingUp: boolean;
}

/** The view without its tree, which frames bring, but with its explanation and what can be done. */
export function pageOf({ kind, loaded, view, isComingUp }: Followed) {
  const { nodes: _nodes, events, ...rest } = view;
  const records = kind.revisions(loaded);
  return {
    ...rest,
    nowMs: loaded.nowMs,
    isComingUp,
    headline: headlineOf(view),
    asksForHelp: asksForHelp(view),
    budgetNote: view.budget === undefined ? "" : servingText(view.budget),
    etaMs: remainingOf(view, loaded.nowMs),
    resource: groupResource(kind.resource),
    events: events.slice(-recentEvents).toReversed(),
    why: explain(view),
    offers: offersOf(kind, loaded),
    images: kind.steering.images(loaded.object),
    revisions: revisionRows(view, records).toReversed(),
  };
}

export interface PageDifference {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/** Undefined where one of the revisions is not recorded. */
export function differencesOf(
  { kind, loaded }: Pick<Followed, "kind" | "loaded">,
  [from, to]: readonly [number, number],
): readonly PageDifference[] | undefined {
  const records = kind.revisions(loaded);
  const before = records.find(({ number }) => number === from);
  const after = records.find(({ number }) => number === to);
  if (before === undefined || after === undefined) return undefined;
  return differencesBetween(before, after).map((difference) => ({
    path: pathText(difference.path),
    ...(difference.before === undefined ? {} : { before: textOf(difference.before) }),
    ...(difference.after === undefined ? {} : { after: textOf(difference.after) }),
  }));
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
