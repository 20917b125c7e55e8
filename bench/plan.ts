/**
 * How long `lockstep plan` takes: an image change of a running workload, from the copied objects to the finished plan.
 * Run: `npx tsx bench/plan.ts [pods ...]`; wanted are 1,000 pods in under 3 s and 10,000 in under 30 s.
 */
import { statefulSetResource } from "../src/api/apps.ts";
import { podCliqueSetResource } from "../src/api/grove/podcliqueset.ts";
import type { KubeObject } from "../src/api/object.ts";
import type { Resource } from "../src/api/resource.ts";
import { definitionsOf, installDefinitions } from "../src/cli/definitions.ts";
import { kinds } from "../src/controllers/kinds.ts";
import { nothingCounted } from "../src/preview/components.ts";
import { edited } from "../src/preview/edit.ts";
import type { ForkOptions } from "../src/preview/fork.ts";
import { forkCluster, settled } from "../src/preview/fork.ts";
import type { Loaded } from "../src/preview/load.ts";
import { kindsAround, loadCluster } from "../src/preview/load.ts";
import type { Workload } from "../src/preview/play.ts";
import { play } from "../src/preview/play.ts";
import { PodFollower } from "../src/preview/pod-follower.ts";
import { preview } from "../src/preview/preview.ts";
import { defaultCatalogue } from "../src/sim/images/catalogue.ts";

const [sizes, wanted] = argumentsOf(process.argv.slice(2));

function argumentsOf(args: readonly string[]): readonly [readonly number[], readonly string[]] {
  const numbers = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
  return [numbers.length === 0 ? [1_000] : numbers, args.filter((arg) => !/^\d+$/.test(arg))];
}

const metadata = { name: "chat", namespace: "default" };
const container = {
  name: "server",
  image: "registry.example/server:v1",
  resources: { requests: { cpu: "100m" } },
};
const podSpec = { containers: [container] };

interface Case {
  readonly resource: Resource;
  readonly object: (pods: number) => KubeObject;
}

const statefulSet = (maxUnavailable: number | string) => (pods: number) => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata,
  spec: {
    replicas: pods,
    serviceName: "chat",
    podManagementPolicy: "Parallel",
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable } },
    selector: { matchLabels: { app: "chat" } },
    template: { metadata: { labels: { app: "chat" } }, spec: podSpec },
  },
});

/** Replicas of ten pods: a frontend of two, and two group replicas of a leader and three workers. */
const podCliqueSet = (strategy: object) => (pods: number) => ({
  apiVersion: "grove.io/v1alpha1",
  kind: "PodCliqueSet",
  metadata,
  spec: {
    replicas: Math.ceil(pods / 10),
    updateStrategy: strategy,
    template: {
      cliques: [
        { name: "frontend", spec: { roleName: "frontend", replicas: 2, podSpec } },
        { name: "leader", spec: { roleName: "leader", replicas: 1, podSpec } },
        { name: "worker", spec: { roleName: "worker", replicas: 3, podSpec } },
      ],
      podCliqueScalingGroups: [{ name: "decode", cliqueNames: ["leader", "worker"], replicas: 2 }],
    },
  },
});

const cases: Readonly<Record<string, Case>> = {
  "StatefulSet, 10% down": { resource: statefulSetResource, object: statefulSet("10%") },
  "StatefulSet, 1 down": { resource: statefulSetResource, object: statefulSet(1) },
  "PodCliqueSet, RollingUpdate": {
    resource: podCliqueSetResource,
    object: podCliqueSet({ type: "RollingUpdate" }),
  },
  "PodCliqueSet, ReplicaRecreate 10%": {
    resource: podCliqueSetResource,
    object: podCliqueSet({ type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: "10%" } }),
  },
};

const surroundings = (pods: number): Omit<ForkOptions, "kinds"> => ({
  installDefinitions: (client, wanted) => installDefinitions(client, definitionsOf(wanted)),
  startMs: Date.parse("2026-01-01T00:00:00Z"),
  copied: [],
  nodes: Math.ceil(pods / 90) + 1,
  catalogue: defaultCatalogue(),
});

/** The workload at rest, as it would be read from a cluster. */
async function atRest(workload: Workload, object: KubeObject, pods: number): Promise<Loaded> {
  const around = kindsAround(kinds, workload);
  const fork = await forkCluster({ ...surroundings(pods), kinds: around });
  await settled(fork.clock, fork.client.create(workload.resource, object));
  await play(fork, { workload, follower: new PodFollower(nothingCounted) });
  const loaded = await settled(fork.clock, loadCluster(fork.client, around, workload));
  await fork.stop();
  return loaded;
}

for (const [title, { resource, object }] of Object.entries(cases)) {
  if (wanted.length > 0 && !wanted.some((word) => title.includes(word))) continue;
  for (const pods of sizes) {
    const workload = { resource, key: metadata };
    const loaded = await atRest(workload, object(pods), pods);
    const [startMs, cpu] = [performance.now(), process.cpuUsage()];
    const { plan } = await preview({
      ...surroundings(pods),
      ...loaded,
      kinds: kindsAround(kinds, workload),
      workload,
      change: (current) =>
        edited(current ?? object(pods), {
          images: ["server=registry.example/server:v2"],
          fields: [],
        }),
      durations: "",
    });
    const wall = (performance.now() - startMs) / 1000;
    const used = process.cpuUsage(cpu);
    const cpuSeconds = (used.user + used.system) / 1e6;
    const { verdict, durationSeconds, steps } = plan;
    console.log(
      `${title.padEnd(34)} ${String(pods).padStart(6)} pods ${wall.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s;` +
        ` ${verdict} in ${durationSeconds} s, ${steps.length} steps, ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
    );
  }
}
