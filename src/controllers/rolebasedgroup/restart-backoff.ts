/** How long a pod, or a group, that restarts again and again waits to be replaced. Pure. */
import type { RestartRecord } from "../../api/rbg/rolebasedgroup.ts";
import { parseTime, timeText } from "../../api/time-text.ts";

const baseDelayMs = 30_000;
const longestDelayMs = 600_000;
/** Without a restart for so long, the next one is the first again. */
const forgottenAfterMs = Math.max(2 * longestDelayMs, 600_000);

export interface Restart {
  /** Of the pod, or of the group. */
  readonly name: string;
  /** Of the pod that restarted. */
  readonly uid: string;
}

const lastMs = ({ lastTime }: RestartRecord): number => parseTime(lastTime) ?? 0;

export const recentRecords = (
  records: readonly RestartRecord[] = [],
  nowMs: number,
): readonly RestartRecord[] =>
  records.filter((record) => nowMs - lastMs(record) < forgottenAfterMs);

/** It was announced and its deletes are not all done: no new restart. */
export const isSameRestart = (record: RestartRecord, { name, uid }: Restart): boolean =>
  record.name === name && record.uid === uid;

/** The first is replaced at once, the next not before 30 s, 60 s, 120 s, at last 600 s have passed since then. */
export function dueAtMs(records: readonly RestartRecord[], restart: Restart): number {
  const record = records.find(({ name }) => name === restart.name);
  if (record === undefined || isSameRestart(record, restart)) return 0;
  return lastMs(record) + Math.min(longestDelayMs, baseDelayMs * 2 ** (record.count - 1));
}

/** The records with these restarts counted. */
export function recorded(
  before: readonly RestartRecord[],
  restarts: readonly Restart[],
  nowMs: number,
): readonly RestartRecord[] {
  const fresh = restarts.filter((each) => !before.some((record) => isSameRestart(record, each)));
  const names = new Set(fresh.map(({ name }) => name));
  const counted = fresh.map(({ name, uid }): RestartRecord => {
    const count = before.find((record) => record.name === name)?.count ?? 0;
    return { name, uid, count: count + 1, lastTime: timeText(nowMs) };
  });
  return [...before.filter(({ name }) => !names.has(name)), ...counted].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}
