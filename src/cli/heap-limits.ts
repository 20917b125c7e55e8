/** Keeps the heap of a process small that runs for months and works in bursts. */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Two halves of which one is in use: V8 would grow them to 16 MB each. */
const youngGenerationBytes = 2 * 4 * 1024 * 1024;

/** How much may be allocated beyond what is in use before it is collected; V8 would take up to 300 percent. */
const growthPercent = 40;

/** The young generation that V8 starts with, and shrinks to. */
const restingYoungBytes = 2 * 1024 * 1024;

/** By how much the old generation grows before it is worth a whole collection at rest. */
const grownBytes = 2 * 1024 * 1024;

/** V8 reads these settings at every collection, so that they need no flags on the command line. */
export function limitHeap({ restMs = 2_000 } = {}): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  setFlagsFromString("--semi-space-growth-factor=1");
  let collections = 0;
  const observer = new PerformanceObserver((entries) => {
    collections += entries.getEntries().length;
    // It doubles at a collection, and more than once where this is called late.
    const mayGrow = spaceSize("new_space") * 2 <= youngGenerationBytes;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ["gc"] });
  const collect = collector();
  let before = collections;
  let restingBytes = spaceSize("old_space");
  setInterval(() => {
    const isAtRest = collections === before;
    before = collections;
    if (!isAtRest) return;
    // V8 gives memory back in a collection, and none comes to a process that has nothing to do.
    if (spaceSize("new_space") > restingYoungBytes) collect({ type: "minor" });
    if (spaceSize("old_space") <= restingBytes + grownBytes) return;
    collect();
    restingBytes = spaceSize("old_space");
  }, restMs).unref();
}

function spaceSize(name: string): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === name)?.space_size ?? 0;
}

type Collect = (options?: { readonly type: "minor" }) => void;

/** The young generation takes less than a millisecond, all of it some tens where a few thousand pods are known. */
function collector(): Collect {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect;
  setFlagsFromString("--no-expose-gc");
  return collect;
}
