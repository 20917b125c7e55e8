/** What a person learns about a spec that cannot be followed, or has parts that do nothing. */
import { expect, test } from "vitest";
import { clusterTopologyBindingResource } from "../../src/api/grove/cluster-topology.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import type { PodCliqueSetOptions } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario, podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const reported = (lines: readonly string[], reason: string): readonly string[] =>
  lines.filter((line) => line.startsWith(`${reason}: `));

const plain: PodCliqueSetOptions = { cliques: { front: { replicas: 2 }, back: {} } };

/** More than an object may carry; a rule of the definition could not add it up. */
const badAnnotations = { notes: "x".repeat(256 * 1024) };

test("PS11 a spec that is wrong changes nothing, and going on from there loses nothing", async () => {
  const scenario = await podCliqueSetScenario(plain);
  await scenario.settled();
  const before = await scenario.pods();
  const { spec } = await scenario.set();
  const cliques = spec.template.cliques.map((clique) => ({
    ...clique,
    annotations: badAnnotations,
  }));
  await scenario.patch({ spec: { replicas: 3, template: { cliques } } });
  await scenario.clock.runFor(60_000);

  const condition = await scenario.condition("SpecAccepted");
  expect(condition).toMatchObject({ status: "False", reason: "Invalid" });
  expect(condition?.message).toContain("spec.template.cliques[0].annotations: Too long");
  expect(await scenario.condition("Stalled")).toMatchObject({
    status: "True",
    reason: "SpecRejected",
    message: condition?.message,
  });
  const names = (pods: readonly { metadata: { uid?: string } }[]): unknown[] =>
    pods.map(({ metadata }) => metadata.uid);
  expect(names(await scenario.pods())).toEqual(names(before));
  const { metadata, status } = await scenario.set();
  expect(status?.observedGeneration).toBe(metadata.generation);

  await scenario.deletePod("chat-0-front-1");
  await scenario.clock.runFor(60_000);
  expect(await scenario.pods()).toHaveLength(3);

  await scenario.patch({ spec: { template: { cliques: spec.template.cliques } } });
  await scenario.settled();
  expect(await scenario.condition("SpecAccepted")).toMatchObject({ status: "True" });
  expect(await scenario.condition("Stalled")).toMatchObject({ status: "False" });
  expect(await scenario.pods()).toHaveLength(9);
  const events = await scenario.events("chat");
  expect(reported(events, "SpecRejected")).toHaveLength(1);
  expect(reported(events, "SpecAccepted")).toHaveLength(1);
});

test("PS11 the last accepted spec stays in force: what is deleted comes back as it was", async () => {
  const scenario = await podCliqueSetScenario({
    replicas: 2,
    cliques: { front: { replicas: 2, minAvailable: 1 }, lead: { minAvailable: 1 }, work: {} },
    groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
  });
  await scenario.settled();
  const before = scenario.drawing();
  const cliques = (await scenario.set()).spec.template.cliques.map((clique) => ({
    ...clique,
    annotations: badAnnotations,
    spec: {
      ...clique.spec,
      ...(clique.spec.minAvailable === undefined ? {} : { replicas: 3 }),
      podSpec: { containers: [{ name: "app", image: "rejected" }] },
    },
  }));
  const strategy = { updateStrategy: { type: "ReplicaRecreate" } };
  await scenario.patch({ spec: { ...strategy, replicas: 3, template: { cliques } } });
  await scenario.clock.runFor(10_000);
  await scenario.restart();
  for (const name of ["chat-0-front", "chat-1-pair-1-lead"]) {
    await scenario.client.delete(podCliqueResource, { namespace, name });
  }
  await scenario.client.delete(scalingGroupResource, { namespace, name: "chat-0-pair" });
  await scenario.clock.runFor(60_000);
  expect(scenario.drawing()).toEqual(before);
  const front = (await scenario.cliques()).find(({ metadata }) => metadata.name === "chat-0-front");
  expect(front?.spec.updateStrategy?.type).toBe("RollingRecreate");
  const { metadata, status } = await scenario.set();
  expect(status).toMatchObject({
    observedGeneration: metadata.generation,
    replicas: 2,
    availableReplicas: 2,
  });
  expect(await scenario.condition("SpecAccepted")).toMatchObject({ status: "False" });
});

test("PS11 an update goes on where a later spec is wrong, and its rollback waits for a correct one", async () => {
  const scenario = await podCliqueSetScenario({
    replicas: 3,
    strategy: { progressDeadlineSeconds: 60, onStuck: "Rollback" },
    cliques: { front: {} },
  });
  await scenario.settled();
  await scenario.setImages({ front: "front:v2" });
  await scenario.clock.runFor(2_000);
  const withAnnotations = async (annotations: Record<string, string> | undefined) => {
    const { spec } = await scenario.set();
    const cliques = spec.template.cliques.map(({ annotations: _annotations, ...clique }) => ({
      ...clique,
      ...(annotations === undefined ? {} : { annotations }),
    }));
    await scenario.patch({ spec: { template: { cliques } } });
  };
  await withAnnotations(badAnnotations);
  await scenario.clock.runFor(120_000);
  expect(scenario.drawing().filter((line) => !line.includes("front:v2"))).toEqual([]);
  const { status } = await scenario.set();
  expect(status).toMatchObject({ updatedReplicas: 3 });
  expect(status?.updateProgress?.updateEndedAt).toBeDefined();

  await withAnnotations(undefined);
  await scenario.cordon(true);
  await scenario.setImages({ front: "front:v3" });
  await scenario.clock.runFor(5_000);
  await withAnnotations(badAnnotations);
  await scenario.clock.runFor(180_000);
  expect(JSON.stringify((await scenario.set()).spec)).toContain("front:v3");
  expect(await scenario.condition("UpdateInProgress")).toMatchObject({
    reason: "ProgressDeadlineExceeded",
  });
  await withAnnotations(undefined);
  await scenario.clock.runFor(5_000);
  expect(JSON.stringify((await scenario.set()).spec)).toContain("front:v2");
});

test("PS11 more cliques in a circle than a rule can look at are reported before anything starts", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `c${index + 10}`);
  const scenario = await podCliqueSetScenario({
    template: { cliqueStartupType: "CliqueStartupTypeExplicit" },
    cliques: Object.fromEntries(
      names.map((name, index) => [name, { extra: { startsAfter: [names.at(index - 1)] } }]),
    ),
  });
  await scenario.clock.runFor(10_000);
  const condition = await scenario.condition("SpecAccepted");
  expect(condition).toMatchObject({ status: "False" });
  const { message = "" } = condition ?? {};
  expect(message).toContain("nothing is created until this is corrected: spec.template.cliques[0]");
  expect(message).toContain("cliques wait for each other (c10 after c29 after ");
  expect(await scenario.cliques()).toEqual([]);
});

const idle: Record<string, { given: PodCliqueSetOptions; want: string }> = {
  "a set's budget under RollingUpdate": {
    given: {
      ...plain,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
    },
    want: "spec.updateStrategy.rollingUpdate has no effect under RollingUpdate",
  },
  "an order of start that a gang scheduler cannot keep": {
    given: {
      template: { cliqueStartupType: "CliqueStartupTypeInOrder" },
      cliques: {
        front: { podSpec: { schedulerName: "kai-scheduler" } },
        back: { podSpec: { schedulerName: "kai-scheduler" } },
      },
    },
    want: "spec.template.cliqueStartupType has no effect under schedulerName kai-scheduler",
  },
};

test.each(Object.entries(idle))("PS12 said once: %s", async (_name, { given, want }) => {
  const scenario = await podCliqueSetScenario(given);
  await scenario.clock.runFor(60_000);
  await scenario.restart();
  await scenario.scale(2);
  await scenario.clock.runFor(60_000);
  const condition = await scenario.condition("SpecAccepted");
  expect(condition).toMatchObject({ status: "True", reason: "SettingsWithoutEffect" });
  expect(condition?.message).toContain(want);
  const events = reported(await scenario.events("chat"), "SettingsWithoutEffect");
  expect(events).toHaveLength(1);
});

const binding = (...domains: readonly string[]) => ({
  apiVersion: "grove.io/v1alpha1",
  kind: "ClusterTopologyBinding",
  metadata: { name: "gpus" },
  spec: { levels: domains.map((domain) => ({ domain, key: `example.com/${domain}` })) },
});

test("PS13 levels of topology that are missing are reported, and constraints come and go with them", async () => {
  const scenario = await podCliqueSetScenario({
    template: { topologyConstraint: { topologyName: "gpus", pack: { required: "rack" } } },
    cliques: { front: {} },
  });
  const { client, clock } = scenario;
  const shown = async () => {
    await clock.runFor(10_000);
    const condition = await scenario.condition("TopologyLevelsUnavailable");
    const [gang] = await scenario.gangs();
    const pack = gang?.spec.topologyConstraint?.packConstraint?.required;
    return `${condition?.status} ${condition?.reason} ${pack ?? "unconstrained"}`;
  };
  const key = { name: "gpus" };
  expect(await shown()).toBe("Unknown ClusterTopologyNotFound unconstrained");
  await client.create(clusterTopologyBindingResource, binding("zone"));
  expect(await shown()).toBe("True ClusterTopologyLevelsUnavailable unconstrained");
  const body = { spec: binding("zone", "rack").spec };
  await client.patch(clusterTopologyBindingResource, key, { type: "merge", body });
  expect(await shown()).toBe("False AllClusterTopologyLevelsAvailable example.com/rack");
  await client.delete(clusterTopologyBindingResource, key);
  expect(await shown()).toBe("Unknown ClusterTopologyNotFound unconstrained");
});

test("PS13 a constraint broader than the one around it stops a new set, not one that runs", async () => {
  const crossed: PodCliqueSetOptions = {
    template: { topologyConstraint: { topologyName: "gpus", pack: { required: "rack" } } },
    cliques: { front: { topologyConstraint: { pack: { required: "zone" } } } },
  };
  const scenario = await podCliqueSetScenario(crossed);
  const { client, clock } = scenario;
  await clock.runFor(10_000);
  await client.create(clusterTopologyBindingResource, binding("zone", "rack"));
  await client.create(podCliqueSetResource, podCliqueSetOf({ ...crossed, name: "late" }));
  await clock.runFor(10_000);
  const misfit =
    'spec.template.cliques[0].topologyConstraint.pack.required: Invalid value: "zone": ' +
    "is broader than rack, which holds around it: name rack or a domain below it";
  const first = await scenario.condition("SpecAccepted");
  expect(first).toMatchObject({ status: "True", message: misfit });
  const late = await client.get<PodCliqueSet>(podCliqueSetResource, { namespace, name: "late" });
  const message = expect.stringContaining(misfit) as string;
  expect(late.status?.conditions).toMatchObject([
    { type: "Available", status: "False" },
    { type: "Progressing", status: "False", message },
    { type: "Reconciling", status: "False", message },
    { type: "SpecAccepted", status: "False", message },
    { type: "Stalled", status: "True", message },
  ]);
});
