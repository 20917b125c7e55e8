/** Steps and checks that scenarios of updates share. */
import { expect } from "vitest";
import type { LivePod } from "./pod-clique-set-invariants.ts";
import type { PodCliqueSetScenario } from "./pod-clique-set-scenario.ts";

export const isNew = ({ image }: LivePod): boolean => image.endsWith(":v2");

/** Hostnames in the order in which their pods were deleted. */
export const deletedPods = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => / -(chat-\S+-\d+) /.exec(line)?.[1] ?? []);

/** Everything is up, not only what must be; from here on lines are taken. */
export async function ready(scenario: PodCliqueSetScenario): Promise<void> {
  const { settled, until, timeline, livePods } = scenario;
  await settled();
  await until(() => livePods().every((pod) => pod.isReady && !pod.isTerminating));
  timeline.take();
}

/** The status says that the update is over, and exactly so many pods are there. */
export async function expectUpdated(
  { set, drawing }: PodCliqueSetScenario,
  replicas: number,
  pods: number,
): Promise<void> {
  const { status } = await set();
  expect(status).toMatchObject({ updatedReplicas: replicas, availableReplicas: replicas });
  expect(status?.updateProgress?.updateEndedAt).toBeDefined();
  expect(status?.updateProgress?.currentlyUpdating).toBeUndefined();
  expect(drawing()).toHaveLength(pods);
}

export const isUpdating =
  ({ set }: PodCliqueSetScenario, replica: number) =>
  async (): Promise<boolean> => {
    const { currentlyUpdating } = (await set()).status?.updateProgress ?? {};
    return currentlyUpdating?.some(({ replicaIndex }) => replicaIndex === replica) ?? false;
  };

export const isReplicaNew =
  ({ livePods }: PodCliqueSetScenario, replica: number) =>
  (): boolean =>
    livePods().every((pod) => pod.setReplica !== replica || isNew(pod));
