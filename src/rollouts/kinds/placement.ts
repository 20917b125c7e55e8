/** Placements: which clusters are selected, and how their PlacementDecisions come to list them. */
import type { Placement, PlacementDecision } from "../../api/ocm/placement.ts";
import {
  clustersOf,
  decisionSelector,
  isSchedulingDisabled,
  placementDecisionResource,
  placementResource,
} from "../../api/ocm/placement.ts";
import { ocmAnnotations } from "../../api/ocm/labels.ts";
import type { KindView, Subject, ViewedKind } from "../kind.ts";
import { definitionsInstall, listed } from "../kind.ts";
import type { Stated } from "../state.ts";
import { reportedState } from "../state.ts";
import type { RolloutNode } from "../view.ts";

export const placementRollout: ViewedKind = {
  resource: placementResource,
  word: "placement",
  shortNames: [],
  install: definitionsInstall,
  isTopLevel: () => true,
  // Decisions surge from one write to the next.
  isMomentary: true,
  related: ({ metadata }) => ({
    decisions: {
      resource: placementDecisionResource,
      labelSelector: decisionSelector(metadata.name ?? ""),
    },
  }),
  view: (subject) => viewOf(subject as Subject<Placement>),
  // A selection is made of what clusters are now: no earlier one is recorded.
  revisions: () => [],
};

function viewOf({ object: placement, related }: Subject<Placement>): KindView {
  const { status, spec } = placement;
  const nodes = decisionNodes(listed(related, "decisions"));
  const isListed = related["decisions"] !== undefined;
  const clusters = new Set(nodes.flatMap(({ children }) => children.map(({ name }) => name)));
  const desired = status?.numberOfSelectedClusters ?? clusters.size;
  const available = isListed ? Math.min(desired, clusters.size) : desired;
  const stated = statedOf(placement);
  return {
    ...stated,
    strategy: spec.decisionStrategy?.updateStrategy?.type ?? "All",
    isPaused: isSchedulingDisabled(placement),
    changes: "",
    counts: { unit: "cluster", desired, available, updated: available },
    progress: { unit: "cluster", done: available, total: desired },
    nodes,
    notes: [...surgeNotes(nodes, clusters.size), ...unsatisfied(placement)].filter(
      (note) => note !== stated.reason.message,
    ),
  };
}

function statedOf(placement: Placement): Stated {
  const stated = reportedState(placement, placement.status);
  if (isSchedulingDisabled(placement) && stated?.state !== "Deleting") {
    const message = `its decisions are left as they are: the annotation ${ocmAnnotations.schedulingDisabled} is set`;
    return { state: "Paused", reason: { code: "Paused", message } };
  }
  const message = "the controller has not reported on it yet";
  return stated ?? { state: "Progressing", reason: { code: "NotObserved", message } };
}

function decisionNodes(decisions: readonly PlacementDecision[]): readonly RolloutNode[] {
  return decisions
    .map((decision): RolloutNode => {
      const { name = "", creationTimestamp } = decision.metadata;
      const children = clustersOf(decision).map(clusterNode);
      return {
        kind: "PlacementDecision",
        name,
        label: name,
        ordinal: Number(/-([0-9]+)$/.exec(name)?.[1] ?? 0),
        health: decision.metadata.deletionTimestamp === undefined ? "available" : "terminating",
        ...(creationTimestamp === undefined ? {} : { createdAt: creationTimestamp }),
        counts: {
          unit: "cluster",
          desired: children.length,
          available: children.length,
          updated: children.length,
        },
        children,
      };
    })
    .toSorted((a, b) => (a.ordinal ?? 0) - (b.ordinal ?? 0) || (a.name < b.name ? -1 : 1));
}

const clusterNode = (name: string): RolloutNode => ({
  kind: "Cluster",
  name,
  label: name,
  health: "available",
  children: [],
});

/** A cluster on its way between two decisions is listed in both. */
function surgeNotes(nodes: readonly RolloutNode[], different: number): readonly string[] {
  const all = nodes.reduce((sum, { children }) => sum + children.length, 0);
  const twice = all - different;
  return twice > 0
    ? [`${twice} ${twice === 1 ? "cluster is" : "clusters are"} listed twice on the way`]
    : [];
}

/** Why fewer clusters are selected than wanted. A message that names a field says itself what to do. */
function unsatisfied({ metadata, status }: Placement): readonly string[] {
  return (status?.conditions ?? [])
    .filter(({ type, status: value }) => type === "PlacementSatisfied" && value === "False")
    .map(({ reason = "", message = "" }) => {
      const wayOut = message.includes("spec.") ? undefined : wayOutOf(reason, metadata.namespace);
      return wayOut === undefined ? message : `${message}; ${wayOut}`;
    });
}

/** By the reasons of Open Cluster Management, whose messages are kept to the letter in the condition. */
function wayOutOf(reason: string, namespace = "default"): string | undefined {
  switch (reason) {
    case "NoManagedClusterSetBindings":
      return `create a ManagedClusterSetBinding in namespace ${namespace}, named like the set to select from`;
    case "NoIntersection":
      return "create a ManagedClusterSetBinding of its name for one of them, or change spec.clusterSets";
    case "AllManagedClusterSetsEmpty":
      return "compare their selectors with kubectl get managedclusters --show-labels";
    case "NoManagedClusterMatched":
      return "compare spec.predicates with kubectl get managedclusters -o yaml";
    default:
      return undefined;
  }
}
