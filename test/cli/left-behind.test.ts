/** Cliques whose set, definitions or operator went first: what is so is said, and the command that ends it. */
import { expect, test } from "vitest";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { cliOf } from "../builders/cli.ts";
import type { PodCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";

const namespace = "default";
const why = "why pclq/chat-0-front";

/** Only cliques of whole replicas have a finalizer. */
async function world(): Promise<PodCliqueSetScenario> {
  const scenario = await podCliqueSetScenario({
    replicas: 1,
    strategy: { type: "ReplicaRecreate" },
    cliques: { front: { replicas: 2 } },
  });
  await scenario.settled();
  await scenario.stopOperator();
  return scenario;
}

const ask = async (scenario: PodCliqueSetScenario, line: string): Promise<string> =>
  (await cliOf(scenario).lockstep(line)).text;

async function deleteDefinition({ client, clock }: PodCliqueSetScenario, name: string) {
  await client.delete(customResourceDefinitionResource, { name });
  await clock.runFor(5_000);
}

test("a clique that nobody ends names who would, and the command that does", async () => {
  const scenario = await world();
  await scenario.client.delete(podCliqueSetResource, { namespace, name: "chat" });
  await scenario.clock.runFor(30_000);
  // An operator might still be at it.
  expect(await ask(scenario, why)).not.toContain("uninstall");
  await scenario.clock.runFor(31_000);
  const text = await ask(scenario, why);
  expect(text).toMatch(
    /doing +its deletion was requested, and nobody ends it: held by\s+grove.io\/podclique.grove.io/,
  );
  expect(text).toMatch(/type +kubectl get pods -n lockstep-system/);
  // Without a namespace all of the cluster would go.
  expect(text).toMatch(/^ +lockstep uninstall --yes -n default {3}/m);
  expect(text).toMatch(/note +it was a part of podcliqueset\/chat, which is gone$/m);
  expect(text).not.toContain("steers it");
  expect(await ask(scenario, "status pclq/chat-0-front")).toContain("to free it: kubectl get pods");
});

test("a clique that others hold is not said to be left by an operator", async () => {
  const scenario = await world();
  const { client, clock } = scenario;
  const key = { namespace, name: "chat" };
  const body = { metadata: { finalizers: ["example.com/backup"] } };
  await client.patch(podCliqueSetResource, key, { type: "merge", body });
  await client.delete(podCliqueSetResource, key);
  await clock.runFor(120_000);
  const text = await ask(scenario, "why pcs/chat");
  expect(text).toContain("held by example.com/backup");
  expect(text).not.toContain("uninstall");
});

test("where the definition of sets is gone, a clique is shown all the same", async () => {
  const scenario = await world();
  await deleteDefinition(scenario, "podcliquesets.grove.io");
  const text = await ask(scenario, why);
  expect(text).toMatch(/note +it was a part of podcliqueset\/chat, which is gone$/m);
  expect(text).toMatch(/note +the cluster does not serve podcliquesets\.grove\.io$/m);
  expect(await ask(scenario, "why pcs/chat")).toContain(
    "the cluster does not serve podcliquesets.grove.io; install it: lockstep crds | kubectl apply -f -",
  );
});

test("where all definitions were deleted first, both ways out are named", async () => {
  const scenario = await world();
  const { items } = await scenario.client.list(customResourceDefinitionResource);
  for (const { metadata } of items) await deleteDefinition(scenario, metadata.name ?? "");
  await scenario.clock.runFor(60_000);
  for (const line of [why, "watch pclq/chat-0-front --once", "status pclq/chat-0-front"]) {
    const text = await ask(scenario, line);
    expect(text).toContain("nobody ends it");
    expect(text).not.toContain("404");
  }
  const text = await ask(scenario, why);
  // A definition that terminates cannot be had back before what is left of it is gone.
  expect(text).toMatch(/type +lockstep uninstall --yes -n default {3}\(ends it, /);
  expect(text).toMatch(/^ +lockstep crds \| kubectl apply -f - {3}\(if you stay: /m);
});
