/** Builds placements for tests: zero-padded clusters, decisions as a finished pass left them. */
import { applyWrite } from "../../src/planner/placement/apply-write.ts";
import { layOutDecisions } from "../../src/planner/placement/lay-out-decisions.ts";
import type {
  DecisionGroup,
  DecisionWrite,
  ObservedDecision,
  PhaseName,
} from "../../src/planner/placement/decisions.ts";
import type { PlacementPlan } from "../../src/planner/placement/plan-placement.ts";

/** `clusters(1, 3)` is c00001, c00002, c00003: padded, so that byte order is number order. */
export function clusters(first: number, last: number): string[] {
  const size = Math.max(0, last - first + 1);
  return Array.from({ length: size }, (_, at) => `c${String(first + at).padStart(5, "0")}`);
}

/** One unnamed group, or several of at most `perGroup` clusters. */
export function groupsOf(
  names: readonly string[],
  perGroup: number = names.length,
): DecisionGroup[] {
  const count = Math.ceil(names.length / Math.max(1, perGroup));
  return Array.from({ length: count }, (_, at) => ({
    name: "",
    clusters: names.slice(at * perGroup, (at + 1) * perGroup),
  }));
}

/** The decisions that a finished pass over these groups leaves behind. */
export function settled(groups: readonly DecisionGroup[], limit = 100): ObservedDecision[] {
  return layOutDecisions("web", groups, limit).map(({ name, group, clusters: listed }) => ({
    name,
    group,
    clusters: listed,
    isOwned: true,
  }));
}

export function writesOf(plan: PlacementPlan, phase?: PhaseName): DecisionWrite[] {
  if (plan.kind !== "write") return [];
  const phases = plan.phases.filter((each) => phase === undefined || each.phase === phase);
  return phases.flatMap((each) => each.writes);
}

/** Every state of the server from the first to the last write, both ends included. */
export function statesOf(
  start: readonly ObservedDecision[],
  writes: readonly DecisionWrite[],
): readonly (readonly ObservedDecision[])[] {
  const states = [start];
  for (const write of writes) states.push(applyWrite(states.at(-1) ?? [], write));
  return states;
}

export function listedIn(decisions: readonly ObservedDecision[]): ReadonlySet<string> {
  return new Set(decisions.flatMap((decision) => decision.clusters));
}

/** `web-decision-2 [c00001..c00050] 50`: one line per write. */
export function drawWrite(write: DecisionWrite): string {
  const number = write.name.replace("web-decision-", "d");
  switch (write.kind) {
    case "create":
      return `create ${number} in group ${write.group.index}`;
    case "relabel":
      return `relabel ${number} to ${write.group.name || "-"}/${write.group.index}`;
    case "list": {
      const [first = "", last = ""] = [write.clusters[0], write.clusters.at(-1)];
      return `list ${number} ${first}..${last} (${write.clusters.length})`;
    }
    case "adopt":
    case "delete":
      return `${write.kind} ${number}`;
  }
}
