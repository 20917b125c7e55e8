/** A real control plane with kwok nodes, and Lockstep's controllers on it when a test asks for them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ControllerRevision, StatefulSet } from "../../src/api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../src/api/apps.ts";
import { nodeResource } from "../../src/api/node.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import { roleObjects } from "../../src/cli/roles.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import type { ClusterAccess } from "../../src/kube/access.ts";
import { clusterAccess } from "../../src/kube/access.ts";
import { fixedHeader } from "../../src/kube/credentials.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import type { Client } from "../../src/runtime/client.ts";
import { pacedTransport } from "../../src/runtime/paced-transport.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { fakeNode, startControlPlane } from "../control-plane/control-plane.ts";
import type { PodLife } from "../control-plane/kwok-stages.ts";
import { findKubectl, kubectl } from "../kubectl/kubectl.ts";

export const namespace = "default";

interface OperatorAccess {
  readonly mode?: "full" | "assist";
  readonly namespaces?: readonly string[];
}

/** Kubernetes' own StatefulSet controller is off, and so are those that a test starts itself. */
export async function startRealCluster({
  without = [],
  kwok = { startDelayMs: 200, stopDelayMs: 100 },
}: {
  readonly without?: readonly string[];
  readonly kwok?: PodLife;
} = {}) {
  const off = ["statefulset-controller", ...without].map((name) => `-${name}`);
  const plane = await startControlPlane({
    controllerManager: { controllers: ["*", ...off] },
    scheduler: true,
    kwok,
    qps: 500,
  });
  const access = clusterAccess(loadKubeconfig([plane.kubeconfig], true));
  const transport = httpTransport(access, { userAgent: "lockstep-test" });
  // As commands connect.
  const paced = pacedTransport(transport, { clock: systemClock(), random: Math.random });
  const client = restClient(paced);
  for (const name of ["node-a", "node-b"])
    await client.create(nodeResource, fakeNode(name) as never);
  const binary = findKubectl();
  if (binary === undefined) throw new Error("there is no kubectl: run npm run test:k8s");
  const options = { binary, kubeconfig: plane.kubeconfig, namespace, home: plane.folder };
  const tools = kubectl(options);
  /** May do exactly what `lockstep rbac` prints for these flags, no more. */
  const operatorAccess = async ({
    mode = "full",
    namespaces = [],
  }: OperatorAccess = {}): Promise<ClusterAccess> => {
    const manifest = join(import.meta.dirname, "../../deploy/operator.yaml");
    const inside = ["--namespace", "lockstep-system"];
    await tools.output(["apply", "-f", manifest, ...inside]);
    const objects = roleObjects({
      kinds,
      modes: { statefulset: mode },
      namespaces,
      operatorNamespace: "lockstep-system",
    });
    const file = join(plane.folder, "role.json");
    for (const object of objects) {
      writeFileSync(file, JSON.stringify(object));
      const place = object.metadata.namespace ?? "lockstep-system";
      await tools.output(["apply", "-f", file, "--namespace", place]);
    }
    const token = (await tools.output(["create", "token", "lockstep", ...inside])).trim();
    return { ...access, credentials: fixedHeader(`Bearer ${token}`) };
  };
  const operatorClient = async (options?: OperatorAccess): Promise<Client> =>
    restClient(httpTransport(await operatorAccess(options), { userAgent: "lockstep" }));
  return {
    plane,
    client,
    kubectl: tools,
    operatorAccess,
    operatorClient,
    /** Returns how to stop it. */
    startLockstep: async (
      mode: "full" | "assist",
      onProblem: (problem: unknown) => void = () => undefined,
    ): Promise<() => Promise<void>> => {
      const controller = statefulSetController({
        client: await operatorClient({ mode }),
        clock: systemClock(),
        mode,
        onProblem,
        observer: { reconciled: (_key, { error }) => error !== undefined && onProblem(error) },
      });
      await controller.start();
      return () => controller.stop();
    },
    set: (name: string) => client.get<StatefulSet>(statefulSetResource, { namespace, name }),
    pods: async (app: string): Promise<Pod[]> =>
      (await client.list<Pod>(podResource, { namespace, labelSelector: `app=${app}` })).items,
    revisions: async (app: string): Promise<ControllerRevision[]> => {
      const selection = { namespace, labelSelector: `app=${app}` };
      return (await client.list<ControllerRevision>(controllerRevisionResource, selection)).items;
    },
    async stop() {
      transport.close();
      await plane.stop();
    },
  };
}

export type RealCluster = Awaited<ReturnType<typeof startRealCluster>>;

/** Repeats the check until it passes: a real cluster takes its own time. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  deadlineMs = 30_000,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`${what}: not after ${deadlineMs / 1000} s`);
    await delay(50);
  }
}

/** Follows the pods of one set and records the fewest that served at the same time. */
export function guardPods({ client }: RealCluster, app: string, pods: readonly Pod[]) {
  const serving = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  const stopping = new AbortController();
  const seen = { fewest: count() };
  const version = pods
    .map(({ metadata }) => Number(metadata.resourceVersion))
    .toSorted((a, b) => a - b);
  const options = {
    namespace,
    labelSelector: `app=${app}`,
    resourceVersion: String(version.at(-1) ?? 0),
    signal: stopping.signal,
  };
  void client.watch<Pod>(podResource, options, (event) => {
    if (event.type === "ERROR" || event.type === "BOOKMARK") return;
    if (event.type === "DELETED") serving.delete(event.object.metadata.name);
    else serving.set(event.object.metadata.name, event.object);
    seen.fewest = Math.min(seen.fewest, count());
  });
  function count(): number {
    return [...serving.values()].filter(
      (pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined,
    ).length;
  }
  return { seen, stop: () => stopping.abort() };
}
