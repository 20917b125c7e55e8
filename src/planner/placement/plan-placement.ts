/** Decides which writes turn the PlacementDecisions that exist into those that are selected. */
import { byName } from "./decisions.ts";
import { inPlaceWrites } from "./in-place-writes.ts";
import { layOutDecisions, maxClustersPerDecision } from "./lay-out-decisions.ts";
import { rollingWrites } from "./rolling-writes.ts";
import type {
  DecisionUpdateStrategy,
  PlacementSnapshot,
  PlannedDecision,
  WritePhase,
} from "./decisions.ts";

export interface PlacementPolicy {
  readonly strategy: DecisionUpdateStrategy;
  readonly maxClustersPerDecision?: number;
}

interface PlacementReason {
  readonly code: "Rolling" | "Updating" | "SelectionFailed" | "UpToDate";
  readonly message: string;
}

export type PlacementPlan =
  | {
      readonly kind: "write";
      readonly phases: readonly WritePhase[];
      readonly planned: readonly PlannedDecision[];
      readonly reason: PlacementReason;
    }
  | { readonly kind: "hold"; readonly reason: PlacementReason }
  | {
      readonly kind: "done";
      readonly planned: readonly PlannedDecision[];
      readonly reason: PlacementReason;
    };

/** Pure: everything it knows is in the objects, so a restart after any write simply plans again. */
export function planPlacement(snapshot: PlacementSnapshot, policy: PlacementPolicy): PlacementPlan {
  const { placement, selection } = snapshot;
  if (selection.kind === "failed") return keepLastDecisions(snapshot, selection.problem);

  const observed = snapshot.observed.toSorted((a, b) => byName(a.name, b.name));
  const limit = policy.maxClustersPerDecision ?? maxClustersPerDecision;
  const planned = layOutDecisions(placement, selection.groups, limit);
  const writes = policy.strategy === "RollingUpdate" ? rollingWrites : inPlaceWrites;
  const phases = writes(placement, observed, planned).filter((phase) => phase.writes.length > 0);
  if (phases.length === 0) return { kind: "done", planned, reason: upToDate(planned) };
  return { kind: "write", phases, planned, reason: announce(policy.strategy, phases) };
}

/** Losing every decision over a typo would uninstall what runs on the clusters. */
function keepLastDecisions({ observed }: PlacementSnapshot, problem: string): PlacementPlan {
  const kept = {
    0: "no decision is written",
    1: "keeping the decision there is",
  }[observed.length];
  const message = `${kept ?? `keeping the ${observed.length} decisions there are`}: ${problem}`;
  return { kind: "hold", reason: { code: "SelectionFailed", message } };
}

function upToDate(planned: readonly PlannedDecision[]): PlacementReason {
  const clusters = planned.reduce((sum, decision) => sum + decision.clusters.length, 0);
  const where = count(planned.length, "decision");
  return { code: "UpToDate", message: `${count(clusters, "cluster")} listed in ${where}` };
}

function announce(
  strategy: DecisionUpdateStrategy,
  phases: readonly WritePhase[],
): PlacementReason {
  const parts = phases.map(({ phase, writes }) => `${phase} ${count(writes.length, "write")}`);
  const code = strategy === "RollingUpdate" ? "Rolling" : "Updating";
  return { code, message: parts.join(", then ") };
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
