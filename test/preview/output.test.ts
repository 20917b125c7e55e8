/** What `lockstep plan` prints: the screen, the contract for programs, and the page. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { run } from "../../src/cli/run.ts";
import type { PlacementSpec } from "../../src/api/ocm/placement.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { browserPath } from "../builders/browser.ts";
import { cliOf } from "../builders/cli.ts";
import {
  inGroupsOf,
  placementObject,
  placementScenario,
  rollingDecisions,
} from "../builders/placement-scenario.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { groupOf, groupScenario } from "../builders/role-based-group-scenario.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const executablePath = browserPath();
const folder = mkdtempSync(join(tmpdir(), "plan-"));
const file = join(folder, "plan.html");
/** It would run if it were not shown as text. */
const hostile = "<img src=x onerror=document.title=1>";

let world: Awaited<ReturnType<typeof statefulSetScenario>>;
const ask = (line: string) => cliOf(world).lockstep(line);

beforeAll(async () => {
  const spec = { podManagementPolicy: "Parallel", ...rolling(2) } as const;
  world = await statefulSetScenario({ replicas: 5, spec });
  await world.settled();
  await world.clock.runFor(60_000);
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the screen shows what changes, who serves meanwhile, the steps and what to know", async () => {
  const { code, text } = await ask("plan sts/web --image app=web:v2");
  expect(code).toBe(0);
  expect(text).toMatchInlineSnapshot(`
    "StatefulSet default/web: completes in 12s
      changes      app.image web:v1 -> web:v2

      available  now                                  12s  lowest promised extra
      web        ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▆▆▆▆▆▆▆▆▆▆▆▆▆     3/5        3     0

          0s  delete web-{3..4}
          1s  create web-{3..4}
          4s  delete web-{1..2}
          5s  create web-{1..2}
          8s  delete web-0
          9s  create web-0

      ends with    5 pods available on web-65b6c8895d
      peak extra   no unit beyond what is desired
      longest wait 3s
      durations    pods start as fast as 5 that run now did, and stop in 1 s, which is assumed: see --stop-seconds
      ! MixedVersions pods of two versions serve side by side for a while: they must understand each other"
  `);
});

test("PL2 of a Placement it says what each write does, and of no pod how long it takes", async () => {
  const fleet = await placementScenario({ clusters: 6, spec: rollingDecisions });
  await fleet.settle();
  const manifest = join(folder, "groups.yaml");
  const groups = placementObject("web", inGroupsOf(4));
  writeFileSync(manifest, JSON.stringify(groups));
  const { text } = await cliOf(fleet).lockstep(`plan -f ${manifest}`);
  expect(text).toMatchInlineSnapshot(`
    "Placement default/web: completes at once
      changes      decisionStrategy.groupStrategy (none) -> {"clustersPerDecisionGroup":4}

      available    lowest promised extra
      web             6/6        6     2

          0s  create web-decision-2: a decision is added
          0s  patch web-decision-2: clusters are added, those that move between decisions are listed twice
          0s  patch web-decision-1: clusters are dropped that another decision lists

      ends with    6 clusters listed in 2 decisions
      peak extra   2 clusters listed twice on the way"
  `);
});

const inPlace = { decisionStrategy: { updateStrategy: { type: "All" } } } as const;

const writesOfPlacements: Readonly<
  Record<string, readonly [PlacementSpec, PlacementSpec, string[]]>
> = {
  "PL8 under All a cluster is listed nowhere for a moment": [
    inPlace,
    inGroupsOf(4, "All"),
    [
      "patch web-decision-1: clusters are dropped, and some of them are listed nowhere now",
      "create web-decision-2: a decision is added",
      "patch web-decision-2: clusters are added",
    ],
  ],
  "PL8 under All a decision gets some clusters and hides others": [
    inGroupsOf(3, "All"),
    inGroupsOf(2, "All"),
    [
      "patch web-decision-1: clusters are dropped, and some of them are listed nowhere now",
      "patch web-decision-2: decisions are written in place, and some clusters that they drop are listed nowhere now",
      "create web-decision-3: a decision is added",
      "patch web-decision-3: clusters are added",
    ],
  ],
  "PL8 under All a decision gets some clusters and loses others": [
    inGroupsOf(2, "All"),
    inGroupsOf(3, "All"),
    [
      "patch web-decision-1: clusters are added, those that move between decisions are listed twice",
      "patch web-decision-2: decisions are written in place",
      "delete web-decision-3: decisions that are not needed any more are deleted",
    ],
  ],
  "PL3 clusters that are not selected any more": [
    rollingDecisions,
    { ...rollingDecisions, numberOfClusters: 4 },
    [
      "patch web-decision-1: clusters are dropped that another decision lists, or that are not selected any more",
    ],
  ],
};

test.each(Object.entries(writesOfPlacements))("%s", async (_what, [from, to, want]) => {
  const fleet = await placementScenario({ clusters: 6, spec: from });
  await fleet.settle();
  const manifest = join(folder, "placement.yaml");
  writeFileSync(manifest, JSON.stringify(placementObject("web", to)));
  const { text } = await cliOf(fleet).lockstep(`plan -f ${manifest}`);
  const steps = text.split("\n").flatMap((line) => /^ +0s {2}(.+)/.exec(line)?.[1] ?? []);
  expect(steps).toEqual(want);
});

test("PL8 the warning says how many clusters are listed nowhere, and what keeps them listed", async () => {
  const fleet = await placementScenario({ clusters: 6, spec: inPlace });
  await fleet.settle();
  const manifest = join(folder, "vanishing.yaml");
  writeFileSync(manifest, JSON.stringify(placementObject("web", inGroupsOf(4, "All"))));
  const { text } = await cliOf(fleet).lockstep(`plan -f ${manifest}`);
  expect(text.split("\n").at(-1)).toBe(
    "  ! ClustersVanish 2 of 6 clusters that stay selected are listed nowhere for a moment: " +
      "use decisionStrategy.updateStrategy.type RollingUpdate",
  );
});

const answers: Readonly<Record<string, readonly [string, number, RegExp]>> = {
  "nothing to do": ["plan sts/web --image app=web:v1", 0, /nothing to do/],
  "an unknown name": [
    "plan sts/wep --image app=web:v2",
    1,
    /no StatefulSet wep in namespace default/,
  ],
  "an unknown container": ["plan sts/web --image ap=web:v2", 1, /no container is called ap/],
  "a kind that cannot be planned": ["plan deploy/web --replicas 3", 1, /can be planned/],
  "nothing that was asked": ["plan", 1, /there is nothing to plan/],
  "an image that never starts": ["plan sts/web --image app=web:broken", 2, /will not finish/],
  "a file that cannot be written": [
    "plan sts/web --image app=web:v2 --html /nowhere/plan.html",
    1,
    /cannot be written/,
  ],
};

test.each(Object.entries(answers))("%s", async (_what, [line, code, words]) => {
  const answer = await ask(line);
  expect(answer.text).toMatch(words);
  expect(answer.code).toBe(code);
});

test("what is under way is played to its end, though nothing changes", async () => {
  const spec = { podManagementPolicy: "Parallel", ...rolling(2) } as const;
  const moving = await statefulSetScenario({ replicas: 5, spec });
  await moving.settled();
  await moving.setImage("web:v2");
  await moving.clock.runFor(2_000);
  const { code, text } = await cliOf(moving).lockstep("plan sts/web");
  const [title, changes] = text.split("\n");
  expect({ code, title, changes }).toEqual({
    code: 0,
    title: expect.stringMatching(/^StatefulSet default\/web: completes in \d+s$/) as string,
    changes: "  changes      nothing: this is what is under way already",
  });
  expect(text).toContain("delete web-0");
  expect(text).not.toContain("NothingChanges");
});

test("files may be as a server printed them, and --from alone names the workload", async () => {
  const { text: live } = await ask("get sts web -o yaml");
  expect(live).toContain("resourceVersion");
  const old = join(folder, "old.yaml");
  writeFileSync(old, live);
  const { code, text } = await ask(`plan --from ${old} --image app=web:v2`);
  expect({ code, text: text.split("\n")[0] }).toEqual({
    code: 0,
    text: expect.stringContaining("StatefulSet default/web: completes in") as string,
  });
});

test("a workload that becomes smaller shows what goes", async () => {
  const old = join(folder, "set.json");
  writeFileSync(old, JSON.stringify(podCliqueSetOf({ replicas: 2, cliques: { front: {} } })));
  const { text } = await ask(`plan --from ${old} --replicas 1`);
  expect(text).toMatch(/chat-1-front .* 0\/0 +0 +0/);
  expect(text).toContain("delete chat-1-front-0");
});

describe("a role of a LeaderWorkerSet is refused, with what to do instead", () => {
  const workload = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet" } as const;
  const leaders = groupOf({ roles: { decode: { workload } } });
  const pods = groupOf({});
  const written = (name: string, group: object): string => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(group));
    return path;
  };
  const text = [
    "! error: role decode is run by a LeaderWorkerSet, whose controller is not part of Lockstep: a copy cannot play it",
    "`lockstep foresee --role decode=2` shows the order of its units; " +
      "`lockstep plan --from` plays a file in which the role has workload apps/v1 StatefulSet",
  ].join("; ");

  test.each([
    ["that it has", leaders, leaders],
    ["that it gets", pods, leaders],
    ["that it loses", leaders, pods],
  ])("%s, in files", async (_what, from, to) => {
    const files = `--from ${written("from", from)} -f ${written("to", to)}`;
    expect(await ask(`plan ${files} --image app=web:v2`)).toEqual({ code: 1, text });
  });

  test("that it loses, in a cluster", async () => {
    const cluster = await groupScenario({
      roles: { decode: { workload } },
      // The kind is not served there.
      expected: [/404 page not found/],
    });
    await cluster.clock.runFor(10_000);
    const answer = await cliOf(cluster).lockstep(`plan -f ${written("to", pods)}`);
    expect(answer).toEqual({ code: 1, text });
  });
});

test("a long plan shows on a terminal how far it is, in a line that is wiped in the end", async () => {
  let nowMs = 0;
  const clock = { ...systemClock(), monotonic: () => (nowMs += 200) };
  const drawn: string[] = [];
  const printed: string[] = [];
  const io: Io = {
    print: (line) => void printed.push(line),
    warn: (line) => void printed.push(line),
    isTerminal: true,
    write: (part) => void drawn.push(part),
    environment: { NO_COLOR: "1" },
    workingDirectory: folder,
    readStandardInput: () => "",
    stopping: new AbortController().signal,
    clock,
    cluster: world.transport,
  };
  expect(await run(["plan", "sts/web", "--image", "app=web:v2"], io)).toBe(0);
  expect(drawn[0]).toMatch(/^\rplaying: \d+s of the rollout/);
  expect(drawn.at(-1)).toBe("\r\u001b[K");
  expect(printed.join("\n")).toContain("completes in");
});

test("the page needs nothing but itself, and shows what it is given as text", async () => {
  await ask(`plan sts/web --image 'app=web:${hostile}' --html ${file}`);
  const page = readFileSync(file, "utf8");
  expect(page).not.toMatch(/<[a-z][^>]*\s(src|href)=|url\(|@import|fetch\(|<img/);
  expect(page).toContain("&#60;img src=x onerror=");
});

describe.runIf(executablePath !== undefined)("in a browser", () => {
  test("the page fetches nothing, and its timeline can be scrubbed", async () => {
    await ask(`plan sts/web --image 'app=web:${hostile}' --html ${file}`);
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("pageerror", (error) => asked.push(error.message));
      await page.goto(`file://${file}`);
      expect(await page.locator(".now").first().textContent()).toBe("3 of 5");
      await page.locator("input[type=range]").fill("1000");
      expect(await page.locator("ol li[aria-current]").count()).toBe(1);
      expect(await page.title()).toBe("Plan of StatefulSet default/web");
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(overflow).toBeLessThanOrEqual(0);
      expect(asked).toEqual([`file://${file}`]);
    } finally {
      await browser.close();
    }
  });
});
