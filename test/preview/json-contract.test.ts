/** `lockstep plan -o json`: what docs/plan.md promises to programs, field by field, and the exit codes. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { placementResource } from "../../src/api/ocm/placement.ts";
import type { Plan } from "../../src/preview/plan.ts";
import { cliOf } from "../builders/cli.ts";
import { inGroupsOf, placementObject, placementScenario } from "../builders/placement-scenario.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const gpu = { limits: { "nvidia.com/gpu": "1" } };
const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "app", image: "web:v1", resources: gpu }] },
};

async function web() {
  const spec = { podManagementPolicy: "Parallel", template, ...rolling(1) } as const;
  const world = await statefulSetScenario({ replicas: 2, spec });
  await world.settled();
  await world.clock.runFor(60_000);
  return world;
}

const pod = (verb: "create" | "delete", name: string) => ({
  verb,
  resource: "pods",
  namespace: "default",
  name,
});

test("a plan has these fields with these values, and no others", async () => {
  const world = await web();
  const line = "plan sts/web --image app=web:v2 --replicas 3 --start-seconds 5 --stop-seconds 2";
  const { code, text } = await cliOf(world).lockstep(`${line} -o json`);
  const plan = JSON.parse(text) as Plan;
  const [first] = plan.steps;
  const target = first?.writes[0]?.name ?? "";
  expect(target).toMatch(/^web-[a-z0-9]+$/);
  expect(plan).toEqual({
    apiVersion: "lockstep.dev/plan/v1",
    object: { kind: "StatefulSet", namespace: "default", name: "web" },
    verdict: "completes",
    durationSeconds: 19,
    steps: [
      {
        atSeconds: 0,
        writes: [
          { verb: "create", resource: "controllerrevisions", namespace: "default", name: target },
          pod("create", "web-2"),
        ],
        reason: expect.any(String) as string,
      },
      ...[
        [5, "delete", "web-1"],
        [7, "create", "web-1"],
        [12, "delete", "web-0"],
        [14, "create", "web-0"],
      ].map(([atSeconds, verb, name]) => ({
        atSeconds,
        writes: [pod(verb as "create", name as string)],
        reason: expect.stringContaining("web-") as string,
      })),
    ],
    components: [
      { name: "web", desired: 3, lowestAvailable: 2, promisedAvailable: 2, peakSurge: 0 },
    ],
    peakExtra: { "nvidia.com/gpu": 1 },
    warnings: [
      {
        code: "MixedVersions",
        message:
          "pods of two versions serve side by side for a while: they must understand each other",
      },
    ],
  });
  expect(code).toBe(0);
});

test("PL2 decisions are patched, and kept clusters are counted", async () => {
  const fleet = await placementScenario({ clusters: 4, spec: null });
  await fleet.client.create(placementResource, placementObject("web", inGroupsOf(2)));
  await fleet.settle();
  const words = "--set spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup=3";
  const { code, text } = await cliOf(fleet).lockstep(`plan placement/web ${words} -o json`);
  const { components, steps, peakExtra } = JSON.parse(text) as Plan;
  expect({ code, components, peakExtra }).toEqual({
    code: 0,
    components: [
      {
        name: "web",
        desired: 4,
        lowestAvailable: 4,
        promisedAvailable: 4,
        peakSurge: 1,
        keptClusters: 4,
      },
    ],
    peakExtra: {},
  });
  const writes = steps.flatMap((step) => step.writes);
  expect(writes[0]).toEqual({
    verb: "patch",
    resource: "placementdecisions",
    namespace: "default",
    name: "web-decision-1",
  });
});

const codes: Readonly<Record<string, readonly [string, Plan["verdict"], number]>> = {
  "0 where it completes": ["--image app=web:v2", "completes", 0],
  "0 where it rests": [
    "--image app=web:v2 --set spec.updateStrategy.rollingUpdate.partition=1",
    "rests",
    0,
  ],
  "0 where there is nothing to do": ["--image app=web:v1", "nothing", 0],
  "2 where it stalls": ["--image app=web:broken", "stalls", 2],
};

test.each(Object.entries(codes))("the exit code is %s", async (_what, [flags, verdict, want]) => {
  const { code, text } = await cliOf(await web()).lockstep(`plan sts/web ${flags} -o json`);
  expect({ code, verdict: (JSON.parse(text) as Plan).verdict }).toEqual({ code: want, verdict });
});

test("the exit code is 1 where nothing could be planned, and what is printed is no plan", async () => {
  const { code, text } = await cliOf(await web()).lockstep("plan sts/wep --replicas 2 -o json");
  expect({ code, text }).toEqual({
    code: 1,
    text: expect.stringMatching(
      /error: there is no StatefulSet wep in namespace default/,
    ) as string,
  });
});

test("every code of a warning is documented, and no other", () => {
  const codesIn = (file: string, pattern: RegExp): string[] =>
    [...readFileSync(file, "utf8").matchAll(pattern)].map(([, found = ""]) => found).toSorted();
  const table = /\| `warnings\[\]\.code` \|([\s\S]*?)\n\n/.exec(
    readFileSync("docs/plan.md", "utf8"),
  )?.[1];
  const documented = [...(table ?? "").matchAll(/`([A-Z]\w+)`/g)].map(([, found]) => found);
  const known = codesIn("src/preview/plan.ts", /^ {4}\| "(\w+)"/gm);
  expect(known.length).toBeGreaterThan(10);
  expect(new Set(documented)).toEqual(new Set([...known, ...documented.filter(isKindName)]));
});

/** What the explanations name beside codes. */
const isKindName = (word: string | undefined): boolean => word === "PodDisruptionBudget";
