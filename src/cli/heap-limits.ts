/** Keeps the heap of a process small that runs for months and works in bursts. */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Two halves of which one is in use: V8 would grow them to 16 MB each. */
const youngGenerationBytes = 2 * 4 * 1024 * 1024;

/** What V8 starts with, and shrinks to. */
const restingBytes = 2 * 1024 * 1024;

/** How much may be allocated beyond what is in use before it is collected; V8 would take up to 300 percent. */
const growthPercent = 100;

/** A process that has not collected anything for this long is at rest. */
const restMs = 2_000;

/** V8 reads these settings at every collection, so that they need no flags on the command line. */
export function limitHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  let collections = 0;
  const observer = new PerformanceObserver((entries) => {
    collections += entries.getEntries().length;
    const mayGrow = youngGenerationSize() < youngGenerationBytes;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ["gc"] });
  const collectYoung = minorCollection();
  let before = collections;
  setInterval(() => {
    // V8 shrinks the young generation while little is allocated, but only in a collection, and none comes at rest.
    if (collections === before && youngGenerationSize() > restingBytes) collectYoung();
    before = collections;
  }, restMs).unref();
}

function youngGenerationSize(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return space?.space_size ?? 0;
}

/** Takes less than a millisecond where nothing was allocated. */
function minorCollection(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { readonly type: "minor" }) => void;
  setFlagsFromString("--no-expose-gc");
  return () => collect({ type: "minor" });
}
