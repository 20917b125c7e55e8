/** Surge that stands in for others when the strategy changes: it stays until they serve, within the budget. */
import { expect, test } from "vitest";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import type { TransportRequest } from "../../../src/runtime/transport.ts";
import { forbidding } from "../../../src/simulation/faults.ts";
import type { LivePod } from "../../builders/pod-clique-set-invariants.ts";
import { must } from "../../builders/must.ts";
import type { PodCliqueSetScenarioOptions } from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";

const updateStrategy = { maxUnavailable: 0, maxSurge: 1 };

const pairs: PodCliqueSetScenarioOptions = {
  cliques: { lead: {}, work: {} },
  groups: {
    pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1, updateStrategy },
  },
};

const components: Record<string, PodCliqueSetScenarioOptions> = {
  "a scaling group": pairs,
  "a clique": { cliques: { lead: { replicas: 2, minAvailable: 1, updateStrategy } } },
};

/** The strategy changes while the successor of so many of the two starts: what is outdated is recreated in turn. */
const strategies = [
  { type: "OnDelete", replaced: 1 },
  { type: "ReplicaRecreate", replaced: 2 },
];

const cases = Object.entries(components).flatMap(([component, options]) =>
  strategies.map((strategy) => ({ component, options, ...strategy })),
);

const servingLeaders = (pods: readonly LivePod[]): number =>
  pods.filter(({ clique, isReady, isTerminating }) => {
    return clique.endsWith("lead") && isReady && !isTerminating;
  }).length;

test.each(cases)(
  "SU7 under $type the surge of $component stays until what it stands in for serves",
  async ({ options, type, replaced }) => {
    const scenario = await podCliqueSetScenario(options);
    await scenario.settled();
    await scenario.setImages({ lead: "lead:v2" });
    const leaders = () => scenario.livePods().filter(({ clique }) => clique.endsWith("lead"));
    const isStarting = (): boolean =>
      leaders().filter(({ image }) => image.endsWith("v2")).length === replaced + 1 &&
      leaders().every(({ isTerminating }) => !isTerminating) &&
      servingLeaders(leaders()) === 2;
    await scenario.until(isStarting);
    scenario.always((pods, at) =>
      must(servingLeaders(pods) >= 2, `${at}: fewer than two serve`, () => pods),
    );
    await scenario.patchStrategy({ type });
    await scenario.clock.runFor(120_000);
    expect(leaders()).toHaveLength(2);
  },
);

test("RO2 under ReplicaRecreate a group does not complete the surge of the strategy before", async () => {
  const scenario = await podCliqueSetScenario(pairs);
  await scenario.settled();
  await scenario.setImages({ lead: "lead:never-ready-v2" });
  await scenario.until(() =>
    scenario.livePods().some(({ clique }) => clique === "chat-0-pair-2-work"),
  );
  await scenario.restart(forbidding(({ method }) => method !== "GET"));
  await scenario.client.delete(podCliqueResource, { namespace, name: "chat-0-pair-2-work" });
  await scenario.patchStrategy({ type: "ReplicaRecreate" });
  await scenario.clock.runFor(20_000);
  await scenario.restart();
  await scenario.setImages({ lead: "lead:v3" });
  await scenario.settled();
  const cliques = (await scenario.cliques()).map(({ metadata }) => metadata.name);
  expect(cliques).not.toContain("chat-0-pair-2-work");
});

test.each([
  { what: "clique", options: { cliques: { lead: { replicas: 3, minAvailable: 1 } } } },
  {
    what: "group",
    options: {
      cliques: { lead: {} },
      groups: { pair: { cliques: ["lead"], replicas: 3, minAvailable: 1 } },
    },
  },
])("RO1 a $what rolls no further once its set recreates replicas", async ({ options }) => {
  const scenario = await podCliqueSetScenario({ ...options, replicas: 2 });
  await scenario.settled();
  await scenario.setImages({ lead: "lead:v2" });
  const updated = () => scenario.livePods().filter(({ image }) => image.endsWith("v2"));
  await scenario.until(() => updated().length === 1);
  await scenario.restart(forbidding(({ method }) => method !== "GET"));
  await scenario.patchStrategy({ type: "ReplicaRecreate", rollingUpdate: { maxSurge: 1 } });
  await scenario.clock.runFor(20_000);
  const isGiven = ({ method, path }: TransportRequest): boolean =>
    method === "PUT" || (method === "PATCH" && !path.endsWith("/status"));
  await scenario.restart(forbidding(isGiven));
  await scenario.clock.runFor(20_000);
  expect(updated()).toHaveLength(1);
  await scenario.restart();
  await scenario.settled();
  expect(updated()).toHaveLength(6);
});
