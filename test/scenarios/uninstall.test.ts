/** Uninstalling ends in every order: with the operator, without it, definitions first, namespace first. */
import { expect, test } from "vitest";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import {
  defaultPolicyPlaces,
  podCliqueSetDefaultPolicy,
} from "../../src/api/grove/default-policy.ts";
import { controllerRevisionResource } from "../../src/api/apps.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { apiVersionOf, groupResource } from "../../src/api/resource.ts";
import type { Client } from "../../src/runtime/client.ts";
import { serviceResource } from "../../src/api/service.ts";
import { microTimeText } from "../../src/api/time-text.ts";
import { leaseResource } from "../../src/runtime/leader.ts";
import { uninstall } from "../../src/cli/uninstall-steps.ts";
import type { PodCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const given = {
  replicas: 2,
  // Only cliques of whole replicas have a finalizer.
  strategy: { type: "ReplicaRecreate" },
  cliques: { front: { replicas: 2 }, work: { replicas: 2 } },
  groups: { pair: { cliques: ["work"], replicas: 2, minAvailable: 1 } },
};

const everything = { yes: true, leaseNamespace: "lockstep-system", timeout: 300 };

/** Runs the command while time passes; what it printed, or why it failed. */
async function run({ client, clock }: PodCliqueSetScenario, options: object): Promise<string[]> {
  const lines: string[] = [];
  const print = (line: string): number => lines.push(line);
  const io = { print, warn: print, stopping: new AbortController().signal, environment: {} };
  const work = uninstall({ client, clock, io }, { ...everything, ...options }).catch(
    (error: unknown) => lines.push(String(error)),
  );
  await clock.runFor(400_000);
  await work;
  return lines;
}

async function left({ client, pods }: PodCliqueSetScenario): Promise<string[]> {
  const names = (await client.list(customResourceDefinitionResource)).items;
  const ours = names.filter(({ metadata }) => (metadata.name ?? "").endsWith("grove.io"));
  const parts = [];
  for (const resource of [serviceResource, controllerRevisionResource])
    parts.push(...(await client.list(resource, { namespace })).items);
  return [...ours, ...(await pods()), ...parts].map(({ metadata }) => metadata.name ?? "");
}

async function deleteDefinitions(
  { client, clock, stopOperator }: PodCliqueSetScenario,
  isWanted: (name: string) => boolean = () => true,
): Promise<void> {
  await stopOperator();
  const { items } = await client.list(customResourceDefinitionResource);
  for (const { metadata } of items.filter((each) => isWanted(each.metadata.name ?? ""))) {
    await client.delete(customResourceDefinitionResource, { name: metadata.name ?? "" });
  }
  await clock.runFor(60_000);
}

const orders: Record<string, (scenario: PodCliqueSetScenario) => Promise<void>> = {
  "with the operator": async () => undefined,
  "without an operator": async (scenario) => scenario.stopOperator(),
  "after the definitions were deleted first": async (scenario) => {
    await deleteDefinitions(scenario);
    expect(await left(scenario)).toContain("podcliques.grove.io");
  },
  "after the definition of sets alone was deleted": async (scenario) => {
    await deleteDefinitions(scenario, (name) => name === "podcliquesets.grove.io");
    expect(await left(scenario)).not.toContain("podcliquesets.grove.io");
  },
};

test.each(Object.entries(orders))("nothing is left %s", async (_order, first) => {
  const scenario = await podCliqueSetScenario(given);
  await scenario.settled();
  await first(scenario);
  const lines = await run(scenario, {});
  // Controllers whose kinds are gone complain about that.
  if (scenario.complaints().length > 0) scenario.expectComplaint(/./);
  expect(await left(scenario)).toEqual([]);
  expect(lines.filter((line) => line.includes("is made again by"))).toEqual([]);
  expect(lines.at(-1)).toBe(
    "done: now remove the operator: kubectl delete -f deploy/operator.yaml --ignore-not-found",
  );
  // A second run finds nothing to do.
  expect((await run(scenario, {}))[0]).toBe("nothing is left of Lockstep's kinds");
});

test("pods and services that lost their definitions, and are held by nothing, are found and removed", async () => {
  const scenario = await podCliqueSetScenario({ ...given, strategy: { type: "RollingRecreate" } });
  await scenario.settled();
  await deleteDefinitions(scenario);
  const pods = (await scenario.pods()).length;
  expect(pods).toBeGreaterThan(0);

  const asked = await run(scenario, { dryRun: true });
  expect(asked).toContain(
    `would delete ${pods} pods in default, left behind by an owner that is gone`,
  );
  const lines = await run(scenario, {});
  if (scenario.complaints().length > 0) scenario.expectComplaint(/./);
  expect(await left(scenario)).toEqual([]);
  expect(lines.at(-1)).toMatch(/^done: now remove the operator/);
});

test("one namespace that hangs is emptied, and the definitions are kept", async () => {
  const scenario = await podCliqueSetScenario(given);
  await scenario.settled();
  await scenario.stopOperator();
  await scenario.client.delete(podCliqueSetResource, { namespace, name: "chat" });
  await scenario.clock.runFor(60_000);
  const hanging = await scenario.client.list(podCliqueResource, { namespace });
  expect(hanging.items.length).toBeGreaterThan(0);

  const asked = await run(scenario, { namespace, dryRun: true });
  expect(asked).toEqual([
    `would end the deletion of ${hanging.items.length} podcliques in default, which has begun already`,
  ]);

  const lines = await run(scenario, { namespace });
  expect(lines).toContain(
    "no operator holds the lease lockstep-system/lockstep: finalizers are removed here",
  );
  expect(lines).toContain("removed the finalizer of podclique default/chat-0-front");
  expect(lines.at(-1)).toBe("done: namespace default has no object of Lockstep's kinds");
  expect(await scenario.pods()).toEqual([]);
  expect(await left(scenario)).toContain("podcliques.grove.io");
});

const leases = {
  "given back a moment ago": { holder: "", renewedMsAgo: 0, isAlone: true },
  "renewed half a minute ago": { holder: "gpu-7_1", renewedMsAgo: 30_000, isAlone: true },
  "renewed lately": { holder: "gpu-7_1", renewedMsAgo: 29_000, isAlone: false },
};

test.each(Object.entries(leases))(
  "with a lease that was %s",
  async (_name, { holder, renewedMsAgo, isAlone }) => {
    const scenario = await podCliqueSetScenario(given);
    await scenario.settled();
    await scenario.stopOperator();
    const { client, clock } = scenario;
    const metadata = { name: "lockstep", namespace: "lockstep-system" };
    const namespaces = { ...leaseResource, group: "", plural: "namespaces", namespaced: false };
    await client.create(namespaces, { metadata: { name: metadata.namespace } });
    const renewTime = microTimeText(clock.now() - renewedMsAgo);
    await client.create(leaseResource, { metadata, spec: { holderIdentity: holder, renewTime } });
    const lines = await run(scenario, { namespace });
    const alone =
      "no operator holds the lease lockstep-system/lockstep: finalizers are removed here";
    expect(lines.includes(alone)).toBe(isAlone);
    // In the end they are removed in any case.
    expect(lines.at(-1)).toMatch(/^done: /);
  },
);

test("a dry run says what would be deleted and deletes nothing", async () => {
  const scenario = await podCliqueSetScenario(given);
  await scenario.settled();
  const before = await left(scenario);
  const lines = await run(scenario, { dryRun: true });
  expect(lines[0]).toBe("would delete podcliqueset default/chat");
  expect(lines).toContain("would delete customresourcedefinition/clustertopologybindings.grove.io");
  expect(lines.at(-1)).toMatch(
    /^left alone: the kinds of open-cluster-management.io, .* kubectl delete -f deploy\/crds/,
  );
  expect(await left(scenario)).toEqual(before);
  const refused = await run(scenario, { yes: false });
  expect(refused.at(-1)).toContain("nothing was deleted");
  expect(await left(scenario)).toEqual(before);
});

test("a finalizer of others is left alone and named", async () => {
  const scenario = await podCliqueSetScenario(given);
  await scenario.settled();
  await scenario.patch({ metadata: { finalizers: ["example.com/backup"] } });
  await scenario.stopOperator();
  const lines = await run(scenario, { keepDefinitions: true });
  expect(lines.at(-1)).toContain("held by finalizers of others: example.com/backup");
  expect(lines.at(-1)).toContain("still there after 300 s: podcliqueset default/chat and");
});

/** The embedded server has no admission policies, but takes objects of their kinds like any others. */
async function installPolicy(client: Client): Promise<void> {
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  for (const { resource } of defaultPolicyPlaces) {
    const { group, version, plural, kind } = resource;
    const names = { plural, kind, singular: kind.toLowerCase() };
    const versions = [{ name: version, served: true, storage: true, schema }];
    await client.create(customResourceDefinitionResource, {
      apiVersion: apiVersionOf(customResourceDefinitionResource),
      kind: customResourceDefinitionResource.kind,
      metadata: {
        name: groupResource(resource),
        annotations: { "api-approved.kubernetes.io": "unapproved, for a test" },
      },
      spec: { group, scope: "Cluster", names, versions },
    });
    const object = podCliqueSetDefaultPolicy.find((each) => each["kind"] === kind);
    await client.create(resource, object!);
  }
}

async function policiesLeft({ client }: PodCliqueSetScenario): Promise<string[]> {
  const lists = defaultPolicyPlaces.map(({ resource }) => client.list(resource));
  return (await Promise.all(lists)).flatMap(({ items }) =>
    items.map((object) => String(object["kind"])),
  );
}

test("the policy that writes defaults back goes with the definitions, and stays with them", async () => {
  const scenario = await podCliqueSetScenario(given);
  await scenario.settled();
  await installPolicy(scenario.client);
  const both = ["MutatingAdmissionPolicyBinding", "MutatingAdmissionPolicy"];
  const kept = await run(scenario, { keepDefinitions: true });
  expect(kept.join("\n")).not.toContain("mutatingadmissionpolicy");
  expect(await policiesLeft(scenario)).toEqual(both);
  const lines = await run(scenario, { dryRun: true });
  expect(lines.slice(0, 2)).toEqual([
    "would delete mutatingadmissionpolicybinding/podcliqueset-defaults.lockstep.dev",
    "would delete mutatingadmissionpolicy/podcliqueset-defaults.lockstep.dev",
  ]);
  expect(await policiesLeft(scenario)).toEqual(both);
  await run(scenario, {});
  if (scenario.complaints().length > 0) scenario.expectComplaint(/./);
  expect(await policiesLeft(scenario)).toEqual([]);
  expect((await run(scenario, {}))[0]).toBe("nothing is left of Lockstep's kinds");
});
