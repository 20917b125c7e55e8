/** Steps of scenarios about gangs: room that comes and goes, which pods are placed where, which are the same. */
import { atLeastOne } from "./must.ts";
import { expect } from "vitest";
import { labelKeys, podGangGate } from "../../src/api/grove/labels.ts";
import { nodeResource } from "../../src/api/node.ts";
import type { Pod } from "../../src/api/pod.ts";
import type { PodCliqueSetScenario } from "./pod-clique-set-scenario.ts";
import { hostnameOf, isTerminating } from "../../src/simulation/scenario-kind.ts";

const stepMs = 5_000;

/** Runs until no pod has changed for a while: nothing more will happen by itself. */
export async function untilQuiet(
  { clock, cluster }: PodCliqueSetScenario,
  quietMs = 45_000,
): Promise<void> {
  const endMs = clock.now() + 3_600_000;
  let changedMs = clock.now();
  const unfollow = cluster.pods.onChange(() => (changedMs = clock.now()));
  while (clock.now() - changedMs < quietMs) {
    if (clock.now() > endMs) throw new Error("pods still change after an hour");
    await clock.runFor(stepMs);
  }
  unfollow();
}

/** Machines that come at one moment. */
export async function addNodes({ cluster }: PodCliqueSetScenario, count: number): Promise<void> {
  for (let added = 0; added < count; added += 1) await cluster.addNode();
}

export async function presentPods(scenario: PodCliqueSetScenario): Promise<Pod[]> {
  return (await scenario.pods()).filter((pod) => !isTerminating(pod));
}

/** Pods by clique: `{ "chat-0-pc-a": 2 }`. */
export function byClique(pods: readonly Pod[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { metadata } of pods) {
    const clique = metadata.labels?.[labelKeys.podClique] ?? "";
    counts[clique] = (counts[clique] ?? 0) + 1;
  }
  return counts;
}

/** The pods on nodes by clique, and how many wait for one. */
export async function placedPods(scenario: PodCliqueSetScenario) {
  const pods = await presentPods(scenario);
  const placed = pods.filter(({ spec }) => spec.nodeName !== undefined);
  return { placed: byClique(placed), waiting: pods.length - placed.length };
}

export const isHeldBack = ({ spec }: Pod): boolean =>
  (spec.schedulingGates ?? []).some(({ name }) => name === podGangGate);

/** The pods of one replica of the catalogue's workload: so many pc-a, and of every sg-x so many pc-b and pc-c. */
export function replicaOf(
  index: number,
  a: number,
  ...groups: readonly (readonly [b: number, c: number])[]
): Record<string, number> {
  const counts = [
    [`chat-${index}-pc-a`, a] as const,
    ...groups.flatMap(
      ([b, c], group) =>
        [
          [`chat-${index}-sg-x-${group}-pc-b`, b],
          [`chat-${index}-sg-x-${group}-pc-c`, c],
        ] as const,
    ),
  ];
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** One step of a script, and where the pods are once nothing changes any more. */
export interface GangStep {
  readonly nodes?: number;
  readonly act?: (scenario: PodCliqueSetScenario) => Promise<unknown>;
  readonly placed: Readonly<Record<string, number>>;
  readonly waiting: number;
}

/** Pods that are placed stay there, and stay the pods they are, from the first stage to the last. */
export async function runStages(
  scenario: PodCliqueSetScenario,
  stages: readonly GangStep[],
): Promise<void> {
  let before: readonly string[] = [];
  for (const [index, { nodes = 0, act, placed, waiting }] of atLeastOne(stages.entries())) {
    await addNodes(scenario, nodes);
    await act?.(scenario);
    await untilQuiet(scenario);
    expect({ stage: index + 1, ...(await placedPods(scenario)) }).toEqual({
      stage: index + 1,
      placed,
      waiting,
    });
    const pods = await presentPods(scenario);
    const now = pods.filter(({ spec }) => spec.nodeName !== undefined).map(placeOf);
    expect(now).toEqual(expect.arrayContaining([...before]));
    before = now;
  }
}

const placeOf = (pod: Pod): string =>
  `${hostnameOf(pod)} ${pod.metadata.uid ?? ""} on ${pod.spec.nodeName ?? ""}`;

/** Who is who: uids by hostname. */
export async function identities(
  scenario: PodCliqueSetScenario,
): Promise<ReadonlyMap<string, string>> {
  const pods = await presentPods(scenario);
  return new Map(pods.map((pod) => [hostnameOf(pod), pod.metadata.uid ?? ""]));
}

/** Hostnames whose pod is not the one it was, in order. */
export function changed(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...before]
    .filter(([name, uid]) => after.get(name) !== uid)
    .map(([name]) => name)
    .toSorted();
}

/** The machines under these pods take nobody any more, and the pods are lost. */
export async function lose(
  scenario: PodCliqueSetScenario,
  ...hostnames: readonly string[]
): Promise<void> {
  for (const pod of await presentPods(scenario)) {
    const { nodeName } = pod.spec;
    if (nodeName === undefined || !hostnames.includes(hostnameOf(pod))) continue;
    const patch = { type: "merge", body: { spec: { unschedulable: true } } } as const;
    await scenario.client.patch(nodeResource, { name: nodeName }, patch);
  }
  for (const name of hostnames) await scenario.deletePod(name);
}

/** Every machine takes pods again. */
export const uncordonAll = (scenario: PodCliqueSetScenario): Promise<void> =>
  scenario.cordon(false);
