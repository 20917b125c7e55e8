/**
 * Objects that no definition should have let through, among calm workloads: the operator, the dashboard and the
 * commands live on, the calm ones are rolled out in time, and nothing is left behind. A tenth as many as
 * `LOCKSTEP_HOSTILE` says.
 */
import { expect, test } from "vitest";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { apiVersionOf } from "../../src/api/resource.ts";
import type { Resource } from "../../src/api/resource.ts";
import { ApiError } from "../../src/api/status.ts";
import { customDefinitions } from "../../src/cli/definitions.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { RolloutHub } from "../../src/dashboard/rollout-hub.ts";
import { pageOf } from "../../src/dashboard/page-view.ts";
import { rolloutKinds } from "../../src/rollouts/kinds.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { startAutoscaling } from "../../src/sim/autoscaler/autoscaler-controller.ts";
import type { Random } from "../../src/sim/random.ts";
import { seededRandom } from "../../src/sim/random.ts";
import { cliOf } from "../builders/cli.ts";
import { namespaceResource } from "../builders/placement-objects.ts";
import { simulation } from "../builders/simulation.ts";
import { calmWorkloads, createFleet, serves, setImages, targets } from "./calm-workloads.ts";
import { mutated, one } from "./hostile-values.ts";
import { atLeastOne } from "../builders/must.ts";

const total = Math.ceil(Number(process.env["LOCKSTEP_HOSTILE"] ?? 2000) / 10);
const seed = Number(process.env["LOCKSTEP_SEED"] ?? 1);
const calm = "default";
const hostile = "hostile";

type World = Awaited<ReturnType<typeof startWorld>>;

async function startWorld() {
  const problems: string[] = [];
  const onProblem = (problem: unknown): void => void problems.push(String(problem));
  const world = await simulation({ gangs: true, customKinds: true, deployments: true, onProblem });
  const { client, clock, transport } = world;
  await startAutoscaling({ client, clock, onProblem });
  await startKinds(kinds, {
    client: restClient(transport),
    clock,
    modes: { statefulset: "full" },
    onProblem,
    observe: () => ({ reconciled: (_key, { error }) => error !== undefined && onProblem(error) }),
  });
  const hub = new RolloutHub({ client, clock, kinds: rolloutKinds, onProblem });
  const unseen: unknown[] = [];
  // As a browser that looks at everything.
  hub.onChange((change) => {
    try {
      if (change.kind === "list") hub.list();
      else if (change.followed !== undefined) pageOf(change.followed);
    } catch (problem) {
      unseen.push(problem);
    }
  });
  hub.start();
  await client.create(namespaceResource, { metadata: { name: hostile } });
  await createFleet(client, [calm, hostile]);
  for (const namespace of [calm, hostile]) {
    for (const [resource, object] of calmWorkloads(namespace)) {
      await client.create(resource, object);
    }
  }
  await clock.runFor(60_000);
  return { ...world, problems, unseen };
}

/** Definitions that take anything, as somebody may make them. */
async function loosen({ client }: World): Promise<void> {
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  for (const { metadata, spec } of customDefinitions()) {
    const versions = (spec["versions"] as object[]).map((version) => ({ ...version, schema }));
    const patch = { type: "merge", body: { spec: { versions } } } as const;
    await client.patch(customResourceDefinitionResource, { name: metadata.name ?? "" }, patch);
  }
}

const placeOf = (resource: Resource): { namespace?: string } =>
  resource.namespaced ? { namespace: hostile } : {};

/** Of the calm namespace nothing is touched, nor the clusters that its Placement chooses from. */
const within = async ({ client }: World, resource: Resource): Promise<readonly KubeObject[]> =>
  (await client.list(resource, placeOf(resource))).items.filter(
    ({ metadata }) => resource.namespaced || metadata.name?.startsWith("h") === true,
  );

/** One hostile request; what the server refuses was answered. */
async function attack(world: World, random: Random): Promise<void> {
  const resource = one(random, targets);
  const there = await within(world, resource);
  const choice = random.below(10);
  try {
    if (choice < 3 || there.length === 0) await createFrom(world, random, there, resource);
    else if (choice < 9) await change(world, random, one(random, there), resource);
    else await remove(world, random, one(random, there), resource);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

async function createFrom(
  { client }: World,
  random: Random,
  there: readonly KubeObject[],
  fallback: Resource,
): Promise<void> {
  const models = [...calmWorkloads(hostile), ...there.map((each) => [fallback, each] as const)];
  const [resource, model] = one(random, models);
  const { status: _status, metadata, ...parts } = model;
  const changed = mutated(random, { ...parts, labels: metadata.labels ?? {} }, 0.06);
  const { labels, ...fields } = Object(changed) as { labels?: Record<string, string> };
  await client.create(resource, {
    ...fields,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      name: `h${random.below(30)}`,
      ...placeOf(resource),
      ...(labels === undefined ? {} : { labels }),
      ...(metadata.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
    },
  });
}

async function change(
  { client }: World,
  random: Random,
  object: KubeObject,
  resource: Resource,
): Promise<void> {
  const part = one(random, ["spec", "spec", "spec", "status", "data"]);
  const value = mutated(random, object[part] ?? {}, 0.08) ?? null;
  const labels = mutated(random, object.metadata.labels ?? {}, 0.05);
  const operations = [
    { op: "replace", path: `/${part}`, value },
    ...(random.happens(0.2) ? [{ op: "replace", path: "/metadata/labels", value: labels }] : []),
  ];
  const key = { name: object.metadata.name ?? "", ...placeOf(resource) };
  const options = part === "status" ? { subresource: "status" } : {};
  await client.patch(resource, key, { type: "json", operations }, options);
}

const remove = (
  { client }: World,
  random: Random,
  { metadata }: KubeObject,
  resource: Resource,
): Promise<void> =>
  client.delete(
    resource,
    { name: metadata.name ?? "", ...placeOf(resource) },
    { propagationPolicy: one(random, ["Background", "Foreground", "Orphan"]) },
  );

/** What people look at; a defect of ours is a stack trace, whatever the objects are. */
async function look(world: World, random: Random): Promise<void> {
  const lines = ["list -A", `get pcs,pclq,pcsg,pg,sts,rbg,placements -n ${hostile}`];
  const { resource, word } = one(random, rolloutKinds);
  const there = await within(world, resource);
  if (there.length > 0) {
    const named = `${word}/${one(random, there).metadata.name} -n ${hostile}`;
    const verbs = ["status", "why", "history", "diff", "pause", "undo", "restart", "describe"];
    lines.push(...verbs.map((verb) => `${verb} ${named}`), `watch ${named} --once`);
  }
  const { lockstep } = cliOf(world);
  for (const line of atLeastOne(lines)) {
    const { text } = await lockstep(line);
    expect(`${line}: ${text}`).not.toMatch(/internal error|\n\s+at \S+ \(/);
  }
}

async function rollCalm(world: World, image: string): Promise<void> {
  const { client, clock } = world;
  await setImages(client, calm, image);
  const end = clock.now() + 300_000;
  while (!(await serves(client, calm, image))) {
    if (clock.now() > end) throw new Error(`${image} is not rolled out after five minutes`);
    await clock.runFor(1_000);
  }
}

/** Owners first, then whatever they left; finalizers are the operator's own, which has to remove them. */
async function cleanUp(world: World): Promise<void> {
  for (let round = 0; round < 3; round++) {
    for (const resource of targets) {
      for (const { metadata } of await within(world, resource)) {
        const key = { name: metadata.name ?? "", ...placeOf(resource) };
        await world.client.delete(resource, key).catch((error: unknown) => {
          if (!(error instanceof ApiError)) throw error;
        });
      }
    }
    await world.clock.runFor(120_000);
  }
}

test(
  `${total} hostile objects neither stop the operator nor hold the others up, and leave nothing behind`,
  async () => {
    const random = seededRandom(seed + 2);
    const world = await startWorld();
    const everyRound = 50;
    for (let step = 0; step < total; step++) {
      if (step === Math.floor(total / 3)) await loosen(world);
      const before = process.cpuUsage();
      await attack(world, random);
      await world.clock.runFor(500);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1e6, `seed ${seed}, step ${step}`).toBeLessThan(10);
      if (step % 10 === 0) await look(world, random);
      if (step % everyRound === everyRound - 1) await rollCalm(world, `web:v${step}`);
    }
    expect(world.unseen).toEqual([]);
    // A run that meets no resistance would test nothing.
    expect(world.problems.length).toBeGreaterThan(total / 10);
    await cleanUp(world);
    const left = await Promise.all(targets.map((resource) => within(world, resource)));
    expect(left.flat().map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    await rollCalm(world, "web:last");
  },
  120_000 + total * 300,
);
