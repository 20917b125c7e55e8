/** Removes everything that Lockstep's kinds brought to a cluster, in an order in which nothing hangs. */
import { customResourceDefinitionResource } from "../api/definition/custom-kind.ts";
import { defaultPolicyPlaces } from "../api/grove/default-policy.ts";
import type { KubeObject } from "../api/object.ts";
import { isTerminating } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { groupResource } from "../api/resource.ts";
import { isNotFound } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import { controllerOf } from "../controllers/engine/ownership.ts";
import { kinds } from "../controllers/kinds.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { sleep } from "../runtime/clock.ts";
import type { Lease } from "../runtime/leader.ts";
import { leaseResource } from "../runtime/leader.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./io.ts";
import { isOwnFinalizer } from "../rollouts/abandoned.ts";
import { absentOperator, leaseName } from "../rollouts/operator.ts";
import type { Found } from "./uninstall-parts.ts";
import { countedByPlace, partsLeftBehind } from "./uninstall-parts.ts";
import type { UninstallFlags } from "./uninstall.ts";
import { WayBack } from "./way-back.ts";

export interface UninstallTools {
  readonly client: Client;
  readonly clock: Clock;
  readonly io: Pick<
    Io,
    "print" | "warn" | "stopping" | "environment" | "invocation" | "clusterFlags"
  >;
}

type UninstallOptions = Pick<
  UninstallFlags,
  "dryRun" | "yes" | "keepDefinitions" | "leaseNamespace" | "namespace" | "timeout"
>;

const lookEveryMs = 1_000;

/** An operator that is there removes finalizers within moments; after this long nobody will. */
const patienceMs = 30_000;

export async function uninstall(tools: UninstallTools, options: UninstallOptions): Promise<void> {
  const { client, io } = tools;
  const printAll = (lines: readonly string[]): void => lines.forEach((line) => io.print(line));
  const isWhole = options.namespace === undefined && options.keepDefinitions !== true;
  const definitions = isWhole ? await existingDefinitions(client) : [];
  const policies = isWhole ? await existingPolicies(client) : [];
  const found = await customObjects(client, options.namespace);
  const behind = await partsLeftBehind(client, options.namespace, { ownGroups, owners: found });
  for (const line of whatHappens({ found, behind, policies, definitions }))
    io.print(`${wouldOr(options)}${line}`);
  const hub = isWhole && (await hasHubDefinitions(client)) ? [hubText] : [];
  if (found.length + behind.length + definitions.length + policies.length === 0)
    return printAll(["nothing is left of Lockstep's kinds", ...hub]);
  if (options.dryRun === true) return printAll(hub);
  if (options.yes !== true) {
    throw new UserError({
      problem: "nothing was deleted: all of this and the pods that it owns would be gone",
      fix: "add --yes if you mean it, or --dry-run to only look",
    });
  }
  printAll(await removeAll(tools, topOf(found)));
  if (definitions.length > 0) io.print(asTyped(definitionsBack, io));
  await untilGone(tools, options);
  await untilPartsGone(tools, options, namespacesOf([...found, ...behind]));
  const resource = customResourceDefinitionResource;
  const shared = [...policies, ...definitions.map((object) => ({ resource, object }))];
  for (const each of shared) await remove(client, each);
  await untilDefinitionsGone(tools, options, definitions);
  printAll([...hub, farewell(options)]);
}

interface Present {
  readonly found: readonly Found[];
  readonly behind: readonly Found[];
  readonly policies: readonly Found[];
  readonly definitions: readonly KubeObject[];
}

const whatHappens = ({ found, behind, policies, definitions }: Present): readonly string[] => [
  ...topOf(found).map((each) => `delete ${nameOf(each)}`),
  ...countedByPlace(behind).map((each) => `delete ${each}, left behind by an owner that is gone`),
  ...begunDeletions(found).map((each) => `end the deletion of ${each}, which has begun already`),
  ...policies.map(
    ({ resource, object }) => `delete ${resource.kind.toLowerCase()}/${object.metadata.name}`,
  ),
  ...definitions.map(({ metadata }) => `delete customresourcedefinition/${metadata.name}`),
];

/** How to take it back. */
async function removeAll(
  { client, clock, io }: UninstallTools,
  found: readonly Found[],
): Promise<readonly string[]> {
  const back = new WayBack({ ...io, clock });
  for (const each of found) {
    // What an owner left behind comes back with the owner alone.
    if (controllerOf(each.object) === undefined) back.keep(each.resource, each.object);
    await remove(client, each);
  }
  return back.lines();
}

const hubText =
  "left alone: the kinds of open-cluster-management.io, which a hub needs; " +
  "where there is none: kubectl delete -f deploy/crds --ignore-not-found";

const definitionsBack =
  "  note: before objects come back, so must the definitions: lockstep crds | kubectl apply -f -";

const wouldOr = ({ dryRun, yes }: UninstallOptions): string =>
  dryRun === true || yes !== true ? "would " : "";

const farewell = ({ namespace, keepDefinitions }: UninstallOptions): string => {
  if (namespace !== undefined)
    return `done: namespace ${namespace} has no object of Lockstep's kinds`;
  if (keepDefinitions === true) return "done: the definitions are still there";
  return "done: now remove the operator: kubectl delete -f deploy/operator.yaml --ignore-not-found";
};

/** What one of them owns goes with its owner; what was owned by one that is gone goes with nobody. */
function topOf(found: readonly Found[]): readonly Found[] {
  const uids = new Set(found.map(({ object }) => object.metadata.uid));
  return found.filter(
    ({ object }) => !isTerminating(object) && !uids.has(controllerOf(object)?.uid),
  );
}

/** What somebody deleted and nobody ends hangs until its finalizers are removed. */
const begunDeletions = (found: readonly Found[]): readonly string[] =>
  countedByPlace(found.filter(({ object }) => isTerminating(object)));

const nameOf = ({ resource, object: { metadata } }: Found): string => {
  const where = metadata.namespace === undefined ? "" : `${metadata.namespace}/`;
  return `${resource.kind.toLowerCase()} ${where}${metadata.name}`;
};

/** A hub's clusters and add-ons are not ours to delete: its own definitions are the same ones. */
const isOfHub = ({ group }: Resource): boolean => group.endsWith(hubGroup);
const hubGroup = "open-cluster-management.io";

const customResources = (): readonly Resource[] =>
  [
    ...new Set(kinds.flatMap(({ customKinds }) => customKinds).map(({ resource }) => resource)),
  ].filter((resource) => !isOfHub(resource));

const ownGroups = new Set(customResources().map(({ group }) => group));

async function existingDefinitions(client: Client): Promise<KubeObject[]> {
  const names = new Set(customResources().map((resource) => groupResource(resource)));
  const { items } = await client.list(customResourceDefinitionResource);
  return items.filter(({ metadata }) => names.has(metadata.name ?? ""));
}

/** What `lockstep crds --defaults` prints, where somebody applied it. */
async function existingPolicies(client: Client): Promise<Found[]> {
  const found: Found[] = [];
  for (const { resource, name } of defaultPolicyPlaces) {
    const object = await orMissing(client.get(resource, { name }));
    if (object !== undefined) found.push({ resource, object });
  }
  return found;
}

const hasHubDefinitions = async (client: Client): Promise<boolean> =>
  (await client.list(customResourceDefinitionResource)).items.some(({ metadata }) =>
    (metadata.name ?? "").endsWith(hubGroup),
  );

/** Of one namespace or of all; kinds that are not served have none. */
async function customObjects(client: Client, namespace: string | undefined): Promise<Found[]> {
  const found: Found[] = [];
  for (const resource of customResources()) {
    if (namespace !== undefined && !resource.namespaced) continue;
    const selection = namespace === undefined ? {} : { namespace };
    const list = await orMissing(client.list(resource, selection));
    found.push(...(list?.items ?? []).map((object) => ({ resource, object })));
  }
  return found;
}

async function remove(client: Client, { resource, object }: Found): Promise<void> {
  const { namespace, name = "", uid } = object.metadata;
  const options = { uid, propagationPolicy: "Background" } as const;
  await orMissing(client.delete(resource, { namespace, name }, options));
}

async function untilGone(tools: UninstallTools, options: UninstallOptions): Promise<void> {
  const { client, clock, io } = tools;
  const startMs = clock.now();
  const isAlone = !(await isOperatorAtWork(tools, options.leaseNamespace));
  if (isAlone) {
    const lease = `${options.leaseNamespace}/${leaseName}`;
    io.warn(`no operator holds the lease ${lease}: finalizers are removed here`);
  }
  let left = await customObjects(client, options.namespace);
  while (left.length > 0) {
    const isPatient = !isAlone && clock.now() - startMs < patienceMs;
    if (!isPatient) for (const each of left) await release(tools, each);
    await pause(tools, options, { startMs, left });
    left = await customObjects(client, options.namespace);
    // An operator may have created a part again before it saw that its owner is gone.
    for (const each of topOf(left)) await remove(client, each);
  }
}

const namespacesOf = (found: readonly Found[]): readonly string[] => [
  ...new Set(found.flatMap(({ object }) => object.metadata.namespace ?? [])),
];

/** Their owners are gone, so nobody else will delete what is not terminating by now. */
async function untilPartsGone(
  tools: UninstallTools,
  options: UninstallOptions,
  namespaces: readonly string[],
): Promise<void> {
  const { client, clock } = tools;
  const startMs = clock.now();
  for (const namespace of namespaces) {
    const behind = (): Promise<Found[]> =>
      partsLeftBehind(client, namespace, { ownGroups, owners: [] });
    for (let left = await behind(); left.length > 0; left = await behind()) {
      await pause(tools, options, { startMs, left });
      for (const part of left.filter(({ object }) => !isTerminating(object)))
        await remove(client, part);
    }
  }
}

/** Removes our own finalizers from what is terminating; the garbage collector then deletes what it owned. */
async function release({ client, io }: UninstallTools, found: Found): Promise<void> {
  const { resource, object } = found;
  const { namespace, name = "", resourceVersion, finalizers = [] } = object.metadata;
  const kept = finalizers.filter((finalizer) => !isOwnFinalizer(finalizer, resource.group));
  if (!isTerminating(object) || kept.length === finalizers.length) return;
  const body = { metadata: { resourceVersion, finalizers: kept } };
  await orMissing(client.patch(resource, { namespace, name }, { type: "merge", body }));
  io.print(`removed the finalizer of ${nameOf(found)}`);
}

interface Waiting {
  readonly startMs: number;
  readonly left: readonly Found[];
}

async function pause(
  { clock, io }: UninstallTools,
  { timeout }: UninstallOptions,
  { startMs, left }: Waiting,
): Promise<void> {
  await sleep(clock, lookEveryMs, io.stopping);
  if (!io.stopping.aborted && clock.now() - startMs < timeout * 1000) return;
  const [first] = left;
  const foreign = left.flatMap(({ resource, object }) =>
    (object.metadata.finalizers ?? []).filter((each) => !isOwnFinalizer(each, resource.group)),
  );
  const why =
    foreign.length === 0
      ? ""
      : `, held by finalizers of others: ${[...new Set(foreign)].join(", ")}`;
  throw new UserError({
    problem: `still there after ${timeout} s: ${first && nameOf(first)}${others(left.length - 1)}${why}`,
    fix: "find out what holds them (kubectl get -o yaml shows finalizers), then run this command again",
  });
}

const others = (count: number): string => (count === 0 ? "" : ` and ${count} more`);

async function untilDefinitionsGone(
  tools: UninstallTools,
  options: UninstallOptions,
  definitions: readonly KubeObject[],
): Promise<void> {
  if (definitions.length === 0) return;
  const resource = customResourceDefinitionResource;
  const startMs = tools.clock.now();
  let left = await existingDefinitions(tools.client);
  while (left.length > 0) {
    await pause(tools, options, { startMs, left: left.map((object) => ({ resource, object })) });
    left = await existingDefinitions(tools.client);
  }
}

/** Whoever only looks waits longer: a finalizer that is removed here a moment too early harms nobody. */
const lessPatientMs = 30_000;

/** Somebody holds the lease and renewed it lately. */
async function isOperatorAtWork(
  { client, clock }: UninstallTools,
  namespace: string,
): Promise<boolean> {
  const lease = await orMissing(client.get<Lease>(leaseResource, { namespace, name: leaseName }));
  if (lease === undefined) return false;
  return absentOperator(lease, clock.now() + lessPatientMs) === undefined;
}

async function orMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
