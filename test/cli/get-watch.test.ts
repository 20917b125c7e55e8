/** `lockstep get -w` with every output, as kubectl prints it: each object by itself, and again when it changes. */
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../src/api/object.ts";
import { cliOf } from "../builders/cli.ts";
import { inGroupsOf, placementScenario } from "../builders/placement-scenario.ts";

async function watching(line: string): Promise<string> {
  const fleet = await placementScenario({ clusters: 6, spec: inGroupsOf(3) });
  await fleet.settle();
  const running = await cliOf(fleet).start(line);
  await fleet.settle();
  await fleet.patchPlacement({ spec: { numberOfClusters: 3 } });
  await fleet.settle();
  running.interrupt();
  const { code, text } = await running.ended;
  expect(code).toBe(0);
  return text;
}

/** The second decision is deleted, the first one keeps its clusters. */
const changes = ["web-decision-1", "web-decision-2", "web-decision-2"];

test("names", async () => {
  const text = await watching("get placementdecisions -w -o name");
  expect(text.split("\n").map((line) => line.replace(/^.*\//, ""))).toEqual(changes);
});

test("JSON, one document after the other", async () => {
  const text = await watching("get placementdecisions -w -o json");
  const documents = text.split(/^(?=\{$)/m).map((each) => JSON.parse(each) as KubeObject);
  expect(documents.map(({ metadata }) => metadata.name)).toEqual(changes);
  expect(new Set(documents.map(({ kind }) => kind))).toEqual(new Set(["PlacementDecision"]));
});

test("YAML, with a line between the documents", async () => {
  const text = await watching("get placementdecisions -w -o yaml");
  const documents = parseAllDocuments(text).map((each) => each.toJS() as KubeObject);
  expect(documents.map(({ metadata }) => metadata.name)).toEqual(changes);
});

test("of one object, and of none", async () => {
  const text = await watching("get placementdecision web-decision-2 -w -o name");
  expect(text.split("\n")).toHaveLength(2);
  const fleet = await placementScenario({ clusters: 1, spec: inGroupsOf(3) });
  const missing = await cliOf(fleet).lockstep("get placementdecision nowhere -w -o json");
  expect(missing).toMatchObject({ code: 1, text: expect.stringContaining("not found") as string });
});
