/**
 * Measures simulations: `npx tsx bench/sim.ts [pods]`. Small rollouts with faults on all cores, and one large
 * rollout of a StatefulSet without faults, at half the size and at the whole: with kubelets that report what three of
 * four runs have, readiness and what is wrong, and once with everything that real ones report.
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { StatefulSet } from "../src/api/apps.ts";
import { statefulSetResource } from "../src/api/apps.ts";
import { Complaints } from "../src/simulation/complaints.ts";
import { scenarioIn } from "../src/simulation/scenario.ts";
import { statefulSetScenarioKind } from "../src/simulation/scenario-kinds.ts";
import { simulatedWorld } from "../src/simulation/world.ts";

const kinds = ["podcliqueset", "statefulset", "rolebasedgroup", "placement"] as const;
const runsOf: Record<string, number> = { podcliqueset: 60, rolebasedgroup: 80 };
const defaultRuns = 300;
const targets = { perMinute: 5_000, largeSeconds: 10, growth: 2.2 };
const podsPerNode = 100;

interface Summary {
  readonly rollouts: number;
  readonly seconds: number;
  readonly failures: readonly unknown[];
}

async function small(kind: string): Promise<number> {
  const program = join(import.meta.dirname, "..", "bin", "lockstep.mjs");
  const jobs = String(availableParallelism());
  const runs = String(runsOf[kind] ?? defaultRuns);
  const words = [
    "sim",
    "--kind",
    kind,
    "--seed",
    "1",
    "--runs",
    runs,
    "--jobs",
    jobs,
    "--keep-going",
  ];
  const child = spawn(process.execPath, [program, ...words, "--no-shrink", "-o", "json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const parts: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => parts.push(text));
  await new Promise((resolve) => child.on("close", resolve));
  const { rollouts, seconds, failures } = JSON.parse(parts.join("")) as Summary;
  const perMinute = (rollouts * 60) / seconds;
  console.log(
    `${kind}: ${perMinute.toFixed(0)} rollouts per minute (${rollouts} in ${seconds} s), ` +
      `${failures.length} failed`,
  );
  return perMinute;
}

const setOf = (replicas: number): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    serviceName: "web",
    podManagementPolicy: "Parallel",
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "app", image: "web:v1" }] },
    },
  },
});

async function large(pods: number, isTerse: boolean): Promise<number> {
  const complaints = new Complaints();
  const world = await simulatedWorld({
    seed: 1,
    nodes: Math.ceil(pods / podsPerNode),
    onProblem: (problem) => complaints.problem(problem, false),
    isTerse,
  });
  const { client, clock } = world;
  const startMs = performance.now();
  await scenarioIn(world, {
    kinds: [statefulSetScenarioKind("full")],
    complaints,
    objects: [setOf(pods)],
  });
  const key = { namespace: "default", name: "web" };
  const settled = async (): Promise<void> => {
    for (;;) {
      await clock.runFor(5_000);
      const { metadata, status } = await client.get<StatefulSet>(statefulSetResource, key);
      const isSeen = status?.observedGeneration === metadata.generation;
      if (isSeen && status?.updatedReplicas === pods && status.readyReplicas === pods) return;
    }
  };
  await settled();
  const createdMs = performance.now();
  const containers = [{ name: "app", image: "web:v2" }];
  const body = { spec: { template: { spec: { containers } } } };
  await client.patch(statefulSetResource, key, { type: "merge", body });
  await settled();
  const seconds = (performance.now() - createdMs) / 1000;
  const megabytes = process.memoryUsage().rss / 1024 ** 2;
  console.log(
    `${pods} pods${isTerse ? "" : ", everything reported"}: ` +
      `created in ${((createdMs - startMs) / 1000).toFixed(1)} s, rolled in ${seconds.toFixed(1)} s, ` +
      `${megabytes.toFixed(0)} MB resident, ${complaints.unanswered().length} complaints`,
  );
  await world.stop();
  return seconds;
}

const pods = Number(process.argv[2] ?? 10_000);
const rates: number[] = [];
for (const kind of kinds) rates.push(await small(kind));
const mean = rates.length / rates.reduce((sum, rate) => sum + 1 / rate, 0);
console.log(
  `all kinds alike: ${mean.toFixed(0)} rollouts per minute (target ${targets.perMinute})`,
);
const half = await large(pods / 2, true);
const whole = await large(pods, true);
console.log(
  `${pods} pods in ${whole.toFixed(1)} s (target ${targets.largeSeconds}), ` +
    `growth ${(whole / half).toFixed(2)} when doubled (target ${targets.growth})`,
);
await large(pods, false);
