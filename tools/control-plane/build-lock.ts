/** Lets one process build at a time, so that two runs on one machine do not do the same work twice. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const lookAgainMs = 1000;

/** Runs `task` while holding the lock file; waits for a living holder, takes over from a dead one. */
export async function withBuildLock<T>(
  file: string,
  onWait: (holder: number) => void,
  task: () => Promise<T>,
): Promise<T> {
  for (let waited = false; !claim(file); waited = true) {
    const holder = holderOf(file);
    if (!isRunning(holder)) {
      // Should two waiters both remove a dead lock, both build: slower, yet harmless, since
      // every build has its own cache and puts its binaries in place by rename.
      rmSync(file, { force: true });
      continue;
    }
    if (!waited) onWait(holder);
    await delay(lookAgainMs);
  }
  try {
    return await task();
  } finally {
    rmSync(file, { force: true });
  }
}

function claim(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, "utf8"), 10);
  } catch {
    return Number.NaN;
  }
}

export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
