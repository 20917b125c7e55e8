/**
 * A StatefulSet rollout (Parallel, maxUnavailable 10%) under Lockstep and under kube-controller-manager, one after
 * the other on the same real API server, scheduler and kwok. Run: `npx tsx bench/statefulset.ts [pods ...]`; with
 * `500 5000` it ends with the memory of both at both sizes. With `--as-it-comes` kube-controller-manager keeps its own
 * client limits instead of raised ones.
 */
import type { Measured } from "./statefulset-rollout.ts";
import {
  benchPlane,
  lockstep,
  measureRollout,
  upstream,
  upstreamAsItComes,
} from "./statefulset-rollout.ts";

const args = process.argv.slice(2);
const other = args.includes("--as-it-comes") ? upstreamAsItComes : upstream;
const sizes = args.filter((arg) => arg !== "--as-it-comes").map(Number);
if (sizes.some((size) => !Number.isInteger(size) || size < 1)) {
  console.error(
    "usage: npx tsx bench/statefulset.ts [--as-it-comes] [pods ...]   (default: 100 500)",
  );
  process.exit(2);
}

const rows: readonly [string, (measured: Measured, pods: number) => number][] = [
  ["wall time, s", ({ wallSeconds }) => wallSeconds],
  ["API writes per replaced pod", ({ writesPerPod }) => writesPerPod],
  ["CPU per replaced pod, ms", ({ cpuSeconds }, pods) => (cpuSeconds * 1000) / pods],
  ["memory before the set, MB", ({ idleMegabytes }) => idleMegabytes],
  ["memory afterwards, MB", ({ residentMegabytes }) => residentMegabytes],
  ["memory at rest, MB", ({ restMegabytes }) => restMegabytes],
  ["memory at its peak, MB", ({ peakMegabytes }) => peakMegabytes],
];

function print(pods: number, theirs: Measured, ours: Measured): void {
  // Ten rounds of the budget, each as long as a pod needs to go and come back.
  console.log(`\n${pods} pods; no controller can be faster than about 15.5 s`);
  console.log(
    `${"".padEnd(30)}${"upstream".padStart(10)}${"lockstep".padStart(10)}${"ratio".padStart(8)}`,
  );
  for (const [title, value] of rows) {
    const [a, b] = [value(theirs, pods), value(ours, pods)];
    const cells = [
      a.toFixed(2).padStart(10),
      b.toFixed(2).padStart(10),
      (b / a).toFixed(2).padStart(8),
    ];
    console.log(title.padEnd(30) + cells.join(""));
  }
  console.log(`upstream writes: ${JSON.stringify(theirs.writes)}`);
  console.log(`lockstep writes: ${JSON.stringify(ours.writes)}`);
}

/** What grows with the number of pods, all sizes side by side. */
function printMemory(runs: readonly Run[]): void {
  console.log("\nresident memory after the rollout, MB");
  for (const { pods, theirs, ours } of runs) {
    const cells = [theirs, ours].map((each) => each.residentMegabytes.toFixed(0).padStart(10));
    console.log(`${pods} pods`.padEnd(30) + cells.join(""));
  }
}

interface Run {
  readonly pods: number;
  readonly theirs: Measured;
  readonly ours: Measured;
}

const plane = await benchPlane();
try {
  const runs: Run[] = [];
  for (const pods of sizes.length === 0 ? [100, 500] : sizes) {
    const theirs = await measureRollout(plane, other, pods);
    const ours = await measureRollout(plane, lockstep, pods);
    print(pods, theirs, ours);
    runs.push({ pods, theirs, ours });
  }
  printMemory(runs);
} finally {
  await plane.stop();
}
