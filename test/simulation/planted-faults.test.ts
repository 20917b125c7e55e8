/** A simulation that finds nothing proves nothing: each of these faults is planted, and found within a few runs. */
import { expect, test } from "vitest";
import { customDefinitions } from "../../src/cli/definitions.ts";
import type { Client } from "../../src/runtime/client.ts";
import { piecesOf, shrink } from "../../src/simulation/shrink.ts";
import { playScript, sweep } from "../../src/simulation/sweep.ts";
import { planted, seenAs, withoutUid } from "./planted-kind.ts";

interface Plant {
  readonly kind: string;
  readonly plant: (client: Client) => Client;
  readonly found: RegExp;
}

const all = { maxUnavailable: "100%" };

const plants: Record<string, Plant> = {
  "the budget of a StatefulSet is ignored": {
    kind: "statefulset",
    plant: seenAs("StatefulSet", (spec) => ({
      ...spec,
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: all },
    })),
    found: /taken out of service than its budget allows/,
  },
  "the budget of a PodCliqueSet is ignored": {
    kind: "podcliqueset",
    plant: seenAs("PodCliqueSet", (spec) => ({
      ...spec,
      updateStrategy: { type: "ReplicaRecreate", rollingUpdate: all },
    })),
    found: /taken out of service than its budget allows|announces replica/,
  },
  "a delete carries no uid": {
    kind: "statefulset",
    plant: withoutUid,
    found: /deleted without its uid/,
  },
  "the skew of two roles is ignored": {
    kind: "rolebasedgroup",
    plant: seenAs("RoleBasedGroup", ({ coordination: _coordination, ...spec }) => spec),
    found: /begins with partition|has \d+ of \d+ asked while|has no revision label/,
  },
  "decisions shrink before others have grown": {
    kind: "placement",
    plant: seenAs("Placement", (spec) => ({
      ...spec,
      decisionStrategy: {
        ...(spec["decisionStrategy"] as object),
        updateStrategy: { type: "All" },
      },
    })),
    found: /no more, although selected/,
  },
};

const mostRuns = 40;
const definitions = customDefinitions();

test.each(Object.entries(plants))("%s: found, and shrunk to a few steps", async (_what, row) => {
  const kind = planted(row.kind, row.plant);
  let isFound = false;
  const { failures } = await sweep({
    subjects: [{ kind }],
    firstSeed: 1,
    runs: mostRuns,
    definitions,
    isOver: () => isFound,
    onRun: ({ failure }) =>
      (isFound = failure?.texts.some((text) => row.found.test(text)) ?? false),
  });
  const outcome = failures.at(-1);
  expect(outcome?.failure?.texts.join("\n")).toMatch(row.found);
  const shortest = await shrink({
    outcome: outcome!,
    play: (script) => playScript({ definitions }, kind, script),
    attempts: 6,
  });
  expect(shortest.failure?.texts.join("\n")).toMatch(row.found);
  const pieces = piecesOf(outcome!.script).length;
  expect(piecesOf(shortest.script).length).toBeLessThanOrEqual(Math.max(3, pieces / 2));
});
