/** Gangs on machines for one pod each: which are placed together while the cluster grows. */
import { expect } from "vitest";
import type { GangStep } from "../../builders/gang-steps.ts";
import { untilQuiet, replicaOf, runStages } from "../../builders/gang-steps.ts";
import type { PodCliqueSetScenarioOptions } from "../../builders/pod-clique-set-scenario.ts";
import type { ScriptedScenario } from "../../builders/scripted-scenarios.ts";
import { runAll } from "../../builders/scripted-scenarios.ts";
import { onePodPerNode, workload1, workload2 } from "../../builders/workloads.ts";

const nobody = (waiting: number): GangStep => ({ placed: {}, waiting });

const inStages = (
  name: string,
  options: PodCliqueSetScenarioOptions,
  stages: readonly GangStep[],
): ScriptedScenario => ({
  name,
  options,
  run: (scenario) => runStages(scenario, stages),
});

const whole = [1, 3] as const;
const least = [1, 1] as const;
const full = replicaOf(0, 2, whole, whole);
const three = replicaOf(0, 2, whole, whole, whole);
const scaleSet = (replicas: number): Pick<GangStep, "act"> => ({
  act: (scenario) => scenario.scale(replicas),
});
const scaleGroup = (replica: number, replicas: number): Pick<GangStep, "act"> => ({
  act: (scenario) => scenario.scaleGroup(`chat-${replica}-sg-x`, replicas),
});

type Groups = readonly (readonly [number, number])[];

/** Two replicas of the set with all their pods. */
function both(first: Groups, second: Groups): Record<string, number> {
  return { ...replicaOf(0, 2, ...first), ...replicaOf(1, 2, ...second) };
}

/** Two replicas of the set with so many replicas of the group, and the least that serves in each of them. */
function lean(groups: number): Record<string, number> {
  const each = Array.from({ length: groups }, () => least);
  return { ...replicaOf(0, 1, ...each), ...replicaOf(1, 1, ...each) };
}

/** Nine machines are one too few; with the tenth every pod has a place. */
const tenth: readonly GangStep[] = [nobody(10), { nodes: 1, placed: full, waiting: 0 }];

/** Everything must serve: base gangs take it all, so they come and wait as a whole. */
const withAll: readonly ScriptedScenario[] = [
  inStages(
    "GS1 ten pods that need each other wait for the tenth machine",
    workload1(onePodPerNode(9)),
    tenth,
  ),
  inStages("GS2 a third replica of the group comes as one gang", workload1(onePodPerNode(9)), [
    ...tenth,
    { ...scaleGroup(0, 3), placed: full, waiting: 4 },
    { nodes: 3, placed: full, waiting: 4 },
    { nodes: 1, placed: three, waiting: 0 },
  ]),
  inStages("GS3 a second replica of the set comes as one gang", workload1(onePodPerNode(9)), [
    ...tenth,
    { ...scaleSet(2), placed: full, waiting: 10 },
    { nodes: 9, placed: full, waiting: 10 },
    { nodes: 1, placed: { ...full, ...replicaOf(1, 2, whole, whole) }, waiting: 0 },
  ]),
  inStages(
    "GS4 the group grows, then the set, then the group of the new replica",
    workload1(onePodPerNode(9)),
    [
      ...tenth,
      { ...scaleGroup(0, 3), placed: full, waiting: 4 },
      { nodes: 4, placed: three, waiting: 0 },
      { ...scaleSet(2), placed: three, waiting: 10 },
      { nodes: 10, placed: both([whole, whole, whole], [whole, whole]), waiting: 0 },
      { ...scaleGroup(1, 3), placed: both([whole, whole, whole], [whole, whole]), waiting: 4 },
      { nodes: 4, placed: both([whole, whole, whole], [whole, whole, whole]), waiting: 0 },
    ],
  ),
];

const base = replicaOf(0, 1, least);

/** The third machine carries the least that serves, seven more carry the rest. */
const third: readonly GangStep[] = [nobody(10), { nodes: 1, placed: base, waiting: 7 }];
const grown: readonly GangStep[] = [...third, { nodes: 7, placed: full, waiting: 0 }];

/** One of each is enough: base gangs need three machines, every further replica of the group two. */
const withOne: readonly ScriptedScenario[] = [
  inStages(
    "GS5 three machines carry the least that serves, and nobody else",
    workload2(onePodPerNode(2)),
    grown,
  ),
  inStages(
    "GS6 a group scaled late: its new gang needs pc-b and pc-c together",
    workload2(onePodPerNode(2)),
    [
      ...grown,
      { ...scaleGroup(0, 3), placed: full, waiting: 4 },
      { nodes: 1, placed: full, waiting: 4 },
      { nodes: 1, placed: replicaOf(0, 2, whole, whole, least), waiting: 2 },
      { nodes: 2, placed: three, waiting: 0 },
    ],
  ),
  inStages("GS7 a group scaled while its base gang alone has places", workload2(onePodPerNode(2)), [
    ...third,
    { ...scaleGroup(0, 3), placed: base, waiting: 11 },
    { nodes: 2, placed: replicaOf(0, 1, least, least), waiting: 9 },
    { nodes: 2, placed: replicaOf(0, 1, least, least, least), waiting: 7 },
    { nodes: 7, placed: three, waiting: 0 },
  ]),
  inStages("GS8 a group scaled while everybody waits", workload2(onePodPerNode(2)), [
    nobody(10),
    { ...scaleGroup(0, 3), ...nobody(14) },
    { nodes: 1, placed: base, waiting: 11 },
    { nodes: 4, placed: replicaOf(0, 1, least, least, least), waiting: 7 },
    { nodes: 7, placed: three, waiting: 0 },
  ]),
  inStages(
    "GS9 a set scaled late: its new replica starts with its base gang",
    workload2(onePodPerNode(2)),
    [
      ...grown,
      { ...scaleSet(2), placed: full, waiting: 10 },
      { nodes: 2, placed: full, waiting: 10 },
      { nodes: 1, placed: { ...full, ...replicaOf(1, 1, least) }, waiting: 7 },
      { nodes: 7, placed: { ...full, ...replicaOf(1, 2, whole, whole) }, waiting: 0 },
    ],
  ),
  inStages("GS10 a set scaled while everybody waits", workload2(onePodPerNode(2)), [
    nobody(10),
    { ...scaleSet(2), ...nobody(20) },
    { nodes: 4, placed: { ...base, ...replicaOf(1, 1, least) }, waiting: 14 },
    { nodes: 4, placed: lean(2), waiting: 10 },
    { nodes: 10, placed: both([whole, whole], [whole, whole]), waiting: 0 },
  ]),
  inStages(
    "GS11 the group grows, then the set, then the group of the new replica",
    workload2(onePodPerNode(2)),
    [
      ...grown,
      { ...scaleGroup(0, 3), placed: full, waiting: 4 },
      { nodes: 2, placed: replicaOf(0, 2, whole, whole, least), waiting: 2 },
      { nodes: 2, placed: three, waiting: 0 },
      { ...scaleSet(2), placed: three, waiting: 10 },
      {
        nodes: 3,
        placed: { ...three, ...replicaOf(1, 1, least) },
        waiting: 7,
      },
      { nodes: 7, placed: both([whole, whole, whole], [whole, whole]), waiting: 0 },
      { ...scaleGroup(1, 3), placed: both([whole, whole, whole], [whole, whole]), waiting: 4 },
      { nodes: 2, placed: both([whole, whole, whole], [whole, whole, least]), waiting: 2 },
      { nodes: 2, placed: both([whole, whole, whole], [whole, whole, whole]), waiting: 0 },
    ],
  ),
  inStages(
    "GS12 base gangs first, then scaled gangs, then whoever is left",
    workload2(onePodPerNode(2)),
    [
      nobody(10),
      { ...scaleSet(2), ...nobody(20) },
      { ...scaleGroup(0, 3), ...nobody(24) },
      { ...scaleGroup(1, 3), ...nobody(28) },
      { nodes: 4, placed: { ...base, ...replicaOf(1, 1, least) }, waiting: 22 },
      { nodes: 8, placed: lean(3), waiting: 14 },
      { nodes: 14, placed: both([whole, whole, whole], [whole, whole, whole]), waiting: 0 },
    ],
  ),
];

/** `chat-0-pc-a 2/1`: two pods listed, one needed. */
const gangsOf = (
  name: string,
  options: PodCliqueSetScenarioOptions,
  want: Record<string, string[]>,
): ScriptedScenario => ({
  name,
  options,
  async run(scenario) {
    await untilQuiet(scenario);
    const gangs = (await scenario.gangs()).map(({ metadata, spec }) => [
      metadata.name,
      spec.podgroups.map(
        (group) => `${group.name} ${group.podReferences.length}/${group.minReplicas}`,
      ),
    ]);
    expect(Object.fromEntries(gangs)).toEqual(want);
  },
});

const members: readonly ScriptedScenario[] = [
  gangsOf("GS where all are needed one gang holds everybody", workload1(onePodPerNode(10)), {
    "chat-0": [
      "chat-0-pc-a 2/2",
      "chat-0-sg-x-0-pc-b 1/1",
      "chat-0-sg-x-0-pc-c 3/3",
      "chat-0-sg-x-1-pc-b 1/1",
      "chat-0-sg-x-1-pc-c 3/3",
    ],
  }),
  gangsOf(
    "PS8 GS a replica of a group above minAvailable has a gang of its own",
    workload2(onePodPerNode(10)),
    {
      "chat-0": ["chat-0-pc-a 2/1", "chat-0-sg-x-0-pc-b 1/1", "chat-0-sg-x-0-pc-c 3/1"],
      "chat-0-sg-x-0": ["chat-0-sg-x-1-pc-b 1/1", "chat-0-sg-x-1-pc-c 3/1"],
    },
  ),
];

runAll([...withAll, ...withOne, ...members]);
