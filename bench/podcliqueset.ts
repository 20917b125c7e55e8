/**
 * PodCliqueSets under Lockstep on a real API server, scheduler and kwok: one of many replicas with two pods each is
 * created and deleted, a smaller one is rolled by each strategy. Where many pods come at once, as many bare ones are
 * made by a plain client in the same run: what the machine needs for them, whoever makes them.
 * Run: `npx tsx bench/podcliqueset.ts [--without-endpoints] [created [rolled]]`.
 */
import { parseArgs } from "node:util";
import { measureCliqueSets } from "./podcliqueset-rollout.ts";

const { values, positionals } = parseArgs({
  options: { "without-endpoints": { type: "boolean", default: false } },
  allowPositionals: true,
});
const [created = 500, rolled = 20] = positionals.map(Number);
if ([created, rolled].some((size) => !Number.isInteger(size) || size < 1)) {
  const usage = "usage: npx tsx bench/podcliqueset.ts [--without-endpoints] [created [rolled]]";
  console.error(`${usage}   (default: 500 20)`);
  process.exit(2);
}

const titles = "pods|wall s|limit s|ratio|bare s|ratio|writes/pod|ms CPU/pod|RSS MB".split("|");
/** Bare pods were only measured where many come at once. */
const ratioTo = (wall: number, bare: number | undefined): string[] =>
  bare === undefined ? ["", ""] : [bare.toFixed(2), (wall / bare).toFixed(2)];
const line = (work: string, cells: readonly string[]): string =>
  work.padEnd(36) + cells.map((cell) => ` ${cell.padStart(10)}`).join("");

const all = await measureCliqueSets({
  created,
  rolled,
  withoutEndpoints: values["without-endpoints"],
});
console.log(line("", titles));
for (const { work, pods, wallSeconds, limitSeconds, bareSeconds, ...rest } of all) {
  const writes = Object.values(rest.writes).reduce((sum, count) => sum + count, 0);
  const perPod = [writes / pods, (rest.cpuSeconds * 1000) / pods, rest.residentMegabytes];
  console.log(
    line(work, [
      String(pods),
      ...[wallSeconds, limitSeconds, wallSeconds / limitSeconds].map((each) => each.toFixed(2)),
      ...ratioTo(wallSeconds, bareSeconds),
      ...perPod.map((each) => each.toFixed(2)),
    ]),
  );
}
for (const { work, writes } of all) console.log(`${work}: ${JSON.stringify(writes)}`);
