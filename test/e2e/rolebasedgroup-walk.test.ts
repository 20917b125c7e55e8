/**
 * Roles in lockstep on `lockstep up`: batches on their nodes, side by side to a new image, halted by a broken one,
 * and back.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { KubeList } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import { labelKeys } from "../../src/api/rbg/labels.ts";
import { clusterAccess } from "../../src/kube/access.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { follow } from "../../src/simulation/follow.ts";
import { Folder, root } from "./lockstep-process.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const folder = new Folder();
const sample = (name: string): string => join(root, "deploy", "samples", "rolebasedgroup", name);
const soon = { timeout: 90_000, interval: 500 };

beforeAll(async () => {
  await folder.lockstep("up", "--port", "0", "--speed", "10", "--nodes", "4").printed(/Ctrl-C/);
});
afterAll(() => folder.remove());

async function output(...args: string[]): Promise<string> {
  const { code, output: text, errors } = await folder.run(...args);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  return text;
}

/** Its exit code says whether only a person can help. */
const isNow = (name: string, state: string) =>
  vi.waitFor(async () => {
    const { output: text } = await folder.run("status", `rolebasedgroup/${name}`);
    expect(text.split("\n")[0]).toBe(`rolebasedgroup/${name}: ${state}`);
  }, soon);

async function podsOf(name: string): Promise<Pod[]> {
  const selector = `${labelKeys.groupName}=${name}`;
  const { items } = JSON.parse(
    await output("get", "pods", "-l", selector, "-o", "json"),
  ) as KubeList<Pod>;
  return items;
}

const roleOf = ({ metadata }: Pod): string => metadata.labels?.[labelKeys.roleName] ?? "";
const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image?.split(":").at(-1) ?? "";
const isLive = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

/** `prefill 2, decode 1`: pods of these images that are there. */
const countsOf = (pods: readonly Pod[], ...images: readonly string[]): string =>
  ["prefill", "decode"]
    .map((role) => {
      const of = pods.filter((pod) => roleOf(pod) === role && isLive(pod));
      return `${role} ${of.filter((pod) => images.includes(imageOf(pod))).length}`;
    })
    .join(", ");

test("AF8 two prefill and one decode share a node: three batches on three nodes", async () => {
  await output("apply", "-f", sample("affinity.yaml"));
  await isNow("affinity", "Healthy");
  const pods = await podsOf("affinity");
  const batches = [...new Set(pods.map(({ spec }) => spec.nodeName))].map((node) =>
    pods
      .filter(({ spec }) => spec.nodeName === node)
      .map(({ metadata }) => metadata.name?.replace("affinity-", "") ?? "")
      .toSorted()
      .join(" "),
  );
  expect(batches.toSorted()).toEqual([
    "decode-0 prefill-0 prefill-1",
    "decode-1 prefill-2 prefill-3",
    "decode-2 prefill-4 prefill-5",
  ]);
  await output("delete", "rolebasedgroup", "affinity");
});

test("CO2 an image change takes the share of both roles that the partition leaves, and rests", async () => {
  await output("apply", "-f", sample("partition.yaml"));
  await isNow("partition", "Healthy");
  await output("set", "image", "rolebasedgroup/partition", "*=registry.example.com/engine:v2");
  await isNow("partition", "AtPartition");
  const updated = (await podsOf("partition")).filter((pod) => imageOf(pod) === "v2");
  expect(
    updated.map(({ metadata }) => metadata.name?.replace("partition-", "") ?? "").toSorted(),
  ).toEqual(["decode-8", "decode-9", "prefill-16", "prefill-17", "prefill-18", "prefill-19"]);
  await output("delete", "rolebasedgroup", "partition");
});

test("CO1 CO6 RG5 RG8 RG10 roles move side by side, a broken one stops both, and undo brings both back", async () => {
  const written = readFileSync(sample("coordinated.yaml"), "utf8");
  const deadline = /progressDeadlineSeconds: \d+/;
  expect(written).toMatch(deadline);
  const file = join(folder.path, "coordinated.yaml");
  writeFileSync(file, written.replace(deadline, "progressDeadlineSeconds: 60"));
  await output("apply", "-f", file);
  await isNow("coordinated", "Healthy");

  const access = clusterAccess(loadKubeconfig([join(folder.path, ".lockstep/kubeconfig")], true));
  const transport = httpTransport(access);
  const ended = new AbortController();
  onTestFinished(() => {
    ended.abort();
    transport.close();
  });
  const selection = { signal: ended.signal, labelSelector: `${labelKeys.groupName}=coordinated` };
  const seen: string[] = [];
  const pods = follow<Pod>(
    { client: restClient(transport), resource: podResource, selection },
    () => {
      const text = countsOf([...pods.values()], "v2");
      if (seen.at(-1) !== text) seen.push(text);
    },
  );
  const name = "rolebasedgroup/coordinated";
  await output("set", "image", name, "*=registry.example.com/engine:v2");
  await vi.waitFor(() => expect(seen.at(-1)).toBe("prefill 20, decode 10"), soon);
  // 10% of skew and one whole pod of decode.
  const skews = seen.map((text) => {
    const [prefill = 0, decode = 0] = text.match(/\d+/g)?.map(Number) ?? [];
    return Math.abs(prefill / 20 - decode / 10);
  });
  expect(Math.max(...skews)).toBeLessThanOrEqual(0.2 + 1e-9);
  expect(seen.length).toBeGreaterThan(15);
  await isNow("coordinated", "Healthy");
  const before = new Set((await podsOf("coordinated")).map(({ metadata }) => metadata.uid));

  const engine = "registry.example.com/engine";
  await output(
    "set",
    "image",
    name,
    `prefill/prefill=${engine}:v3`,
    `decode/decode=${engine}:broken`,
  );
  await isNow("coordinated", "Stalled");
  expect(countsOf(await podsOf("coordinated"), "v3", "broken")).toBe("prefill 2, decode 1");
  const why = await output("why", name);
  expect(why).toMatch(/coordinated-decode-9 \(broken\): (ErrImagePull|ImagePullBackOff): /);
  expect(why).toContain(`undo ${name}`);

  await output("undo", name);
  await isNow("coordinated", "Healthy");
  const after = await podsOf("coordinated");
  expect(countsOf(after, "v2")).toBe("prefill 20, decode 10");
  // Only those were replaced that had moved.
  expect(after.filter(({ metadata }) => before.has(metadata.uid))).toHaveLength(27);
});
