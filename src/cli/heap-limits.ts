/** Keeps the heap of a process small that runs for months and works in bursts. */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Two halves of which one is in use: V8 would grow them to 16 MB each for good. */
const youngGenerationBytes = 2 * 4 * 1024 * 1024;

/** How much may be allocated beyond what is in use before it is collected; V8 would take up to 300 percent. */
const growthPercent = 100;

/** V8 reads these settings at every collection, so that they need no flags on the command line. */
export function limitHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // V8 shrinks the young generation by itself while little is allocated, so it must be able to grow again.
  const observer = new PerformanceObserver(() => {
    const mayGrow = youngGenerationSize() < youngGenerationBytes;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ["gc"] });
}

function youngGenerationSize(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return space?.space_size ?? 0;
}
