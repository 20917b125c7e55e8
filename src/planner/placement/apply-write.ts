/** What the server holds after a write, so that a preview and a proof replay the same plan. */
import type { DecisionWrite, ObservedDecision } from "./decisions.ts";

export function applyWrite(
  decisions: readonly ObservedDecision[],
  write: DecisionWrite,
): readonly ObservedDecision[] {
  switch (write.kind) {
    case "create":
      return [...decisions, { name: write.name, group: write.group, clusters: [], isOwned: true }];
    case "adopt":
      return changed(decisions, write.name, { isOwned: true });
    case "list":
      return changed(decisions, write.name, { clusters: write.clusters });
    case "relabel":
      return changed(decisions, write.name, { group: write.group });
    case "delete":
      return decisions.filter((decision) => decision.name !== write.name);
  }
}

function changed(
  decisions: readonly ObservedDecision[],
  name: string,
  change: Partial<ObservedDecision>,
): readonly ObservedDecision[] {
  return decisions.map((decision) =>
    decision.name === name ? { ...decision, ...change } : decision,
  );
}
