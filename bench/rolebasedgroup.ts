/**
 * An image change of both roles of a RoleBasedGroup, maxUnavailable 10%, on a real API server with scheduler and kwok.
 * Run: `npx tsx bench/rolebasedgroup.ts [--kubernetes] [prefill/decode@maxSkew ...]`, for example `40/20@10%`. With
 * `--kubernetes` its own StatefulSet controller makes the pods instead of Lockstep's.
 */
import type { GroupRun } from "./rolebasedgroup-rollout.ts";
import { measureGroup } from "./rolebasedgroup-rollout.ts";
import { benchPlane } from "./statefulset-rollout.ts";

const args = process.argv.slice(2);
const sets = args.includes("--kubernetes") ? "kubernetes" : "lockstep";
const given = args.filter((arg) => arg !== "--kubernetes");
const wanted = given.length === 0 ? ["40/20@10%", "40/20@1%", "200/100@10%", "200/100@1%"] : given;

const runs = wanted.map((text): GroupRun => {
  const [, prefill, decode, maxSkew] = /^(\d+)\/(\d+)@(\d+%)$/.exec(text) ?? [];
  if (prefill === undefined || decode === undefined || maxSkew === undefined) {
    console.error(`"${text}" is no run: write prefill/decode@maxSkew, for example 40/20@10%`);
    process.exit(2);
  }
  return { prefill: Number(prefill), decode: Number(decode), maxSkew, sets };
});

const plane = await benchPlane();
try {
  // Ten rounds of the budget, each as long as a pod needs to go and come back.
  console.log("no controller can be faster than about 15.5 s at a maxSkew of 10% and more");
  for (const [index, run] of runs.entries()) {
    const measured = await measureGroup(plane, run);
    const { wallSeconds, writesPerPod, podsCreatedPerPod, widestSkew, cpuSeconds } = measured;
    console.log(
      `${wanted[index]} (${sets}): ${wallSeconds.toFixed(1)} s, ${writesPerPod.toFixed(2)} writes per pod, ` +
        `${podsCreatedPerPod.toFixed(2)} pods created per pod, skew seen ${widestSkew.toFixed(1)}%, ` +
        `${cpuSeconds.toFixed(1)} s of CPU`,
    );
    console.log(JSON.stringify(measured.writes));
  }
} finally {
  await plane.stop();
}
