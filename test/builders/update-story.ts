/** What stories of updates ask again and again. */
import { expect } from "vitest";
import type { LivePod } from "./clique-watcher.ts";
import type { Scenario } from "./pod-clique-set-scenario.ts";

export const isNew = ({ image }: LivePod): boolean => image.endsWith(":v2");

/** Hostnames in the order in which their pods were told to go. */
export const deletedPods = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => / -(chat-\S+-\d+) /.exec(line)?.[1] ?? []);

/** Everything is up, not only what must be; from here on lines are taken. */
export async function ready(scenario: Scenario): Promise<void> {
  const { settled, until, watcher } = scenario;
  await settled();
  await until(() => watcher.pods().every((pod) => pod.isReady && !pod.isTerminating));
  watcher.take();
}

/** The status says that the update is over, and exactly so many pods are there. */
export async function expectUpdated(
  { set, watcher }: Scenario,
  replicas: number,
  pods: number,
): Promise<void> {
  const { status } = await set();
  expect(status).toMatchObject({ updatedReplicas: replicas, availableReplicas: replicas });
  expect(status?.updateProgress?.updateEndedAt).toBeDefined();
  expect(status?.updateProgress?.currentlyUpdating).toBeUndefined();
  expect(watcher.drawing()).toHaveLength(pods);
}

export const isUpdating =
  ({ set }: Scenario, replica: number) =>
  async (): Promise<boolean> => {
    const { currentlyUpdating } = (await set()).status?.updateProgress ?? {};
    return currentlyUpdating?.some(({ replicaIndex }) => replicaIndex === replica) ?? false;
  };

export const isReplicaNew =
  ({ watcher }: Scenario, replica: number) =>
  (): boolean =>
    watcher.pods().every((pod) => pod.setReplica !== replica || isNew(pod));
