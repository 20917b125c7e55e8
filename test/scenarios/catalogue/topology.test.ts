/** Gangs that are packed: what a set, a group and a clique ask for, what their PodGangs carry, where the pods go. */
import { expect } from "vitest";
import type { PodGang } from "../../../src/api/grove/podgang.ts";
import type { Node } from "../../../src/api/node.ts";
import { nodeResource } from "../../../src/api/node.ts";
import { rackLabel } from "../../../src/sim/nodes.ts";
import { addNodes, untilQuiet, presentPods, placedPods } from "../../builders/gang-steps.ts";
import { hostnameOf } from "../../../src/simulation/scenario-kind.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";

const zoneLabel = "topology.kubernetes.io/zone";
const hostLabel = "kubernetes.io/hostname";

/** Racks of two machines with two places each; racks take turns between two zones. */
const machines = (
  nodes: number,
): Pick<PodCliqueSetScenarioOptions, "nodes" | "shape" | "topology"> => ({
  nodes,
  shape: { pods: 2, nodesPerRack: 2, zones: 2 },
  topology: { zone: zoneLabel, rack: rackLabel, host: hostLabel },
});

const packed = (pack: Readonly<Record<string, string>>) => ({
  topologyConstraint: { topologyName: "machines", pack },
});
const packConstraint = (pack: Readonly<Record<string, string>>) => ({
  topologyConstraint: { packConstraint: pack },
});

/** The domains of a label in which pods with this prefix sit. */
async function domains(
  scenario: PodCliqueSetScenario,
  prefix: string,
  label: string,
): Promise<string[]> {
  const { items } = await scenario.client.list<Node>(nodeResource);
  const labels = new Map(items.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const pods = (await presentPods(scenario)).filter((pod) => hostnameOf(pod).startsWith(prefix));
  const found = pods.map(({ spec }) => labels.get(spec.nodeName ?? "")?.[label] ?? "no node");
  return [...new Set(found)].toSorted();
}

const gangNamed = async (
  { gangs }: PodCliqueSetScenario,
  name: string,
): Promise<PodGang["spec"] | undefined> =>
  (await gangs()).find(({ metadata }) => metadata.name === name)?.spec;

/** Two pairs of a leader and two workers, of which one must serve. */
const pairs = {
  cliques: { lead: {}, work: { replicas: 2 } },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
};

const scripts: readonly ScriptedScenario[] = [
  {
    name: "TAS a set that must share a rack does, every replica in one of its own",
    options: {
      ...machines(4),
      replicas: 2,
      cliques: { front: { replicas: 2 }, back: { replicas: 2 } },
      template: packed({ required: "rack" }),
    },
    async run(scenario) {
      await untilQuiet(scenario);
      for (const name of ["chat-0", "chat-1"]) {
        expect(await gangNamed(scenario, name)).toMatchObject(
          packConstraint({ required: rackLabel }),
        );
        expect(await domains(scenario, `${name}-`, rackLabel)).toHaveLength(1);
      }
      expect(await domains(scenario, "chat-", rackLabel)).toEqual(["rack-0", "rack-1"]);
    },
  },
  {
    name: "TAS a set that must share a rack waits while no rack has room for all of it",
    options: {
      ...machines(3),
      cliques: { front: { replicas: 1 }, back: { replicas: 4 } },
      template: packed({ required: "rack" }),
    },
    async run(scenario) {
      await untilQuiet(scenario);
      expect(await placedPods(scenario)).toEqual({ placed: {}, waiting: 5 });
      await addNodes(scenario, 1);
      await untilQuiet(scenario);
      expect(await placedPods(scenario)).toEqual({ placed: {}, waiting: 5 });
      await scenario.cluster.addNode({ pods: 5 });
      await untilQuiet(scenario);
      expect(await domains(scenario, "chat-", rackLabel)).toEqual(["rack-2"]);
    },
  },
  {
    name: "TAS a set that would rather share a rack does where there is room, and goes without where not",
    options: {
      ...machines(4),
      replicas: 2,
      cliques: { front: { replicas: 1 }, back: { replicas: 3 } },
      template: packed({ preferred: "rack" }),
    },
    async run(scenario) {
      await untilQuiet(scenario);
      const pack = packConstraint({ preferred: rackLabel });
      expect(await gangNamed(scenario, "chat-0")).toMatchObject(pack);
      for (const name of ["chat-0-", "chat-1-"]) {
        expect(await domains(scenario, name, rackLabel)).toHaveLength(1);
      }
      await addNodes(scenario, 1);
      await scenario.cluster.addNode({ nodesPerRack: 1 });
      await scenario.scale(3);
      await untilQuiet(scenario);
      expect((await placedPods(scenario)).waiting).toBe(0);
      expect(await domains(scenario, "chat-2-", rackLabel)).toHaveLength(2);
    },
  },
  {
    name: "TAS every replica of a group shares a rack, in the base gang and in gangs of their own",
    options: {
      ...machines(6),
      ...pairs,
      groups: { pair: { ...pairs.groups.pair, ...packed({ required: "rack" }) } },
    },
    async run(scenario) {
      await untilQuiet(scenario);
      expect(await gangNamed(scenario, "chat-0")).toMatchObject({
        topologyConstraintGroupConfigs: [
          {
            name: "chat-0-pair-0",
            podGroupNames: ["chat-0-pair-0-lead", "chat-0-pair-0-work"],
            ...packConstraint({ required: rackLabel }),
          },
        ],
      });
      expect((await gangNamed(scenario, "chat-0"))?.topologyConstraint).toBeUndefined();
      const scaled = await gangNamed(scenario, "chat-0-pair-0");
      expect(scaled).toMatchObject(packConstraint({ required: rackLabel }));
      for (const name of ["chat-0-pair-0-", "chat-0-pair-1-"]) {
        expect(await domains(scenario, name, rackLabel)).toHaveLength(1);
      }
    },
  },
  {
    name: "TAS the pods of a clique share a machine",
    options: {
      ...machines(4),
      cliques: { front: { replicas: 2 }, back: { replicas: 2, ...packed({ required: "host" }) } },
    },
    async run(scenario) {
      await untilQuiet(scenario);
      const groups = (await gangNamed(scenario, "chat-0"))?.podgroups ?? [];
      expect(groups.map(({ name, topologyConstraint }) => ({ name, topologyConstraint }))).toEqual([
        { name: "chat-0-front", topologyConstraint: undefined },
        { name: "chat-0-back", ...packConstraint({ required: hostLabel }) },
      ]);
      expect(await domains(scenario, "chat-0-back-", hostLabel)).toHaveLength(1);
    },
  },
  {
    name: "TAS all three levels at once: a zone for the set, a rack for each pair, a machine for the workers",
    options: {
      ...machines(8),
      cliques: { lead: {}, work: { replicas: 2, ...packed({ required: "host" }) } },
      groups: { pair: { ...pairs.groups.pair, minAvailable: 2, ...packed({ required: "rack" }) } },
      template: packed({ required: "zone" }),
    },
    async run(scenario) {
      await untilQuiet(scenario);
      const gang = await gangNamed(scenario, "chat-0");
      expect(gang).toMatchObject(packConstraint({ required: zoneLabel }));
      expect(gang?.topologyConstraintGroupConfigs).toHaveLength(2);
      expect(await domains(scenario, "chat-", zoneLabel)).toHaveLength(1);
      for (const pair of ["chat-0-pair-0-", "chat-0-pair-1-"]) {
        expect(await domains(scenario, pair, rackLabel)).toHaveLength(1);
        expect(await domains(scenario, `${pair}work-`, hostLabel)).toHaveLength(1);
      }
      expect(await domains(scenario, "chat-", rackLabel)).toHaveLength(2);
    },
  },
  {
    name: "TAS a group without a constraint of its own follows the set's, in its scaled gangs too",
    options: {
      ...machines(4),
      ...pairs,
      template: packed({ required: "zone", preferred: "rack" }),
    },
    async run(scenario) {
      await untilQuiet(scenario);
      const pack = packConstraint({ required: zoneLabel, preferred: rackLabel });
      for (const name of ["chat-0", "chat-0-pair-0"]) {
        expect(await gangNamed(scenario, name)).toMatchObject(pack);
      }
      for (const pair of ["chat-0-pair-0-", "chat-0-pair-1-"]) {
        expect(await domains(scenario, pair, rackLabel)).toHaveLength(1);
      }
    },
  },
  {
    name: "TAS a pod that is lost comes back where its gang is",
    options: {
      ...machines(4),
      cliques: { front: { replicas: 3, minAvailable: 2 } },
      template: packed({ required: "rack" }),
    },
    async run(scenario) {
      await untilQuiet(scenario);
      const before = await domains(scenario, "chat-", rackLabel);
      expect(before).toHaveLength(1);
      await scenario.deletePod("chat-0-front-1");
      await untilQuiet(scenario);
      expect(await domains(scenario, "chat-", rackLabel)).toEqual(before);
    },
  },
];

runAll(scripts);
