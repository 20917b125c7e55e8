/** Makes a change twice: in a preview, through the command line over HTTP, and then for real. */
import { expect } from "vitest";
import type { KubeObject } from "../../src/api/object.ts";
import { placementDecisionResource } from "../../src/api/ocm/placement.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import { fixedHeader } from "../../src/kube/credentials.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import type { Edits } from "../../src/preview/edit.ts";
import { edited } from "../../src/preview/edit.ts";
import type { Plan } from "../../src/preview/plan.ts";
import type { Client } from "../../src/runtime/client.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { cliOf } from "../builders/cli.ts";
import { namespace } from "../builders/scenario.ts";

export interface World {
  readonly client: Client;
  readonly clock: VirtualClock;
  listen(token: string): Promise<{ readonly url: string }>;
}

export interface Change {
  readonly resource: Resource;
  readonly name: string;
  readonly images?: readonly string[];
  readonly fields?: readonly string[];
}

const editsOf = ({ images = [], fields = [] }: Change): Edits => ({ images, fields });

const token = "truth";

/** Over a socket, as people reach a cluster. */
async function reach(world: World) {
  const { url } = await world.listen(token);
  const credentials = fixedHeader(`Bearer ${token}`);
  const server = new URL(url);
  return httpTransport({ server, tls: {}, credentials, namespace, origin: "a test" });
}

export interface Preview {
  readonly plan: Plan;
  readonly code: number;
}

export async function preview(world: World, change: Change): Promise<Preview> {
  const transport = await reach(world);
  const { images, fields } = editsOf(change);
  const words = [
    ...images.map((image) => `--image '${image}'`),
    ...fields.map((field) => `--set '${field}'`),
  ];
  const word = `${change.resource.plural}/${change.name}`;
  const cli = cliOf({ clock: world.clock, transport });
  const { code, text } = await cli.lockstep(`plan ${word} ${words.join(" ")} -o json`);
  transport.close();
  if (!text.startsWith("{")) throw new Error(text);
  return { code, plan: JSON.parse(text) as Plan };
}

/** The same edit, written over HTTP. */
export async function make(world: World, change: Change): Promise<void> {
  const transport = await reach(world);
  const client = restClient(transport);
  const { resource, name } = change;
  const current = await client.get<KubeObject>(resource, { namespace, name });
  await client.update(resource, edited(current, editsOf(change)));
  transport.close();
}

/** What somebody who watches the cluster sees: creations and deletions by second, and when the last thing happened. */
export function follow({ client, clock }: World, resource: Resource) {
  const startMs = clock.now();
  const known = new Map<string, boolean>();
  const left = new Set<string>();
  const seen: string[] = [];
  let lastMs = startMs;
  void client.watch<Pod>(resource, { namespace, resourceVersion: "0" }, (event) => {
    if (event.type === "BOOKMARK" || event.type === "ERROR") return;
    const { uid = "", name, deletionTimestamp } = event.object.metadata;
    const at = Math.floor((clock.now() - startMs) / 1000);
    const ready = resource === podResource && isReady(event.object);
    if (event.type === "ADDED" && !known.has(uid)) seen.push(`${at} create ${name}`);
    const isLeaving = event.type === "DELETED" || deletionTimestamp !== undefined;
    const leaves = isLeaving && !left.has(uid);
    if (leaves) seen.push(`${at} delete ${name}`);
    if (leaves) left.add(uid);
    const isGone = event.type === "DELETED";
    if (leaves || isGone || (!isLeaving && known.get(uid) !== ready)) lastMs = clock.now();
    known.set(uid, ready);
  });
  return { seen, lastMs: () => lastMs };
}

/** Creations and deletions, the order inside one step aside. */
const sequence = (lines: readonly string[]): readonly string[] =>
  lines
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1))
    .map((line) => line.replace(/^\d+ /, "").replace(generatedName, "$1"));

/** Pods of a ReplicaSet have names that nobody can foresee. */
const generatedName = /([a-z0-9]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

const writesIn = ({ steps }: Plan, { plural }: Resource): readonly string[] =>
  steps.flatMap(({ atSeconds, writes }) =>
    writes
      .filter(({ resource, verb }) => resource === plural && verb !== "patch")
      .map(({ verb, name }) => `${atSeconds} ${verb} ${name}`),
  );

/** The plan comes true: the same objects come and go in the same order, and it takes as long. */
export async function plannedAndDone(world: World, change: Change): Promise<Plan> {
  await world.clock.runFor(60_000);
  const { plan, code } = await preview(world, change);
  expect(code).toBe(plan.verdict === "stalls" ? 2 : 0);
  const units = change.resource.kind === "Placement" ? placementDecisionResource : podResource;
  const followed = follow(world, units);
  await world.clock.settle();
  const first = followed.seen.length;
  const startMs = world.clock.now();
  await make(world, change);
  // A stall is reported once nothing has moved for the deadline.
  await world.clock.runFor((plan.durationSeconds + 120) * 1_000);
  expect(sequence(writesIn(plan, units))).toEqual(sequence(followed.seen.slice(first)));
  const tookSeconds = (Math.max(startMs, followed.lastMs()) - startMs) / 1000;
  // Plans count whole seconds.
  const slack = Math.max(0.5, tookSeconds / 10);
  expect(Math.abs(plan.durationSeconds - tookSeconds)).toBeLessThanOrEqual(slack);
  const lowered = plan.components.filter((each) => each.lowestAvailable < each.promisedAvailable);
  expect(lowered).toEqual([]);
  return plan;
}
