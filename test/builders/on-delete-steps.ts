/** Steps and checks that scenarios of OnDelete share: which pods are still the same, and which are new. */
import { expect } from "vitest";
import type { PodClique } from "../../src/api/grove/podclique.ts";
import type { Pod } from "../../src/api/pod.ts";
import type { PodCliqueSetScenario } from "./pod-clique-set-scenario.ts";
import { hostnameOf } from "../../src/simulation/scenario-kind.ts";
import { deletedPods, ready } from "./update-steps.ts";
import { atLeastOne } from "./must.ts";

const imageOf = ({ spec }: Pod): string => spec.containers[0]?.image ?? "";

/** Uids by hostname. */
export async function uidsByHostname({
  pods,
}: PodCliqueSetScenario): Promise<Record<string, string>> {
  return Object.fromEntries((await pods()).map((pod) => [hostnameOf(pod), pod.metadata.uid ?? ""]));
}

export async function newPods({ pods }: PodCliqueSetScenario): Promise<string[]> {
  const updated = (await pods()).filter((pod) => imageOf(pod).endsWith(":v2"));
  return updated.map(hostnameOf).toSorted();
}

export async function cliqueNamed(
  scenario: PodCliqueSetScenario,
  name: string,
): Promise<PodClique> {
  const found = (await scenario.cliques()).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no clique ${name}`);
  return found;
}

/** Deleted by somebody, and its successor is up. */
export async function replaced(scenario: PodCliqueSetScenario, name: string): Promise<void> {
  const before = (await uidsByHostname(scenario))[name];
  await scenario.deletePod(name);
  const isBack = async (): Promise<boolean> => {
    const { [name]: uid } = await uidsByHostname(scenario);
    return uid !== undefined && uid !== before;
  };
  await scenario.until(isBack);
  await ready(scenario);
}

/** The update has begun and ended in one moment, whatever is still outdated. */
async function expectEnded({ set, cliques, groups }: PodCliqueSetScenario): Promise<void> {
  const { status } = await set();
  const { updateStartedAt, updateEndedAt, currentlyUpdating } = status?.updateProgress ?? {};
  expect(updateEndedAt).toBeDefined();
  expect(updateEndedAt).toBe(updateStartedAt);
  expect(currentlyUpdating).toBeUndefined();
  for (const { status: own } of atLeastOne([...(await cliques()), ...(await groups())])) {
    expect(own?.updateProgress?.updateEndedAt).toBe(own?.updateProgress?.updateStartedAt);
  }
}

/** Time passes, and nobody is deleted. */
export async function expectNobodyGone(scenario: PodCliqueSetScenario): Promise<void> {
  const before = await uidsByHostname(scenario);
  await scenario.clock.runFor(20_000);
  expect(deletedPods(scenario.timeline.take())).toEqual([]);
  expect(await uidsByHostname(scenario)).toEqual(before);
  await expectEnded(scenario);
}

/** How many replicas and cliques of the set are wholly on the new template. */
export async function counters({ set }: PodCliqueSetScenario): Promise<string> {
  const { updateProgress, updatedReplicas } = (await set()).status ?? {};
  const { updatedPodCliquesCount, totalPodCliquesCount } = updateProgress ?? {};
  return `${updatedReplicas} replicas, ${updatedPodCliquesCount ?? 0} of ${totalPodCliquesCount} cliques`;
}

export const updatedPods = async (
  scenario: PodCliqueSetScenario,
  name: string,
): Promise<number | undefined> => (await cliqueNamed(scenario, name)).status?.updatedReplicas;

/** What a clique says of the update that has ended. */
export async function updateMessage(
  scenario: PodCliqueSetScenario,
  name: string,
): Promise<string | undefined> {
  const { conditions = [] } = (await cliqueNamed(scenario, name)).status ?? {};
  return conditions.find(({ type }) => type === "UpdateInProgress")?.message;
}

/** One pod per clique is changed by hand: the others keep running. */
export async function expectOnlyChanged(
  scenario: PodCliqueSetScenario,
  before: Readonly<Record<string, string>>,
  changed: readonly string[],
): Promise<void> {
  const after = await uidsByHostname(scenario);
  const moved = Object.keys(before).filter((name) => after[name] !== before[name]);
  expect(moved.toSorted()).toEqual(changed.toSorted());
  expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted());
  expect(await newPods(scenario)).toEqual(changed.toSorted());
}

/** New images delete nobody; then somebody deletes these pods, and only they are of the new images. */
export async function changedByHand(
  scenario: PodCliqueSetScenario,
  images: Readonly<Record<string, string>>,
  pods: readonly string[],
): Promise<void> {
  await ready(scenario);
  const before = await uidsByHostname(scenario);
  await scenario.setImages(images);
  await expectNobodyGone(scenario);
  for (const name of pods) await replaced(scenario, name);
  await expectOnlyChanged(scenario, before, pods);
  await expectNobodyGone(scenario);
}

export const notOn = (node: string) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "kubernetes.io/hostname", operator: "NotIn", values: [node] },
            ],
          },
        ],
      },
    },
  },
});

export async function podAt({ pods }: PodCliqueSetScenario, name: string): Promise<Pod> {
  const found = (await pods()).find((pod) => hostnameOf(pod) === name);
  if (found === undefined) throw new Error(`there is no pod ${name}`);
  return found;
}
