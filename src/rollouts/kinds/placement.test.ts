/** A Placement seen and steered, from objects as its controller writes them. */
import { expect, test } from "vitest";
import { ocmAnnotations } from "../../api/ocm/labels.ts";
import { rolloutView } from "../compose.ts";
import { placementSteering } from "../steering/placement.ts";
import { explain } from "../why.ts";
import { placementRollout } from "./placement.ts";

const kind = { ...placementRollout, steering: placementSteering };

const placement = (annotations: Record<string, string> = {}) => ({
  metadata: { name: "global", namespace: "default", generation: 3, annotations },
  spec: { decisionStrategy: { updateStrategy: { type: "RollingUpdate" } } },
  status: {
    numberOfSelectedClusters: 3,
    conditions: [
      {
        type: "Progressing",
        status: "True" as const,
        reason: "Surging",
        message: "clusters move between decisions",
      },
    ],
  },
});

const decision = (number: number, clusters: readonly string[]) => ({
  metadata: { name: `global-decision-${number}` },
  status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: "" })) },
});

const viewOf = (object: ReturnType<typeof placement>) =>
  rolloutView(kind, {
    object,
    related: { decisions: [decision(2, ["c2", "c3"]), decision(1, ["c1", "c2"])] },
    nowMs: 0,
    events: [],
    gaps: [],
  });

test("PL1 decisions with their clusters, and how many are listed twice on their way", () => {
  const view = viewOf(placement());
  expect(view).toMatchObject({
    state: "Progressing",
    strategy: "RollingUpdate",
    counts: { unit: "cluster", desired: 3, available: 3 },
    progress: { unit: "cluster", done: 3, total: 3 },
    notes: ["1 cluster is listed twice on the way"],
  });
  expect(view.nodes.map(({ name, children }) => [name, children.length])).toEqual([
    ["global-decision-1", 2],
    ["global-decision-2", 2],
  ]);
  expect(explain(view).rule.number).toBe("PL1");
});

test("a pause leaves the decisions as they are, and says so", () => {
  const object = placement({ [ocmAnnotations.schedulingDisabled]: "true" });
  expect(viewOf(object).state).toBe("Paused");
  expect(explain(viewOf(object)).rule.number).toBe("PL20");
  const subject = { object: placement(), related: {}, nowMs: 0 };
  expect(placementSteering.pause(subject)).toMatchObject({
    patch: { body: { metadata: { annotations: { [ocmAnnotations.schedulingDisabled]: "true" } } } },
    takeBack: "lockstep resume placement/global",
  });
  expect(placementSteering.undo(subject, undefined)).toMatchObject({ kind: "refused" });
});

const unsatisfied: Readonly<Record<string, readonly [message: string, wayOut: string]>> = {
  NoManagedClusterSetBindings: [
    "No valid ManagedClusterSetBindings found in placement namespace",
    "; create a ManagedClusterSetBinding in namespace default, named like the set to select from",
  ],
  NoIntersection: [
    "None of ManagedClusterSets [edge] is bound to placement namespace",
    "; create a ManagedClusterSetBinding of its name for one of them, or change spec.clusterSets",
  ],
  AllManagedClusterSetsEmpty: [
    "All ManagedClusterSets [fleet] have no member ManagedCluster",
    "; compare their selectors with kubectl get managedclusters --show-labels",
  ],
  NoManagedClusterMatched: [
    "No ManagedCluster matches any of the cluster predicate",
    "; compare spec.predicates with kubectl get managedclusters -o yaml",
  ],
  NotAllDecisionsScheduled: ["2 cluster decisions unscheduled", ""],
};

const notesOf = (reason: string, message: string): readonly string[] => {
  const object = placement();
  const condition = { type: "PlacementSatisfied", status: "False" as const, reason, message };
  const status = { ...object.status, conditions: [condition as never] };
  return viewOf({ ...object, status }).notes;
};

test.each(Object.entries(unsatisfied))(
  "PL24 of %s a note says what to do",
  (reason, [message, wayOut]) => {
    expect(notesOf(reason, message)).toContain(`${message}${wayOut}`);
  },
);

test("PL24 a message that names its field says itself what to do", () => {
  const message = "spec.numberOfClusters is 0, so no ManagedCluster is selected";
  expect(notesOf("NoManagedClusterMatched", message)).toContain(message);
});
