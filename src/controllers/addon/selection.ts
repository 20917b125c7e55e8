/** Which clusters the Placements of an add-on select, and whether that is sure enough to remove anything. */
import type { InstallPlacement } from "../../api/ocm/addon.ts";
import { ocmLabels } from "../../api/ocm/labels.ts";
import type { Placement, PlacementDecision } from "../../api/ocm/placement.ts";
import type { ClusterGroup } from "../../planner/index.ts";
import { trackDecisions } from "../../planner/index.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import { listedClusters } from "./caches.ts";

/** A Placement of an add-on, with what the caches hold of it. */
export interface ObservedPlacement {
  readonly reference: InstallPlacement;
  /** Undefined where it does not exist. */
  readonly placement: Placement | undefined;
  readonly decisions: readonly PlacementDecision[];
}

export interface ClusterSelection {
  /** Everything that any decision lists. */
  readonly clusters: ReadonlySet<string>;
  /** The groups that new add-ons are rolled out by; a cluster may be listed without being in one yet. */
  readonly groups: readonly ClusterGroup[];
  /** Why the list may be incomplete: nothing is removed because of it. */
  readonly doubt: string | undefined;
}

/**
 * No decision at all is no empty selection: a Placement that selects nothing has one empty decision. So is a
 * decision missing that the Placement itself names, for instance because somebody deleted it.
 */
export function selectionOf({
  reference,
  placement,
  decisions,
}: ObservedPlacement): ClusterSelection {
  const tracked = trackedOf(decisions);
  const named = `Placement ${reference.namespace}/${reference.name}`;
  return { ...tracked, doubt: tracked.doubt ?? missingDecision(named, placement, decisions) };
}

function missingDecision(
  named: string,
  placement: Placement | undefined,
  decisions: readonly PlacementDecision[],
): string | undefined {
  if (placement === undefined) return undefined;
  if (decisions.length === 0) return `${named} has no PlacementDecision yet`;
  const there = new Set(decisions.map(({ metadata }) => metadata.name));
  const announced =
    placement.status?.decisionGroups?.flatMap((group) => group.decisions ?? []) ?? [];
  const missing = announced.find((name) => !there.has(name));
  return missing && `${named} has a PlacementDecision ${missing} that is not there`;
}

/** The same list of decisions is the same selection. */
const trackedOf = memoizeByIdentity((decisions: readonly PlacementDecision[]): ClusterSelection => {
  const clusters = new Set(decisions.flatMap((decision) => [...listedClusters(decision)]));
  const inOrder = decisions.toSorted((a, b) => byName(a.metadata.name, b.metadata.name));
  const tracked = trackDecisions(
    inOrder.map((decision) => ({
      name: decision.metadata.name ?? "",
      groupIndex: decision.metadata.labels?.[ocmLabels.groupIndex],
      groupName: decision.metadata.labels?.[ocmLabels.groupName],
      clusters: listedClusters(decision),
    })),
  );
  if (tracked.kind === "unreadable") return { clusters, groups: [], doubt: tracked.problem };
  return { clusters, groups: tracked.groups, doubt: undefined };
});

function byName(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
