/** Sizes belong to whoever scales: what an autoscaler has set stays through updates, restarts and recreation. */
import { expect } from "vitest";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../src/api/grove/podcliqueset.ts";
import { scalingGroupResource } from "../../../src/api/grove/scaling-group.ts";
import type { KubeObject } from "../../../src/api/object.ts";
import type { Pod } from "../../../src/api/pod.ts";
import { podResource } from "../../../src/api/pod.ts";
import type { Resource } from "../../../src/api/resource.ts";
import { untilQuiet, byClique, presentPods, lose, replicaOf } from "../../builders/gang-steps.ts";
import { hostnameOf } from "../../../src/simulation/scenario-kind.ts";
import type { PodCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import { workload1, workload1Gt, workload2, workloadImages } from "../../builders/workloads.ts";
import { atLeastOne } from "../../builders/must.ts";

interface Scale extends KubeObject {
  readonly spec: { readonly replicas: number };
  readonly status: { readonly replicas: number; readonly selector?: string };
}

/** As an autoscaler does it. */
const setScale = (
  { client }: PodCliqueSetScenario,
  resource: Resource,
  name: string,
  replicas: number,
): Promise<KubeObject> =>
  client.patch(
    resource,
    { namespace, name },
    { type: "merge", body: { spec: { replicas } } },
    { subresource: "scale" },
  );

/** Three pc-a and three sg-x in the first replica of the set. */
async function scaleOut(scenario: PodCliqueSetScenario): Promise<void> {
  await scenario.settled();
  await setScale(scenario, podCliqueResource, "chat-0-pc-a", 3);
  await setScale(scenario, scalingGroupResource, "chat-0-sg-x", 3);
  await untilQuiet(scenario);
  await mustBeScaledOut(scenario);
}

const whole = [1, 3] as const;
const scaledOut = replicaOf(0, 3, whole, whole, whole);

async function mustBeScaledOut(scenario: PodCliqueSetScenario): Promise<void> {
  const pods = await presentPods(scenario);
  expect(byClique(pods.filter((pod) => hostnameOf(pod).startsWith("chat-0-")))).toEqual(scaledOut);
}

/** Template sizes as somebody edits them later: for new replicas only. */
async function editTemplate(scenario: PodCliqueSetScenario): Promise<void> {
  const { spec } = await scenario.set();
  const cliques = spec.template.cliques.map((clique) =>
    clique.name === "pc-a" ? { ...clique, spec: { ...clique.spec, replicas: 4 } } : clique,
  );
  await scenario.patch({ spec: { template: { cliques } } });
}

const scalesOf: readonly (readonly [Resource, string, string])[] = [
  [podCliqueSetResource, "chat", "chat-"],
  [podCliqueResource, "chat-0-pc-a", "chat-0-pc-a-"],
  [scalingGroupResource, "chat-1-sg-x", "chat-1-sg-x-"],
];

/** Everything that was ever seen with a status but without the selector its autoscaler needs. */
function watchSelectors({ client }: PodCliqueSetScenario): readonly string[] {
  const missing: string[] = [];
  for (const resource of [podCliqueSetResource, podCliqueResource, scalingGroupResource]) {
    void client.watch(resource, { resourceVersion: "0" }, (event) => {
      if (event.type === "ERROR" || event.type === "BOOKMARK") return;
      const { metadata } = event.object;
      const status = event.object["status"] as Record<string, unknown> | undefined;
      const isMember = (metadata.name ?? "").includes("sg-x-");
      const hasSelector = "selector" in (status ?? {}) || "hpaPodSelector" in (status ?? {});
      if (status?.["observedGeneration"] === undefined || isMember || hasSelector) return;
      missing.push(metadata.name ?? "");
    });
  }
  return missing;
}

const scripts: readonly ScriptedScenario[] = [
  {
    name: "Scale sizes stay through a rolling update, whatever the template says meanwhile",
    options: workload2(),
    async run(scenario) {
      await scaleOut(scenario);
      await scenario.setImages(workloadImages("v2"));
      await editTemplate(scenario);
      await scenario.settled();
      await untilQuiet(scenario);
      await mustBeScaledOut(scenario);
      expect(scenario.drawing().filter((line) => !line.endsWith(":v2"))).toEqual([]);
      await scenario.scale(2);
      await scenario.settled();
      await untilQuiet(scenario);
      await mustBeScaledOut(scenario);
      const pods = await presentPods(scenario);
      expect(byClique(pods)).toEqual({ ...scaledOut, ...replicaOf(1, 4, whole, whole) });
    },
  },
  {
    name: "Scale sizes stay when the gang starts over",
    options: workload1Gt(),
    async run(scenario) {
      await scaleOut(scenario);
      const before = new Set((await presentPods(scenario)).map(({ metadata }) => metadata.uid));
      await scenario.cordon(true);
      await lose(scenario, "chat-0-pc-a-0", "chat-0-pc-a-1");
      await untilQuiet(scenario);
      await scenario.cordon(false);
      await scenario.settled();
      await untilQuiet(scenario);
      await mustBeScaledOut(scenario);
      const kept = (await presentPods(scenario)).filter(({ metadata }) => before.has(metadata.uid));
      expect(kept).toEqual([]);
    },
  },
  {
    name: "Scale sizes stay when replicas are recreated, and follow whoever scales meanwhile",
    options: workload1({
      replicas: 2,
      strategy: { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    }),
    async run(scenario) {
      await scaleOut(scenario);
      await scenario.setImages(workloadImages("v2"));
      await scenario.settled();
      await untilQuiet(scenario);
      await mustBeScaledOut(scenario);
      await setScale(scenario, podCliqueResource, "chat-0-pc-a", 2);
      await untilQuiet(scenario);
      await scenario.setImages(workloadImages("v3"));
      await scenario.settled();
      await untilQuiet(scenario);
      const pods = await presentPods(scenario);
      const first = pods.filter((pod) => hostnameOf(pod).startsWith("chat-0-"));
      expect(byClique(first)).toEqual(replicaOf(0, 2, whole, whole, whole));
    },
  },
  {
    name: "Scale a selector is there as soon as a status is, and picks the pods that are scaled",
    options: workload2({ replicas: 2 }),
    async run(scenario) {
      const missing = watchSelectors(scenario);
      await scenario.settled();
      await untilQuiet(scenario);
      for (const [resource, name, prefix] of atLeastOne(scalesOf)) {
        const scale = await scenario.client.get<Scale>(resource, { namespace, name }, "scale");
        const labelSelector = scale.status.selector ?? "nothing=selected";
        const { items } = await scenario.client.list<Pod>(podResource, {
          namespace,
          labelSelector,
        });
        const want = (await presentPods(scenario)).filter((pod) =>
          hostnameOf(pod).startsWith(prefix),
        );
        expect(items.map(hostnameOf).toSorted()).toEqual(want.map(hostnameOf).toSorted());
      }
      expect(missing).toEqual([]);
    },
  },
];

runAll(scripts);
