/** On a real API server nothing hangs if the operator stopped first, and definitions or a namespace went after it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { uninstall } from "../../src/cli/uninstall-steps.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import type { RealCluster } from "./real-cluster.ts";
import { startRealCluster, until } from "./real-cluster.ts";

const namespace = "team";
const clock = systemClock();
let cluster: RealCluster;

beforeAll(async () => {
  cluster = await startRealCluster();
});
afterAll(() => cluster.stop());

const pods = async (): Promise<Pod[]> =>
  (await cluster.client.list<Pod>(podResource, { namespace })).items;

const definitions = async (): Promise<string[]> =>
  (await cluster.client.list(customResourceDefinitionResource)).items.map(
    ({ metadata }) => metadata.name ?? "",
  );

/** A set whose cliques have a finalizer, and no operator any more. */
async function leftByItsOperator(): Promise<void> {
  const { client, kubectl } = cluster;
  await installDefinitions(client);
  await kubectl.output(["create", "namespace", namespace]);
  const kinds = chooseKinds("podcliqueset,podcliquescalinggroup,podclique,podgang");
  const onProblem = (): void => undefined;
  const controllers = await startKinds(kinds, { client, clock, onProblem });
  const strategy = { type: "ReplicaRecreate" };
  const set = podCliqueSetOf({ replicas: 2, strategy, cliques: { front: { replicas: 2 } } });
  await client.create(podCliqueSetResource, {
    ...set,
    metadata: { ...set.metadata, namespace },
  });
  await until("four pods are ready", async () => (await pods()).filter(isReady).length === 4);
  for (const controller of controllers) await controller.stop();
}

async function run(options: object): Promise<string[]> {
  const lines: string[] = [];
  const print = (line: string): number => lines.push(line);
  const io = { print, warn: print, stopping: new AbortController().signal, environment: {} };
  const all = { yes: true, leaseNamespace: "lockstep-system", timeout: 30, ...options };
  await uninstall({ client: cluster.client, clock, io }, all);
  return lines;
}

const namespaceIsGone = async (): Promise<boolean> =>
  (await cluster.kubectl.run(["get", "namespace", namespace])).code !== 0;

test("the definitions were deleted first: the rest is removed, and the namespace is empty", async () => {
  await leftByItsOperator();
  const { kubectl } = cluster;
  await kubectl.output(["apply", "-f", "deploy/defaults.yaml"]);
  await kubectl.output(["delete", "-f", "deploy/crds", "--wait=false", "--ignore-not-found"]);
  const why = [
    "get",
    "crd",
    "podcliques.grove.io",
    "-o",
    "jsonpath={.status.conditions[*].reason}",
  ];
  await until("the definition waits for its objects", async () =>
    (await kubectl.output(why)).includes("InstanceDeletionInProgress"),
  );

  const lines = await run({});
  expect(lines).toContain("removed the finalizer of podclique team/chat-0-front");
  expect(lines).toContain("delete mutatingadmissionpolicy/podcliqueset-defaults.lockstep.dev");
  expect((await definitions()).filter((name) => name.endsWith("grove.io"))).toEqual([]);
  const policies = [
    "get",
    "mutatingadmissionpolicies,mutatingadmissionpolicybindings",
    "-o",
    "name",
  ];
  expect(await kubectl.output(policies)).toBe("");
  expect(await pods()).toEqual([]);
  const parts = ["get", "services,controllerrevisions", "-n", namespace, "-o", "name"];
  expect(await kubectl.output(parts)).toBe("");
  await kubectl.output(["delete", "namespace", namespace, "--timeout=30s"]);
});

test("the namespace was deleted first: it ends, and the definitions are kept", async () => {
  await leftByItsOperator();
  const { kubectl } = cluster;
  await kubectl.output(["delete", "namespace", namespace, "--wait=false"]);
  const why = ["get", "namespace", namespace, "-o", "jsonpath={.status.conditions[*].message}"];
  await until("the namespace names the finalizer", async () =>
    (await kubectl.output(why)).includes("grove.io/podclique.grove.io in 2 resource instances"),
  );

  const lines = await run({ namespace });
  expect(lines.at(-1)).toBe("done: namespace team has no object of Lockstep's kinds");
  await until("the namespace is gone", namespaceIsGone);
  expect(await definitions()).toContain("podcliques.grove.io");
});
