/** What the owner of a Placement should know and no status field says. */
import type { Placement } from "../../api/ocm/placement.ts";
import { maxClustersPerDecision } from "../../planner/index.ts";
import type { Score, WritePhase } from "../../planner/index.ts";
import type { EventRecorder, EventText } from "../../runtime/event-recorder.ts";
import { aFew } from "../engine/action-events.ts";
import type { OwnerMemory } from "../engine/per-owner.ts";
import type { Failure } from "../engine/reconcile.ts";
import { clustersOf } from "./decision-objects.ts";
import type { Observed } from "./observe.ts";
import type { DecisionPlan } from "./plan.ts";

interface Emitted {
  /** Warnings so far: a reminder at every reconcile would drown everything else. */
  readonly warnings: Set<string>;
  /** Lists were written since the last time that everything was at rest. */
  hasWritten: boolean;
}

export interface PlacementEvents {
  emit(observed: Observed, planned: DecisionPlan, failure: Failure | undefined): void;
}

export function placementEvents(events: EventRecorder, memory: OwnerMemory): PlacementEvents {
  const emitted = memory.perOwner<Emitted>(() => ({ warnings: new Set(), hasWritten: false }));
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
      if (failure !== undefined) return;
      for (const event of writingEvents(observed, planned, emitted.of(placement))) {
        events.record(placement, event);
      }
    },
  };
}

const foreignText = (names: readonly string[]): string =>
  `PlacementDecision ${aFew(names)}: somebody else's, although labelled with this Placement. ` +
  "Consumers read the clusters in it too. Lockstep leaves it alone: delete it, or remove its label";

const expiredText = (names: readonly string[]): string =>
  `AddOnPlacementScores ${aFew(names)} expired: they count as 0 until their add-on renews them`;

function writingEvents(
  observed: Observed,
  { stage, decided, schedule }: DecisionPlan,
  emitted: Emitted,
): readonly EventText[] {
  if (decided.kind === "write") {
    emitted.hasWritten ||= decided.phases.some(changesLists);
    return stage === "surge" ? surgeEvents(decided.phases) : [];
  }
  if (decided.kind === "hold" || !emitted.hasWritten) return [];
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

/** A list above the limit is legal, but some consumers copy decisions into objects that are stricter. */
function surgeEvents(phases: readonly WritePhase[]): readonly EventText[] {
  const writes = phases.find(({ phase }) => phase === "surge")?.writes ?? [];
  const long = writes.flatMap((write) =>
    write.kind === "list" && write.clusters.length > maxClustersPerDecision ? [write] : [],
  );
  if (long.length === 0) return [];
  const most = Math.max(...long.map(({ clusters }) => clusters.length));
  const verb = long.length === 1 ? "lists" : "list";
  const names = aFew(long.map(({ name }) => name));
  const message =
    `while clusters move, ${names} ${verb} up to ${most} clusters, more than the usual ` +
    `${maxClustersPerDecision}, so that none of them disappears`;
  return [{ type: "Normal", reason: "DecisionSurge", message }];
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
