/** The walk of docs/how-to/stable-clusters.md on `lockstep up`: 150 clusters, one more in front, and no add-on goes. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { KubeList } from "../../src/api/object.ts";
import type { PlacementDecision } from "../../src/api/ocm/placement.ts";
import { clustersOf, placementDecisionResource } from "../../src/api/ocm/placement.ts";
import { clusterAccess } from "../../src/kube/access.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { RunningProcess } from "./lockstep-process.ts";
import { Folder, root } from "./lockstep-process.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = new Folder();
const sample = (name: string): string => join(root, "deploy", "samples", "placement", name);
const kubeconfig = join(folder.path, ".lockstep", "kubeconfig");
const start = "cluster001..cluster100 cluster101..cluster150";
const end = "cluster000..cluster099 cluster100..cluster150";
let cluster: RunningProcess;

beforeAll(async () => {
  cluster = folder.lockstep("up", "--port", "0", "--nodes", "0");
  await cluster.printed(/Ctrl-C/);
});
afterAll(() => folder.remove());

async function output(...args: string[]): Promise<string> {
  const { code, output: text, errors } = await folder.run(...args);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  return text;
}

async function applyFleet(first: number, last: number): Promise<void> {
  const manifest = execFileSync(process.execPath, [
    sample("fleet.mjs"),
    String(first),
    String(last),
  ]);
  writeFileSync(join(folder.path, "fleet.yaml"), manifest);
  await output("apply", "-f", "fleet.yaml");
}

async function uids(): Promise<Record<string, string | undefined>> {
  const { items } = JSON.parse(
    await output("get", "managedclusteraddons", "-A", "-o", "json"),
  ) as KubeList;
  return Object.fromEntries(items.map(({ metadata }) => [metadata.namespace, metadata.uid]));
}

/** After each event of the decisions, `first..last` of each: `cluster000..cluster099 cluster100..cluster150`. */
async function addFirst(): Promise<readonly string[]> {
  const transport = httpTransport(clusterAccess(loadKubeconfig([kubeconfig], true)));
  const client = restClient(transport);
  const now = new Map<string, string>();
  const listed: string[] = [];
  const see = (decision: PlacementDecision): void => {
    const names = clustersOf(decision);
    now.set(decision.metadata.name ?? "", `${names[0]}..${names.at(-1)}`);
    listed.push([...now.values()].join(" "));
  };
  const { items, metadata } = await client.list<PlacementDecision>(placementDecisionResource);
  for (const decision of items) see(decision);
  const { resourceVersion } = metadata;
  void client
    .watch<PlacementDecision>(
      placementDecisionResource,
      { resourceVersion },
      ({ type, object }) => {
        if (type === "MODIFIED") see(object);
      },
    )
    .catch(() => undefined);
  await applyFleet(0, 0);
  await vi.waitFor(() => expect(listed.at(-1)).toBe(end), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await selected()).toBe(151), { timeout: 30_000 });
  transport.close();
  return listed.slice(items.length - 1);
}

async function selected(): Promise<number | undefined> {
  const { status } = JSON.parse(await output("get", "placement", "my-placement", "-o", "json")) as {
    status?: { numberOfSelectedClusters?: number };
  };
  return status?.numberOfSelectedClusters;
}

test("AD1 one cluster more that sorts first: exactly one add-on appears and none goes", async () => {
  await applyFleet(1, 150);
  await output("apply", "-f", sample("rolling-update.yaml"), "-f", sample("addon.yaml"));
  const watch = folder.lockstep("get", "managedclusteraddons", "-A", "-w", "--no-headers");
  await watch.printed(/^cluster150 +inference-gateway/m);
  await vi.waitFor(async () => expect(Object.keys(await uids())).toHaveLength(150), {
    timeout: 60_000,
  });
  const before = await uids();

  await applyFleet(0, 0);
  const seen = await watch.printed(/^cluster000 +inference-gateway/m);
  watch.signal("SIGTERM");
  const after = await uids();
  expect(Object.keys(after)).toHaveLength(151);
  expect(after).toMatchObject(before);
  // Every add-on was printed once: none changed, went or came again.
  expect(seen.trim().split("\n")).toHaveLength(151);

  const decisions = await output("get", "placementdecisions", "--no-headers");
  expect(decisions.trim().split("\n")).toHaveLength(2);
  // Counters are written when they come to rest.
  const row = /^inference-gateway +Inference gateway +151 +151 +0 +False\n$/;
  const shown = () => output("get", "cma", "inference-gateway", "--no-headers");
  await vi.waitFor(async () => expect(await shown()).toMatch(row), { timeout: 30_000 });
});

test("PL1 PL8 a cluster that moves is listed at every moment, and under All nowhere for one", async () => {
  const without = async (): Promise<void> => {
    await output("delete", "managedcluster", "cluster000");
    await vi.waitFor(async () => expect(await selected()).toBe(150), { timeout: 30_000 });
  };
  await without();
  expect(await addFirst()).toEqual([
    start,
    "cluster000..cluster100 cluster101..cluster150",
    "cluster000..cluster100 cluster100..cluster150",
    end,
  ]);
  await without();
  const rolling = readFileSync(sample("rolling-update.yaml"), "utf8");
  writeFileSync(join(folder.path, "all.yaml"), rolling.replace("RollingUpdate", "All"));
  await output("apply", "-f", "all.yaml");
  expect(await addFirst()).toEqual([start, "cluster000..cluster099 cluster101..cluster150", end]);
});

test("a wrong call of the fleet script says how to call it", () => {
  expect(() =>
    execFileSync(process.execPath, [sample("fleet.mjs"), "5", "1"], { stdio: "pipe" }),
  ).toThrow("usage: node fleet.mjs FIRST LAST");
});
