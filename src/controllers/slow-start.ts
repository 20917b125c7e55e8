/** Runs many writes at once, but not before a few have shown that they work. */

const largestBatch = 64;

/** For writes that are known to work, or whose failure harms nobody. */
export const allAtOnce = largestBatch;

/**
 * Batches of 1, 2, 4, ... tasks in parallel. A batch with an error ends the run: what a quota or a bad template refuses
 * once, it would refuse a thousand times. What has worked before may begin with more. Rejects with the first error
 * after its batch is over.
 */
export async function slowStart(
  tasks: readonly (() => Promise<unknown>)[],
  firstBatch = 1,
  largest = largestBatch,
): Promise<void> {
  let batch = Math.min(firstBatch, largest);
  for (let done = 0; done < tasks.length; done += batch, batch = Math.min(batch * 2, largest)) {
    const running = tasks.slice(done, done + batch).map((task) => task());
    const results = await Promise.allSettled(running);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}
