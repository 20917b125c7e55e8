/**
 * Two consumers of PlacementDecisions in a process of their own: one takes the union of all decisions, one rebuilds the
 * groups from labels. Both recompute at every event of their own watch, without any delay. The add-on installer may run
 * beside them, and the uids of its add-ons are followed.
 */
import { createInterface } from "node:readline";
import { managedClusterAddOnResource } from "../../src/api/ocm/addon.ts";
import { ocmLabels } from "../../src/api/ocm/labels.ts";
import type { PlacementDecision } from "../../src/api/ocm/placement.ts";
import {
  clustersOf,
  decisionSelector,
  placementDecisionResource,
} from "../../src/api/ocm/placement.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Resource } from "../../src/api/resource.ts";
import { addOnKind } from "../../src/controllers/addon/index.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { clusterAccess } from "../../src/kube/access.ts";
import { fixedHeader } from "../../src/kube/credentials.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import type { TrackedDecision } from "../../src/planner/index.ts";
import { trackDecisions } from "../../src/planner/index.ts";
import type { Client } from "../../src/runtime/client.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { Connection, Message, Question, Report, Setup } from "./messages.ts";

const setup = JSON.parse(process.argv[2] ?? "") as Setup;
const client = restClient(httpTransport(accessTo(setup.connection), { userAgent: "consumer" }));

const decisions = new Map<string, PlacementDecision>();
/** Uids by cluster, of every add-on. */
const installed = new Map<string, Map<string, string>>();
/** The Placement that is followed, and the add-on that it decides about. */
let followed = "";
/** What was to be selected since the installer had done all that was asked of it; the last one holds now. */
let selections: readonly ReadonlySet<string>[] = [];
/** Wanted versions and states, with how to answer. */
const waiting = new Set<() => boolean>();
const losses: string[] = [];
let staying: readonly string[] = [];
/** Of those the ones that the tracker sees already: a new group comes into its sight only with its labels. */
let tracked: readonly string[] = [];
let events = 0;
let addOnEvents = 0;

function accessTo(connection: Connection) {
  if ("kubeconfig" in connection) {
    return clusterAccess(loadKubeconfig([connection.kubeconfig], true));
  }
  const credentials = fixedHeader(`Bearer ${connection.token}`);
  const server = new URL(connection.server);
  return { server, tls: {}, credentials, namespace: "default", origin: "a test" };
}

const say = (message: Message): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const fail = (problem: unknown): void => say({ problem: String(problem) });

const unionOf = (): Set<string> => new Set([...decisions.values()].flatMap(clustersOf));

/** Which decision comes last is chance in the original, so nothing may depend on it. */
function trackedNow(): Set<string>[] {
  const all = [...decisions.values()].map((decision): TrackedDecision => ({
    name: decision.metadata.name ?? "",
    groupIndex: decision.metadata.labels?.[ocmLabels.groupIndex],
    groupName: decision.metadata.labels?.[ocmLabels.groupName],
    clusters: clustersOf(decision),
  }));
  return [all, all.toReversed()].map((order) => {
    const answer = trackDecisions(order);
    const groups = answer.kind === "tracked" ? answer.groups : [];
    return new Set(groups.flatMap(({ clusters }) => clusters));
  });
}

function checkDecisions(event: string): void {
  const union = unionOf();
  check(
    "the union",
    event,
    staying.filter((name) => !union.has(name)),
  );
  for (const visible of trackedNow()) {
    check(
      "the tracker",
      event,
      tracked.filter((name) => !visible.has(name)),
    );
  }
}

function check(consumer: string, event: string, missing: readonly string[]): void {
  if (missing.length === 0) return;
  const some = missing.slice(0, 3).join(", ");
  losses.push(`${consumer} misses ${missing.length} (${some}) after ${event}`);
}

function seeDecision(type: string, decision: PlacementDecision): void {
  const { name = "", resourceVersion = "0" } = decision.metadata;
  if (type === "DELETED") decisions.delete(name);
  else decisions.set(name, decision);
  events += 1;
  checkDecisions(`${type} ${name} at ${resourceVersion}`);
  answerWaiting();
}

function clustersWith(addOn: string): Map<string, string> {
  const known = installed.get(addOn) ?? new Map<string, string>();
  installed.set(addOn, known);
  return known;
}

function seeAddOn(type: string, { metadata }: KubeObject): void {
  const { namespace = "", name = "", uid = "" } = metadata;
  const addOns = clustersWith(name);
  const before = addOns.get(namespace);
  const isChanged = before !== undefined && (type === "DELETED" || before !== uid);
  if (name === followed && isChanged && isSelectedThroughout(namespace))
    losses.push(`the add-on of ${namespace} changed its uid: ${type}`);
  if (type === "DELETED") addOns.delete(namespace);
  else addOns.set(namespace, uid);
  addOnEvents += 1;
  answerWaiting();
}

/**
 * An installer acts on what it has seen, which may be a while ago: it may install or remove an add-on late, when its
 * cluster is selected again. It cannot have seen anything from before it had last done all that was asked of it.
 */
const isSelectedThroughout = (cluster: string): boolean =>
  selections.length > 0 && selections.every((selected) => selected.has(cluster));

/** Lists, then follows every single event from there. */
async function follow(
  resource: Resource,
  { signal, ...selection }: { namespace?: string; labelSelector?: string; signal?: AbortSignal },
  see: (type: string, object: KubeObject) => void,
): Promise<void> {
  const list = await client.list(resource, selection);
  for (const object of list.items) see("ADDED", object);
  let resourceVersion = list.metadata.resourceVersion;
  const watch = async (): Promise<void> => {
    const options = { ...selection, resourceVersion, timeoutSeconds: 3_600 };
    await client.watch(
      resource,
      signal === undefined ? options : { ...options, signal },
      (event) => {
        if (signal?.aborted === true) return;
        if (event.type === "ERROR") throw new Error(JSON.stringify(event.object));
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        if (event.type !== "BOOKMARK") see(event.type, event.object);
      },
    );
    // A server may end a watch at any time, a busy one does: it is resumed where it ended, and misses nothing.
    if (signal?.aborted !== true) await watch();
  };
  void watch().catch((problem: unknown) => signal?.aborted !== true && fail(problem));
}

let watching = new AbortController();

async function followPlacement(placement: string): Promise<void> {
  watching.abort();
  watching = new AbortController();
  followed = placement;
  decisions.clear();
  losses.length = 0;
  staying = [];
  tracked = [];
  selections = [];
  events = 0;
  const labelSelector = decisionSelector(placement);
  const selection = { namespace: setup.namespace, labelSelector, signal: watching.signal };
  await follow(placementDecisionResource, selection, seeDecision);
}

function answerWhen(isSo: () => boolean): void {
  const attempt = (): boolean => {
    if (!isSo()) return false;
    say({ answer: report() });
    return true;
  };
  if (!attempt()) waiting.add(attempt);
}

function answerWaiting(): void {
  for (const attempt of waiting) if (attempt()) waiting.delete(attempt);
}

const sizes = (): [string, number][] =>
  [...decisions].map(([name, decision]) => [name, clustersOf(decision).length]);

const inOrder = (entries: readonly [string, number][]): string =>
  entries
    .map(([name, size]) => `${name} ${size}`)
    .toSorted()
    .join();

const report = (): Report => ({ events, addOnEvents, losses });

function hear(question: Question): void {
  switch (question.ask) {
    case "follow":
      return void followPlacement(question.placement).then(() => say({ answer: report() }), fail);
    case "expect":
      ({ staying } = question);
      selections = [...selections, new Set(question.selected)];
      tracked = trackedNow().reduce(
        (names, visible) => names.filter((name) => visible.has(name)),
        staying,
      );
      return answerWhen(() => true);
    case "seen":
      return answerWhen(() => events >= question.events);
    case "holds": {
      const wanted = inOrder(Object.entries(question.sizes));
      const listed = question.of.toSorted().join();
      return answerWhen(
        () => inOrder(sizes()) === wanted && [...unionOf()].toSorted().join() === listed,
      );
    }
    case "installed": {
      const wanted = question.of.toSorted().join();
      return answerWhen(() => {
        const isDone = [...clustersWith(followed).keys()].toSorted().join() === wanted;
        if (isDone) selections = selections.slice(-1);
        return isDone;
      });
    }
    case "report":
      return answerWhen(() => true);
  }
}

async function startInstaller(connected: Client): Promise<void> {
  const observe = () => ({
    reconciled: (_key: string, { error }: { error?: unknown }) =>
      void (error !== undefined && fail(error)),
  });
  await startKinds([addOnKind], {
    client: connected,
    clock: systemClock(),
    onProblem: fail,
    observe,
  });
}

await follow(managedClusterAddOnResource, {}, seeAddOn);
await startInstaller(client);
createInterface({ input: process.stdin })
  .on("line", (line) => hear(JSON.parse(line) as Question))
  .on("close", () => process.exit(0));
say("ready");
