/** Runs many writes at once, but not before a few have shown that they work. */

const mostAtOnce = 64;

/** For writes that are known to work, or whose failure does no harm. */
export const allAtOnce = mostAtOnce;

type Task = () => Promise<unknown>;

/**
 * Batches of 1, 2, 4, ... tasks in parallel, then as many as may run at once, each end making room for the next. After
 * an error nothing starts any more: what a quota or a bad template refuses once, it would refuse a thousand times. What
 * has worked before may begin with more. Rejects with the first error, after everything that runs is over.
 */
export async function slowStart(
  tasks: readonly Task[],
  firstBatch = 1,
  largest = mostAtOnce,
): Promise<void> {
  let done = 0;
  let batch = firstBatch;
  for (; batch < largest && done < tasks.length; done += batch, batch *= 2) {
    await atOnce(tasks.slice(done, done + batch), batch);
  }
  await atOnce(tasks.slice(done), largest);
}

async function atOnce(tasks: readonly Task[], most: number): Promise<void> {
  let failed: { readonly reason: unknown } | undefined;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) {
      try {
        await task();
      } catch (reason) {
        failed ??= { reason };
      }
      if (failed !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, tasks.length) }, work));
  if (failed !== undefined) throw failed.reason;
}
