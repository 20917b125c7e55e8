/** The life of a set around its pods: another operator takes over, and everything goes with it in the end. */
import { expect } from "vitest";
import { controllerRevisionResource } from "../../../src/api/apps.ts";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../src/api/grove/podcliqueset.ts";
import { podGangResource } from "../../../src/api/grove/podgang.ts";
import { scalingGroupResource } from "../../../src/api/grove/scaling-group.ts";
import { podResource } from "../../../src/api/pod.ts";
import { autoscalerResource } from "../../../src/api/autoscaler.ts";
import { serviceResource } from "../../../src/api/service.ts";
import { untilQuiet, changed, identities, placedPods } from "../../builders/gang-steps.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import { workload1 } from "../../builders/workloads.ts";

/** Workers that start after what prepares the way for them. */
const prepared: PodCliqueSetScenarioOptions = {
  cliques: {
    bootstrap: { image: "pause" },
    worker: { replicas: 2, image: "pause", extra: { startsAfter: ["bootstrap"] } },
  },
  template: { cliqueStartupType: "CliqueStartupTypeExplicit" },
};

const autoscaled: PodCliqueSetScenarioOptions = {
  ...workload1({ replicas: 2 }),
  groups: {
    "sg-x": { cliques: ["pc-b", "pc-c"], replicas: 2, scaleConfig: { maxReplicas: 5 } },
  },
};

const kinds = [
  podCliqueSetResource,
  scalingGroupResource,
  podCliqueResource,
  podGangResource,
  podResource,
  serviceResource,
  autoscalerResource,
  controllerRevisionResource,
];

/** How many there are of each kind that a set brings with it. */
async function counts({ client }: PodCliqueSetScenario): Promise<Record<string, number>> {
  const lists = kinds.map(async (resource) => {
    const { items } = await client.list(resource, { namespace });
    return [resource.kind, items.length] as const;
  });
  return Object.fromEntries((await Promise.all(lists)).filter(([, count]) => count > 0));
}

const twice = {
  "chat-0-bootstrap": 1,
  "chat-0-worker": 2,
  "chat-1-bootstrap": 1,
  "chat-1-worker": 2,
};

const scripts: readonly ScriptedScenario[] = [
  {
    name: "Upgrade the pods an earlier operator made stay while its successor scales the set out",
    options: prepared,
    async run(scenario, { faults }) {
      await scenario.settled();
      const before = await identities(scenario);
      await scenario.restart(faults);
      await scenario.scale(2);
      await scenario.settled();
      await untilQuiet(scenario);
      expect(changed(before, await identities(scenario))).toEqual([]);
      expect(await placedPods(scenario)).toEqual({ placed: twice, waiting: 0 });
    },
  },
  {
    name: "Upgrade an operator that ends in the middle of scaling out leaves nothing half made",
    options: prepared,
    async run(scenario, { faults }) {
      await scenario.settled();
      const before = await identities(scenario);
      await scenario.scale(2);
      await scenario.clock.runFor(50);
      await scenario.restart(faults);
      await scenario.settled();
      await untilQuiet(scenario);
      expect(changed(before, await identities(scenario))).toEqual([]);
      expect(await placedPods(scenario)).toEqual({ placed: twice, waiting: 0 });
    },
  },
  {
    name: "CascadeDelete everything a set has made goes with it",
    options: autoscaled,
    async run(scenario) {
      await scenario.settled();
      await untilQuiet(scenario);
      expect(await counts(scenario)).toEqual({
        PodCliqueSet: 1,
        PodCliqueScalingGroup: 2,
        PodClique: 10,
        PodGang: 4,
        Pod: 20,
        Service: 2,
        HorizontalPodAutoscaler: 2,
        ControllerRevision: 1,
      });
      await scenario.client.delete(podCliqueSetResource, { namespace, name: "chat" });
      await untilQuiet(scenario);
      expect(await counts(scenario)).toEqual({});
    },
  },
  {
    name: "CascadeDelete a set that is deleted in the middle of an update leaves nothing behind",
    options: autoscaled,
    async run(scenario) {
      await scenario.settled();
      await scenario.setImages({ "pc-a": "pc-a:v2", "pc-c": "pc-c:v2" });
      await scenario.clock.runFor(8_000);
      await scenario.client.delete(podCliqueSetResource, { namespace, name: "chat" });
      await untilQuiet(scenario);
      expect(await counts(scenario)).toEqual({});
    },
  },
];

runAll(scripts);
