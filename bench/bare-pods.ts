/** The same work without any controller: bare pods, made and made again by a client that reacts at once. */
import type { Pod } from "../src/api/pod.ts";
import { isReady, podResource } from "../src/api/pod.ts";
import type { Client } from "../src/runtime/client.ts";
import type { Followed } from "./measure.ts";
import { following, secondsOf } from "./measure.ts";

export interface BarePods {
  /** How long it took until all were ready. */
  readonly createSeconds: number;
  /** How long it took until all were ready again after all were deleted at once. */
  readonly replaceSeconds: number;
}

const selection = { namespace: "default", labelSelector: "app=bare" };

/** What pods need on this machine in this minute, whoever makes them. */
export async function measureBarePods(
  client: Client,
  counts: { readonly created: number; readonly replaced: number },
): Promise<BarePods> {
  const followed = await following<Pod>(client, podResource, selection);
  const clear = async (): Promise<void> => {
    await client.deleteCollection(podResource, selection);
    await followed.until((pods) => pods.length === 0);
  };
  try {
    const createSeconds = await secondsOf(() => make(client, followed, counts.created));
    await clear();
    await make(client, followed, counts.replaced);
    const replaceSeconds = await secondsOf(() => replace(client, followed, counts.replaced));
    await clear();
    return { createSeconds, replaceSeconds };
  } finally {
    followed.end();
  }
}

const namesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `bare-${index}`);

async function make(client: Client, followed: Followed<Pod>, count: number): Promise<void> {
  await Promise.all(namesOf(count).map((name) => client.create(podResource, podOf(name))));
  await untilReady(followed, count);
}

async function replace(client: Client, followed: Followed<Pod>, count: number): Promise<void> {
  const { namespace } = selection;
  const returns: Promise<unknown>[] = [];
  const unfollow = followed.onDeleted(({ metadata }) => {
    returns.push(client.create(podResource, podOf(metadata.name ?? "")));
  });
  await Promise.all(namesOf(count).map((name) => client.delete(podResource, { namespace, name })));
  await untilReady(followed, count);
  await Promise.all(returns);
  unfollow();
}

const untilReady = (followed: Followed<Pod>, count: number): Promise<void> =>
  followed.until((pods) => pods.filter(isReadyToStay).length === count);

const isReadyToStay = (pod: Pod): boolean =>
  isReady(pod) && pod.metadata.deletionTimestamp === undefined;

const podOf = (name: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: selection.namespace, labels: { app: "bare" } },
  spec: { containers: [{ name: "app", image: "bare:v1" }] },
});
