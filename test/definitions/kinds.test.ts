/** Every kind of the list does what its definition says: which watches it opens, when, and under which names. */
import { expect, test } from "vitest";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { Io } from "../../src/cli/io.ts";
import { operatorCommand } from "../../src/cli/operator.ts";
import { discover, findResource } from "../../src/cli/resources.ts";
import type { KindDefinition } from "../../src/controllers/engine/kind-definition.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { SharedCaches } from "../../src/controllers/engine/shared-caches.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { recordRequests } from "./requests.ts";
import { atLeastOne } from "../builders/must.ts";

const everyKind = kinds.map((kind) => [kind.name, kind] as const);

async function cluster(isServingCustomKinds: boolean) {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, resources: builtinResources() });
  if (isServingCustomKinds) await installDefinitions(server.client);
  const requests = recordRequests(server.transport);
  const client = restClient(requests.transport);
  return {
    ...requests,
    clock,
    server,
    /** As `--controllers` names them. */
    run: (list: string) => startKinds(chooseKinds(list), { client, clock }),
  };
}

const watchesOf = ({ watches }: KindDefinition): string[] =>
  watches.map(({ group, plural }) => `${group}/${plural}`);

test.each(everyKind)("%s alone opens exactly the watches it declares", async (name, kind) => {
  const { clock, made, open, run } = await cluster(true);
  const [controller] = await run(name);
  await clock.runFor(60_000);
  const wanted = watchesOf(kind).flatMap((watch) => [`list ${watch}`, `watch ${watch}`]);
  expect([...made].toSorted()).toEqual(wanted.toSorted());
  expect(open()).toBe(kind.watches.length);

  await controller?.stop();
  await clock.runFor(60_000);
  expect(open()).toBe(0);
});

test("no controller opens no watch", async () => {
  const { clock, made, run } = await cluster(true);
  expect(await run("none")).toEqual([]);
  await clock.runFor(60_000);
  expect([...made]).toEqual([]);
});

test("what several kinds read is followed once, until the last of them stops", async () => {
  const { clock, watches, open, run } = await cluster(true);
  const controllers = await run("podcliqueset,podclique,podgang");
  await clock.runFor(60_000);
  expect(watches.toSorted()).toEqual([...new Set(watches)].toSorted());
  const [sets, cliques, gangs] = ["podcliqueset", "podclique", "podgang"].map((name) =>
    kinds.find((kind) => kind.name === name)!,
  );
  expect(open()).toBe(sets!.watches.length);

  await controllers[0]!.stop();
  await clock.runFor(60_000);
  expect(open()).toBe(new Set([...cliques!.watches, ...gangs!.watches]).size);
  await controllers[1]!.stop();
  await clock.runFor(60_000);
  expect(open()).toBe(gangs!.watches.length);
  await controllers[2]!.stop();
  await clock.runFor(60_000);
  expect(open()).toBe(0);
});

test("controllers of custom kinds wait until these are served, and hold nobody else up", async () => {
  const { clock, server, open, run } = await cluster(false);
  const controllers = await run("all");
  await clock.runFor(60_000);
  const builtin = new Set(
    kinds.flatMap((kind) =>
      kind.watches
        .filter((resource) => !kind.customKinds.some((custom) => custom.resource === resource))
        .map(({ plural }) => `${kind.customKinds[0]?.resource.group ?? "all"} ${plural}`),
    ),
  );
  expect(open()).toBe(builtin.size);

  await installDefinitions(server.client);
  await clock.runFor(60_000);
  const custom = new Set(
    kinds.flatMap(({ watches, customKinds }) =>
      watches.filter((resource) => customKinds.some((each) => each.resource === resource)),
    ),
  );
  expect(open()).toBe(builtin.size + custom.size);
  for (const controller of controllers) await controller.stop();
});

test.each(everyKind)("`lockstep get` knows %s by every word for it", async (_name, kind) => {
  const { server } = await cluster(true);
  const served = await discover(server.transport);
  const { words } = kind;
  expect(words.shortNames.length).toBeGreaterThan(0);
  for (const word of [words.kind, words.singular, words.plural, ...words.shortNames]) {
    expect(findResource(served, word).kind).toBe(words.kind);
  }
});

test("names of kinds are sorted for people, and a wrong one is answered with all of them", () => {
  const names = kinds.map(({ name }) => name).toSorted();
  expect(chooseKinds("all").map(({ name }) => name)).toEqual(names);
  expect(chooseKinds("podgang, podclique,podgang").map(({ name }) => name)).toEqual([
    "podgang",
    "podclique",
  ]);
  expect(() => chooseKinds("nope")).toThrow(
    `--controllers: there is no controller "nope"; choose from ${names.join(", ")}, or say all or none`,
  );
});

test("a mode that a kind does not have is refused", async () => {
  const { server, clock } = await cluster(true);
  const options = { client: server.client, clock };
  const caches = new SharedCaches(options);
  for (const kind of atLeastOne(kinds)) {
    expect(() => kind.controller({ ...options, caches, mode: "nope" })).toThrow(
      `the ${kind.name} controller has no mode "nope"`,
    );
  }
});

test("`lockstep operator` has a flag for every kind with modes, and takes each of them", () => {
  const { options } = operatorCommand({} as Io);
  const flags = options.filter(({ long }) => long?.endsWith("-mode"));
  expect(Object.fromEntries(flags.map(({ long, argChoices }) => [long, argChoices]))).toEqual(
    Object.fromEntries(
      kinds
        .filter(({ modes }) => modes.length > 0)
        .map(({ name, modes }) => [`--${name}-mode`, modes]),
    ),
  );
});
