/** The commands of docs/how-to, run as they are written there, do what the pages say. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { autoscalerResource } from "../../src/api/autoscaler.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import { podResource } from "../../src/api/pod.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { startAutoscaling } from "../../src/sim/autoscaler/autoscaler-controller.ts";
import type { Patch } from "../../src/runtime/client.ts";
import { cliOf } from "../builders/cli.ts";
import { simulation } from "../builders/simulation.ts";

const namespace = "default";
const llm = { namespace, name: "llm" };

/** In the order of the page: `kubectl patch pcs llm ...` and `kubectl scale pcsg ...`. */
const commandsOf = (page: string): readonly RegExpExecArray[] => [
  ...readFileSync(`docs/how-to/${page}`, "utf8").matchAll(
    /kubectl (?:patch pcs llm --type=(json|merge) -p '([^']*)'|scale pcsg (\S+) --replicas=(\d+))/g,
  ),
];

/** The set of the pages, at rest on the eight nodes of `lockstep up`. */
async function reader(page: string) {
  const world = await simulation({ nodes: 8, gangs: true });
  const { client, clock } = world;
  const grove = kinds.filter(({ name }) => name.startsWith("pod"));
  const started = startKinds(grove, { client, clock, modes: { statefulset: "full" } });
  await clock.runFor(1_000);
  await started;
  const whole = parse(
    readFileSync("deploy/samples/podcliqueset/whole.yaml", "utf8"),
  ) as PodCliqueSet;
  await client.create(podCliqueSetResource, { ...whole, metadata: llm });
  await clock.runFor(30_000);
  const commands = [...commandsOf(page)];
  const get = () => client.get<PodCliqueSet>(podCliqueSetResource, llm);
  return {
    clock,
    client,
    left: () => commands.length,
    skip: (count: number) => commands.splice(0, count),
    /** Types the next command of the page. */
    type: async (): Promise<void> => {
      const [, type, body = "", group = "", replicas] = commands.shift() ?? [];
      if (type === undefined) {
        const spec = { replicas: Number(replicas) };
        const patch = { type: "merge", body: { spec } } as const;
        await client.patch(scalingGroupResource, { namespace, name: group }, patch);
      } else {
        const given: unknown = JSON.parse(body);
        const patch = type === "json" ? { type, operations: given } : { type, body: given };
        await client.patch(podCliqueSetResource, llm, patch as Patch);
      }
      await clock.runFor(60_000);
    },
    lockstep: async (line: string): Promise<void> => {
      expect(await cliOf(world).lockstep(line)).toMatchObject({ code: 0 });
      await clock.runFor(60_000);
    },
    said: async (condition: string): Promise<string> => {
      const found = (await get()).status?.conditions?.find(({ type }) => type === condition);
      return `${found?.reason}: ${found?.message}`;
    },
    images: async (): Promise<readonly string[]> => {
      const { items } = await client.list(podResource, { namespace });
      return items
        .filter(({ metadata }) => metadata.name?.includes("leader"))
        .map(({ spec }) => (spec as { containers: { image: string }[] }).containers[0]?.image ?? "")
        .toSorted();
    },
  };
}

const [v1, v2] = ["registry.example/decode:v1", "registry.example/decode:v2"];
const newImages = `set image pcs/llm leader/server=${v2} worker/server=${v2}`;

test("autoscaling", async () => {
  const page = readFileSync("docs/how-to/autoscaling.md", "utf8");
  const [, manifest = ""] = /<<'EOF'\n(.*?)\nEOF\n/s.exec(page) ?? [];
  const [, key = "", load = ""] = /kubectl annotate hpa llm-0-decode (\S+)=(\d+)/.exec(page) ?? [];
  const { clock, client } = await reader("autoscaling.md");
  const autoscaling = await startAutoscaling({ client, clock });
  const hpa = parse(manifest) as KubeObject;
  const annotations = { [key]: load };
  await client.create(autoscalerResource, {
    ...hpa,
    metadata: { ...hpa.metadata, namespace, annotations },
  });
  await clock.runFor(60_000);
  const group = { namespace, name: "llm-0-decode" };
  expect(await client.get(scalingGroupResource, group)).toMatchObject({
    spec: { replicas: 3 },
    status: { availableReplicas: 3 },
  });
  await autoscaling.stop();
});

test("canary", async () => {
  const { type, said, images, left } = await reader("canary.md");
  await type();
  expect(await said("Progressing")).toBe("AtPartition: llm-0-decode 1 of 2 updated, partition 1");
  expect(await images()).toEqual([v1, v2]);
  await type();
  expect(await said("Progressing")).toMatch(/^RolledOut/);
  expect(await images()).toEqual([v2, v2]);
  expect(left()).toBe(0);
});

test("pause and resume", async () => {
  const { type, lockstep, said, images, left } = await reader("pause.md");
  await type();
  expect(await said("Progressing")).toMatch(/^RolledOut/);
  await lockstep(newImages);
  expect(await said("Progressing")).toMatch(/^Paused/);
  expect(await images()).toEqual([v1, v1]);
  await type();
  expect(await images()).toEqual([v2, v2]);
  expect(left()).toBe(0);
});

test("roll back", async () => {
  const { clock, type, lockstep, said, images, left } = await reader("roll-back.md");
  await lockstep(newImages);
  await type();
  expect(await said("Progressing")).toMatch(/^RolledOut/);
  expect(await images()).toEqual([v1, v1]);
  await type();
  await lockstep(newImages.replaceAll(":v2", ":broken"));
  await clock.runFor(150_000);
  expect(await said("Progressing")).toMatch(/^RolledOut/);
  expect(await images()).toEqual([v1, v1]);
  expect(left()).toBe(0);
});

const waysOut = [
  { way: 1, want: /^RolledOut/ },
  { way: 2, want: /^RolledOut/ },
  { way: 3, want: /the surge was released/ },
];

test.each(waysOut)("surge on full GPUs, way out $way", async ({ way, want }) => {
  const { clock, type, skip, lockstep, said, left } = await reader("surge-on-full-gpus.md");
  await type();
  await lockstep(newImages);
  expect(await said("Progressing")).toContain("8 Insufficient nvidia.com/gpu");
  skip(way - 1);
  await type();
  await clock.runFor(600_000);
  expect(await said("Progressing")).toMatch(want);
  expect(left()).toBe(waysOut.length - way);
});
