/** What the owner of a Placement should know and no status field says. */
import type { Placement } from "../../api/ocm/placement.ts";
import { clustersOf } from "../../api/ocm/placement.ts";
import { maxClustersPerDecision } from "../../planner/index.ts";
import type { Score, WritePhase } from "../../planner/index.ts";
import type { EventRecorder, EventText } from "../../runtime/event-recorder.ts";
import { aFew } from "../engine/action-events.ts";
import type { OwnerMemory } from "../engine/per-owner.ts";
import type { Failure } from "../engine/reconcile.ts";
import type { Observed } from "./observe.ts";
import type { DecisionPlan } from "./plan.ts";

interface Emitted {
  /** Warnings so far: a reminder at every reconcile would drown everything else. */
  readonly warnings: Set<string>;
  /** Lists were written since the last time that everything was at rest. */
  hasWritten: boolean;
  /** Decisions that are known to have passed the limit since then. */
  readonly surged: Set<string>;
}

interface PlacementEvents {
  emit(observed: Observed, planned: DecisionPlan, failure: Failure | undefined): void;
}

export function placementEvents(events: EventRecorder, memory: OwnerMemory): PlacementEvents {
  const emitted = memory.perOwner<Emitted>(() => ({
    warnings: new Set(),
    hasWritten: false,
    surged: new Set(),
  }));
  const warn = (placement: Placement, reason: string, message: string): void => {
    const { warnings } = emitted.of(placement);
    if (warnings.has(message)) return;
    warnings.add(message);
    events.record(placement, { type: "Warning", reason, message });
  };
  return {
    emit(observed, planned, failure) {
      const { placement, parsed, foreign } = observed;
      for (const text of parsed.kind === "valid" ? parsed.warnings : []) {
        warn(placement, "SettingIgnored", text);
      }
      if (foreign.length > 0) warn(placement, "ForeignDecision", foreignText(foreign));
      const { expiredScores } = planned;
      if (expiredScores.length > 0) warn(placement, "ScoreExpired", expiredText(expiredScores));
      const own = emitted.of(placement);
      const surge = surgeEvent(longLists(observed, planned, failure), own.surged);
      if (surge !== undefined) events.record(placement, surge);
      if (failure !== undefined) return;
      for (const event of restingEvents(observed, planned, own)) events.record(placement, event);
    },
  };
}

const foreignText = (names: readonly string[]): string =>
  `PlacementDecision ${aFew(names)}: somebody else's, although labelled with this Placement. ` +
  "Consumers read the clusters in it too. Lockstep leaves it alone: delete it, or remove its label";

const expiredText = (names: readonly string[]): string =>
  `AddOnPlacementScores ${aFew(names)} expired: they count as 0 until their add-on renews them`;

function restingEvents(
  observed: Observed,
  { decided, schedule }: DecisionPlan,
  emitted: Emitted,
): readonly EventText[] {
  if (decided.kind === "write") emitted.hasWritten ||= decided.phases.some(changesLists);
  if (decided.kind !== "done") return [];
  emitted.surged.clear();
  if (!emitted.hasWritten) return [];
  emitted.hasWritten = false;
  const { ranking } = schedule ?? {};
  return [
    { type: "Normal", reason: "DecisionUpdate", message: decided.reason.message },
    ...(ranking === undefined ? [] : [scoreEvent(ranking, observed)]),
  ];
}

/** Labels and owners say nothing about who is listed. */
const changesLists = ({ writes }: WritePhase): boolean =>
  writes.some(({ kind }) => kind !== "relabel" && kind !== "adopt");

type Sizes = ReadonlyMap<string, number>;

/** Lists above the limit: those that were found, for a write may fail behind them, and those just written. */
function longLists(
  { decisions }: Observed,
  { stage, decided }: DecisionPlan,
  failure: Failure | undefined,
): Sizes {
  if (decided.kind !== "write") return new Map();
  const isWritten = stage === "surge" && failure === undefined;
  const surge = isWritten ? decided.phases.find(({ phase }) => phase === stage) : undefined;
  const sizes = new Map([
    ...decisions.map((each) => [each.metadata.name ?? "", clustersOf(each).length] as const),
    ...(surge?.writes ?? []).flatMap((write) =>
      write.kind === "list" ? [[write.name, write.clusters.length] as const] : [],
    ),
  ]);
  return new Map([...sizes].filter(([, size]) => size > maxClustersPerDecision));
}

/** A list above the limit is legal, but some consumers copy decisions into objects that are stricter. */
function surgeEvent(long: Sizes, surged: Set<string>): EventText | undefined {
  const names = [...long.keys()].filter((name) => !surged.has(name));
  if (names.length === 0) return undefined;
  for (const name of names) surged.add(name);
  const most = Math.max(...names.map((name) => long.get(name) ?? 0));
  const verb = names.length === 1 ? "lists" : "list";
  const message =
    `while clusters move, ${aFew(names)} ${verb} up to ${most} clusters, more than the usual ` +
    `${maxClustersPerDecision}, so that none of them disappears`;
  return { type: "Normal", reason: "DecisionSurge", message };
}

const longestScores = 1000;

function scoreEvent(ranking: readonly Score[], { decisions }: Observed): EventText {
  const listed = new Set(decisions.flatMap(clustersOf));
  const text = ranking
    .filter(({ name }) => listed.has(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, score }) => `${name}:${score}`)
    .join(" ");
  const message = text.length > longestScores ? `${text.slice(0, longestScores)}......` : text;
  return { type: "Normal", reason: "ScoreUpdate", message };
}
