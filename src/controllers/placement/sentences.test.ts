/** Every sentence that a Placement can say, in conditions and in events, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAtMs } from "../../../test/builders/drawn-pods.ts";
import {
  clusterOf,
  inGroupsOf,
  placementObject,
  rollingDecisions,
} from "../../../test/builders/placement-scenario.ts";
import { conditionLines, eventLines, sentencesOf } from "../../../test/builders/sentences.ts";
import { ocmLabels } from "../../api/ocm/labels.ts";
import type { PlacementDecision, PlacementSpec } from "../../api/ocm/placement.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import { OwnerMemory } from "../engine/per-owner.ts";
import { NameConflictProblem } from "../engine/perform.ts";
import type { Failure } from "../engine/reconcile.ts";
import { writesOf } from "../engine/write.ts";
import { membersOf, UnreadableSet } from "./cluster-sets.ts";
import { placementEvents } from "./events.ts";
import type { Observed } from "./observe.ts";
import { parsePlacement } from "./parse-placement.ts";
import { plan } from "./plan.ts";
import { placementReconciler } from "./reconcile.ts";
import { placementStatus } from "./status.ts";

interface Given {
  readonly clusters?: number;
  readonly spec?: PlacementSpec;
  readonly name?: string;
  /** Clusters of each decision that exists: `1-3 4-5`; `!` behind one that a Placement of this name left behind. */
  readonly decisions?: string;
  readonly groups?: readonly string[];
  readonly failure?: Failure;
  readonly seen?: Partial<Observed>;
}

const named = (index: number): string => `c${String(index).padStart(3, "0")}`;

function decisionOf(text: string, at: number, group: string): PlacementDecision {
  const [first = 1, last = first] = text.replace("!", "").split("-").map(Number);
  const owner = { apiVersion: "", kind: "Placement", name: "web", uid: "web", controller: true };
  return {
    metadata: {
      name: `web-decision-${at + 1}`,
      namespace: "default",
      uid: `d${at}`,
      resourceVersion: "1",
      labels: {
        [ocmLabels.placement]: "web",
        [ocmLabels.groupIndex]: String(at),
        [ocmLabels.groupName]: group,
      },
      ...(text.endsWith("!") ? {} : { ownerReferences: [owner] }),
    },
    status: {
      decisions: Array.from({ length: last - first + 1 }, (_, index) => ({
        clusterName: named(first + index),
        reason: "",
      })),
    },
  };
}

function observed(given: Given): Observed {
  const { clusters = 3, spec = rollingDecisions, name = "web", decisions = "" } = given;
  const drawn = placementObject(name, spec);
  const placement = { ...drawn, metadata: { ...drawn.metadata, uid: "web" } };
  return {
    nowMs: drawnAtMs,
    placement,
    parsed: parsePlacement(placement),
    boundSets: ["fleet"],
    eligibleSets: ["fleet"],
    setProblem: undefined,
    clusters: Array.from({ length: clusters }, (_, index) => clusterOf(named(index + 1))),
    decisions: decisions
      .split(" ")
      .filter(Boolean)
      .map((text, at) => decisionOf(text, at, given.groups?.[at] ?? "")),
    foreign: [],
    usage: { of: () => 0, most: 0 },
    scoresOf: () => undefined,
    ...given.seen,
  };
}

const lostServer: Failure = { cause: new Error("etcd"), message: "etcdserver: request timed out" };
/** What is found where the first decision is to be created. */
function conflict(): string {
  const [create] = writesOf(plan(observed({})).phases);
  const answer = create?.verb === "create" ? create.ifExists?.({ metadata: {} }) : undefined;
  return (answer as { readonly problem: string }).problem;
}
const taken = new NameConflictProblem(conflict());

function unreadable(): string {
  const set = { metadata: { name: "fleet" }, spec: { clusterSelector: { selectorType: "Regex" } } };
  try {
    membersOf({} as never, set as never);
  } catch (error) {
    if (error instanceof UnreadableSet) return error.message;
  }
  return "";
}
const three = inGroupsOf(3);

const tainted = (name: string) =>
  clusterOf(name, { spec: { taints: [{ key: "gpu", value: "h100", effect: "NoSelect" }] } });

const states: Readonly<Record<string, readonly [Given, shown: string]>> = {
  "every selected cluster is listed": [{ decisions: "1-3" }, ""],
  "no set is bound": [
    { clusters: 0, decisions: "1-0", seen: { boundSets: [], eligibleSets: [] } },
    "PlacementSatisfied Progressing",
  ],
  "no set of its own is bound": [
    {
      clusters: 0,
      decisions: "1-0",
      spec: { clusterSets: ["edge", "core"] },
      seen: { eligibleSets: [] },
    },
    "PlacementSatisfied",
  ],
  "its sets are empty": [{ clusters: 0, decisions: "1-0" }, "PlacementSatisfied"],
  "its sets are empty, and its spec cannot be followed": [
    { clusters: 0, decisions: "1-0", spec: { numberOfClusters: -1 } },
    "PlacementSatisfied PlacementMisconfigured",
  ],
  "no cluster matches": [
    {
      decisions: "1-0",
      spec: {
        predicates: [
          { requiredClusterSelector: { labelSelector: { matchLabels: { gpu: "h100" } } } },
        ],
      },
    },
    "PlacementSatisfied",
  ],
  "what matches is tainted": [
    { decisions: "1-0", seen: { clusters: [tainted("c002"), tainted("c001")] } },
    "PlacementSatisfied",
  ],
  "the only one that matches is tainted": [
    { decisions: "1-0", seen: { clusters: [tainted("c001")] } },
    "PlacementSatisfied",
  ],
  "it asks for none": [{ decisions: "1-0", spec: { numberOfClusters: 0 } }, "PlacementSatisfied"],
  "it asks for more than there are": [
    { spec: { numberOfClusters: 5 }, decisions: "1-3" },
    "PlacementSatisfied",
  ],
  "a spec cannot be followed": [
    { spec: { numberOfClusters: -1 }, decisions: "1-2" },
    "PlacementSatisfied PlacementMisconfigured Available Progressing Stalled",
  ],
  "a set cannot be read": [
    { decisions: "1-2", seen: { setProblem: unreadable(), clusters: [] } },
    "Progressing Stalled",
  ],
  "its first decision is created": [{}, "Progressing"],
  "clusters are listed for the first time": [{ spec: {} }, "Available Progressing"],
  "decisions of an earlier Placement are there": [{ decisions: "1-3!" }, "Progressing"],
  "clusters move to another decision": [
    { clusters: 6, spec: three, decisions: "1-2 3-6", groups: ["", ""] },
    "Progressing Available",
  ],
  "groups get other names while clusters move": [
    { clusters: 6, spec: three, decisions: "1-6 4-6", groups: ["", "canary"] },
    "Progressing",
  ],
  "groups get other names": [{ decisions: "1-3", groups: ["canary"] }, "Progressing"],
  "what is listed twice is removed": [
    { clusters: 6, spec: three, decisions: "1-3 3-6" },
    "Progressing",
  ],
  "a decision is not needed any more": [
    { clusters: 3, spec: three, decisions: "1-3 3-3" },
    "Progressing",
  ],
  "the server does not answer": [{ failure: lostServer }, "PlacementSatisfied Progressing Stalled"],
  "a decision has another owner": [
    { failure: { cause: taken, message: taken.message } },
    "PlacementSatisfied Progressing Stalled",
  ],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given, shown]) => {
    const seen = observed(given);
    const types = shown === "" ? [] : shown.split(" ");
    const status = placementStatus(seen, plan(seen), given.failure);
    return conditionLines(status ?? {}, ...types);
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

/** What is wrong with a spec, as its condition says. */
const mistakes: Readonly<Record<string, readonly [Given]>> = {
  "a name that no label holds": [{ name: "w".repeat(64) }],
  "it asks for a spread": [
    { spec: { spreadPolicy: { spreadConstraints: [{ topologyKey: "zone" }] } } as never },
  ],
  "it asks for another order": [{ spec: { sortBy: "Score" } as never }],
  "less than no cluster": [{ spec: { numberOfClusters: -1 } }],
  "groups of no size": [{ spec: inGroupsOf("some") }],
  "a toleration with a value too many": [
    { spec: { tolerations: [{ key: "gpu", operator: "Exists", value: "h100" }] } },
  ],
  "a toleration without a key": [{ spec: { tolerations: [{ operator: "Equal", value: "h100" }] } }],
  "a toleration of an unknown kind": [
    { spec: { tolerations: [{ key: "gpu", operator: "Above" }] } },
  ],
  "an unknown prioritizer mode": [{ spec: { prioritizerPolicy: { mode: "Some" } } }],
  "a prioritizer without a score": [
    { spec: { prioritizerPolicy: { configurations: [{ weight: 1 }] } } as never },
  ],
  "a prioritizer of an add-on without a name": [
    {
      spec: {
        prioritizerPolicy: { configurations: [{ scoreCoordinate: { type: "AddOn" } }] },
      } as never,
    },
  ],
  "more to check than there is time for": [
    {
      clusters: 500,
      spec: { tolerations: Array.from({ length: 100_001 }, () => ({ operator: "Exists" })) },
    },
  ],
  "an unknown prioritizer": [
    {
      spec: {
        prioritizerPolicy: {
          configurations: [{ scoreCoordinate: { type: "BuiltIn", builtIn: "Luck" } }],
        },
      } as never,
    },
  ],
};

test("every mistake is said with the way out", async () => {
  const text = await sentencesOf(mistakes, ([given]) => {
    const seen = observed(given);
    const status = placementStatus(seen, plan(seen), undefined);
    return conditionLines(status ?? {}, "PlacementMisconfigured");
  });
  await expect(text).toMatchFileSnapshot("sentences-mistakes.txt");
});

/** `before` is reconciled first. */
const events: Readonly<Record<string, readonly [readonly Given[]]>> = {
  "clusters are listed": [[{ spec: {} }, { spec: {}, decisions: "1-3" }]],
  "clusters are ranked": [
    [{ spec: { numberOfClusters: 1 } }, { spec: { numberOfClusters: 1 }, decisions: "1" }],
  ],
  "a list grows beyond its limit": [
    [{ clusters: 200, decisions: "1-50 51-150 151-200", spec: inGroupsOf(100) }],
  ],
  "a weight would never end": [
    [
      {
        decisions: "1-3",
        spec: {
          ...rollingDecisions,
          prioritizerPolicy: {
            configurations: [
              { weight: -1, scoreCoordinate: { type: "BuiltIn", builtIn: "Steady" } },
            ],
          },
        } as never,
      },
    ],
  ],
  "a rate of scores is limited": [[{ decisions: "1-3", spec: { scoreRateLimit: "5m" } }]],
  "somebody else's decision has its label": [[{ decisions: "1-3", seen: { foreign: ["copy"] } }]],
  "a score has expired": [
    [
      {
        clusters: 2,
        spec: {
          numberOfClusters: 1,
          prioritizerPolicy: {
            mode: "Exact",
            configurations: [
              {
                weight: 1,
                scoreCoordinate: {
                  type: "AddOn",
                  addOn: { resourceName: "load", scoreName: "cpu" },
                },
              },
            ],
          },
        } as never,
        decisions: "1",
        seen: { scoresOf: () => ({ scores: [], untilMs: 0 }) },
      },
    ],
  ],
};

test("every event is true when it is emitted", async () => {
  const text = await sentencesOf(events, ([givens]) => {
    const recorded: EventText[] = [];
    const recorder = { record: (_about: unknown, event: EventText) => recorded.push(event) };
    const emitter = placementEvents(recorder as never, new OwnerMemory());
    for (const given of givens) {
      const seen = observed(given);
      emitter.emit(seen, plan(seen), undefined);
    }
    return eventLines(recorded);
  });
  await expect(text).toMatchFileSnapshot("sentences-events.txt");
});

test("event: the server does not answer", () => {
  const tools = { clock: {}, events: {}, memory: new OwnerMemory() } as never;
  const kind = placementReconciler({} as never, tools, {} as never);
  const seen = observed({});
  expect(eventLines([kind.failureEvent?.(seen, plan(seen), lostServer)])).toEqual([
    "Warning DecisionsNotWritten: writing decisions failed and is tried again, what they list stays until then: " +
      "etcdserver: request timed out",
  ]);
});
