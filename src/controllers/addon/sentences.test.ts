/** Every sentence that an add-on can say, in conditions and in events, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAgo, drawnAtMs } from "../../../test/builders/drawn-pods.ts";
import { managementOf, placementOf } from "../../../test/builders/placement-objects.ts";
import { conditionLines, eventLines, sentencesOf } from "../../../test/builders/sentences.ts";
import type { ManagedClusterAddOn, RolloutStrategy } from "../../api/ocm/addon.ts";
import { ocmLabels } from "../../api/ocm/labels.ts";
import type { PlacementDecision } from "../../api/ocm/placement.ts";
import type { Failure } from "../engine/reconcile.ts";
import type { Observed } from "./observe.ts";
import { planAddOn } from "./plan.ts";
import { actionEvents } from "./reconcile.ts";
import { addOnStatus } from "./status.ts";
import type { AddOnRefusals } from "./writes.ts";

interface Given {
  /** Clusters that the decision lists; none where there is no decision. */
  readonly listed?: string;
  /** `a+ b! c. d~`: available, degraded, starting, terminating. */
  readonly installed?: string;
  readonly strategy?: RolloutStrategy;
  readonly isMissing?: boolean;
  readonly announced?: readonly string[];
  readonly configs?: boolean;
  readonly known?: string;
  readonly refused?: Readonly<Record<string, string>>;
  readonly group?: Readonly<Record<string, string>>;
  readonly failure?: Failure;
}

const words = (text: string): string[] => text.split(" ").filter(Boolean);

function addOn(mark: string): ManagedClusterAddOn {
  const [namespace, flag] = [mark.slice(0, -1), mark.slice(-1)];
  const condition = (type: string, status: "True" | "False", message: string) => ({
    type,
    status,
    reason: "",
    message,
    lastTransitionTime: drawnAgo(600),
  });
  const conditions = {
    "+": [condition("Available", "True", "")],
    "!": [condition("Degraded", "True", "no such image")],
  }[flag];
  return {
    metadata: {
      name: "agent",
      namespace,
      creationTimestamp: drawnAgo(60),
      ownerReferences: [
        { apiVersion: "", kind: "", name: "agent", uid: "agent", controller: true },
      ],
      ...(flag === "~" ? { deletionTimestamp: drawnAgo(1) } : {}),
    },
    ...(conditions === undefined ? {} : { status: { conditions } }),
  } as ManagedClusterAddOn;
}

function observed(given: Given): Observed {
  const { listed, installed = "", strategy, isMissing = false, announced = [] } = given;
  const drawn = managementOf(strategy === undefined ? {} : { rolloutStrategy: strategy });
  const management = { ...drawn, metadata: { ...drawn.metadata, uid: "agent" } };
  const [reference] = management.spec?.installStrategy?.placements ?? [];
  if (reference === undefined) throw new Error("no Placement");
  const configs = given.configs === true ? { configs: [{}] as never } : {};
  const decision: PlacementDecision = {
    metadata: {
      name: "web-decision-1",
      labels: { [ocmLabels.groupIndex]: "0", [ocmLabels.groupName]: "", ...given.group },
    },
    status: {
      decisions: words(listed ?? "").map((clusterName) => ({ clusterName, reason: "" })),
    },
  };
  const placement = {
    ...placementOf({ namespace: "default", name: "web" }),
    status: { decisionGroups: [{ decisions: announced }] } as never,
  };
  return {
    nowMs: drawnAtMs,
    management,
    placements: [
      {
        reference: { ...reference, ...configs },
        placement: isMissing ? undefined : placement,
        decisions: listed === undefined ? [] : [decision],
      },
    ],
    addOns: words(installed).map(addOn),
    cluster: (name) => (words(given.known ?? "a b c d").includes(name) ? ({} as never) : undefined),
  };
}

const refusalsOf = ({ refused = {} }: Given): AddOnRefusals => ({
  refused: new Map(
    Object.entries(refused).map(([cluster, message]) => [
      cluster,
      { message, sinceMs: drawnAtMs - 60_000 },
    ]),
  ),
  created: [],
  deleted: [],
});

const oneByOne: RolloutStrategy = { type: "Progressive", progressive: { maxConcurrency: 1 } };
const noFailures: RolloutStrategy = {
  type: "Progressive",
  progressive: { maxConcurrency: 1, maxFailures: 0 },
};

const states: Readonly<Record<string, readonly [Given, shown: string]>> = {
  "it is available everywhere": [{ listed: "a b", installed: "a+ b+" }, ""],
  "it is selected nowhere": [{ listed: "" }, "Progressing"],
  "its Placement does not exist": [{ isMissing: true }, "Progressing Stalled"],
  "its Placement has no decision": [{ installed: "a+" }, "Progressing"],
  "its Placement has no decision, and it is nowhere": [{}, "Progressing"],
  "a decision is missing": [
    { listed: "a", installed: "a+ b+", announced: ["web-decision-2"] },
    "Progressing",
  ],
  "a decision has no group": [
    { listed: "a", installed: "a+", group: { [ocmLabels.groupIndex]: "first" } },
    "Progressing",
  ],
  "a listed cluster does not exist": [{ listed: "x", known: "a" }, "Available Progressing"],
  "a cluster is not selected any more": [{ listed: "a", installed: "a+ b+" }, "Progressing"],
  "it is rolled out, one cluster after the other": [
    { listed: "a b c", installed: "a+", strategy: oneByOne },
    "Progressing",
  ],
  "it waits for an agent": [
    { listed: "a b", installed: "a.", strategy: oneByOne },
    "Available Progressing",
  ],
  "an old add-on is terminating": [
    { listed: "a b", installed: "a~", strategy: oneByOne },
    "Progressing",
  ],
  "it has failed, and none may": [
    { listed: "a b", installed: "a!", strategy: noFailures },
    "Available Progressing Stalled",
  ],
  "a length of time cannot be read": [
    { listed: "a", strategy: { type: "All", all: { progressDeadline: "soon" } } },
    "Progressing Stalled",
  ],
  "a soak time cannot be read": [
    { listed: "a", strategy: { type: "All", all: { minSuccessTime: "soon" } } },
    "Progressing",
  ],
  "a number cannot be read": [
    { listed: "a", strategy: { type: "Progressive", progressive: { maxConcurrency: "some" } } },
    "Progressing",
  ],
  "the server does not answer": [
    {
      listed: "a",
      failure: { cause: new Error("etcd"), message: "etcdserver: request timed out" },
    },
    "Progressing",
  ],
  "a cluster refuses it": [
    { listed: "a b", installed: "b+", refused: { a: "exceeded quota: addons" } },
    "Available Progressing",
  ],
  "a cluster refuses it for longer than it may": [
    {
      listed: "a b c",
      installed: "b+",
      strategy: {
        type: "Progressive",
        progressive: { maxConcurrency: 1, progressDeadline: "60s" },
      },
      refused: { a: "exceeded quota: addons" },
    },
    "Progressing Stalled",
  ],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given, shown]) => {
    const [seen, refusals] = [observed(given), refusalsOf(given)];
    const types = shown === "" ? [] : shown.split(" ");
    const status = addOnStatus(seen, planAddOn(seen, refusals), {
      refusals,
      failure: given.failure,
    });
    return conditionLines(status, ...types);
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

test("configs of a Placement have no effect, which its progress says", () => {
  const given = { listed: "a", installed: "a+", configs: true };
  const [seen, refusals] = [observed(given), refusalsOf(given)];
  const status = addOnStatus(seen, planAddOn(seen, refusals), { refusals, failure: undefined });
  expect(conditionLines(status.installProgressions?.[0] ?? {})).toEqual([
    "Progressing=False RolledOut: Placement default/web: rolled out to 1 cluster; " +
      "configs has no effect: Lockstep installs add-ons, it does not configure them",
  ]);
});

const events: Readonly<Record<string, readonly [Given, done: Partial<AddOnRefusals>]>> = {
  "it was installed": [{ listed: "a b", installed: "a+ b+" }, { created: ["b", "a"] }],
  "it was removed": [{ listed: "a", installed: "a+" }, { deleted: ["b"] }],
  "a cluster refuses it": [{ listed: "a", refused: { a: "exceeded quota: addons" } }, {}],
  "the selection is not sure": [{ installed: "a+" }, {}],
};

test("every event is true when it is emitted", async () => {
  const text = await sentencesOf(events, ([given, done]) => {
    const refusals = { ...refusalsOf(given), ...done };
    const planned = planAddOn(observed(given), refusalsOf(given));
    return eventLines(actionEvents({ refusals, refused: "", doubts: "" }, planned));
  });
  await expect(text).toMatchFileSnapshot("sentences-events.txt");
});
