/** Writes statuses no more often than somebody can use: a change of phase at once, mere counters once in a while. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { isSameJson } from "../api/same-json.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";

export interface StatusWrite {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly status: Readonly<Record<string, unknown>>;
  /** What must not wait, as text: two statuses of one phase differ in counters only. */
  phase(status: Readonly<Record<string, unknown>>): string;
}

/** Between two writes that only move counters. */
const quietMs = 2_000;

export class QuietStatus {
  readonly #clock: Clock;
  readonly #writtenAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  forget(key: string): void {
    this.#writtenAtMs.delete(key);
  }

  /** Returns when to come back for what may wait. */
  async write(client: Client, key: string, write: StatusWrite): Promise<number | undefined> {
    const old = (write.object["status"] ?? {}) as Readonly<Record<string, unknown>>;
    if (isSameStatus(old, write.status)) return undefined;
    const dueMs = (this.#writtenAtMs.get(key) ?? Number.NEGATIVE_INFINITY) + quietMs;
    const waitMs = dueMs - this.#clock.now();
    if (waitMs > 0 && write.phase(old) === write.phase(write.status)) return waitMs;
    this.#writtenAtMs.set(key, this.#clock.now());
    await replaceStatus(client, write);
    return undefined;
  }
}

/** Zero counters and empty lists may be left out by whoever stored them. */
function isSameStatus(
  old: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>>,
): boolean {
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].every((key) =>
    isSameJson(old[key] ?? zeroOf(next[key]), next[key] ?? zeroOf(old[key])),
  );
}

const zeroOf = (value: unknown): unknown => (typeof value === "number" ? 0 : undefined);

/** Whole, so that fields can vanish; with the version it was computed from, so that a stale view loses. */
async function replaceStatus(
  client: Client,
  { resource, object, status }: StatusWrite,
): Promise<void> {
  await client.update(resource, { ...object, status }, { subresource: "status" });
}
