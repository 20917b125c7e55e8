/** Leader election by Lease: only the leader writes, and it stops writing before another could begin. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../api/status.ts";
import { microTimeText } from "../api/time-text.ts";
import type { Client } from "./client.ts";
import type { Clock } from "./clock.ts";
import { sleep } from "./clock.ts";

export interface LeaderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** The holder identity of this process; must be unique. */
  readonly identity: string;
  readonly leaseSeconds?: number;
  /** A holder that could not renew for this long stops writing; shorter than the lease, so that it stops in time. */
  readonly renewDeadlineSeconds?: number;
  readonly retrySeconds?: number;
  readonly onProblem?: (problem: unknown) => void;
}

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

const leases: Resource = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};

export class LeaderElection {
  readonly #options: Required<Omit<LeaderOptions, "onProblem">> & Pick<LeaderOptions, "onProblem">;
  /** The lease as last read, and when on our own clock: other machines' clocks are never compared. */
  #seen: { readonly text: string; readonly atMs: number } | undefined;
  #leadsUntilMs = 0;

  constructor(options: LeaderOptions) {
    this.#options = {
      leaseSeconds: 15,
      renewDeadlineSeconds: 10,
      retrySeconds: 2,
      ...options,
    };
  }

  /** True only while no other holder can have taken over; checked before every write. */
  get isLeader(): boolean {
    return this.#options.clock.now() < this.#leadsUntilMs;
  }

  /**
   * Waits until the lease is acquired, leads, and resolves when it is lost or `signal` aborts. The lease is released
   * only after `onStopping` has resolved, which may still write.
   */
  async lead(
    signal: AbortSignal,
    onStarted: () => void,
    onStopping: () => Promise<void> = () => Promise.resolve(),
  ): Promise<"lost" | "stopped"> {
    const { clock, retrySeconds } = this.#options;
    while (!signal.aborted && !(await this.#tryAcquire())) {
      await sleep(clock, retrySeconds * 1000, signal);
    }
    if (signal.aborted) return "stopped";
    onStarted();
    while (!signal.aborted) {
      await sleep(clock, retrySeconds * 1000, signal);
      if (signal.aborted) break;
      await this.#tryAcquire();
      if (!this.isLeader) return "lost";
    }
    await onStopping();
    await this.#release();
    return "stopped";
  }

  async #tryAcquire(): Promise<boolean> {
    const { clock, renewDeadlineSeconds, onProblem } = this.#options;
    // The lease counts from before the write: the answer may have been delayed.
    const startedMs = clock.now();
    try {
      if (!(await this.#writeLease(startedMs))) return false;
      this.#leadsUntilMs = startedMs + renewDeadlineSeconds * 1000;
      return true;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) onProblem?.(error);
      return false;
    }
  }

  async #writeLease(nowMs: number): Promise<boolean> {
    const { client, name, namespace, identity } = this.#options;
    const key = { namespace, name };
    const lease = await client.get<Lease>(leases, key).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (lease === undefined) {
      const metadata = { name, namespace };
      await client.create(leases, { metadata, spec: this.#spec(nowMs, undefined) });
      return true;
    }
    const isOurs = lease.spec?.holderIdentity === identity;
    if (!isOurs && !this.#hasExpired(lease, nowMs)) {
      this.#leadsUntilMs = 0;
      return false;
    }
    await client.update(leases, { ...lease, spec: this.#spec(nowMs, lease.spec) });
    return true;
  }

  /** A foreign lease has expired when it has not changed for its duration, measured on our own clock. */
  #hasExpired({ spec = {} }: Lease, nowMs: number): boolean {
    if ((spec.holderIdentity ?? "") === "") return true;
    const text = JSON.stringify(spec);
    if (this.#seen?.text !== text) this.#seen = { text, atMs: nowMs };
    const leaseMs = (spec.leaseDurationSeconds ?? this.#options.leaseSeconds) * 1000;
    return nowMs - this.#seen.atMs >= leaseMs;
  }

  #spec(nowMs: number, old: LeaseSpec | undefined): LeaseSpec {
    const { identity, leaseSeconds } = this.#options;
    const renewed = old?.holderIdentity === identity;
    const now = microTimeText(nowMs);
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseSeconds,
      acquireTime: renewed ? (old.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (old?.leaseTransitions ?? 0) + (renewed || old === undefined ? 0 : 1),
    };
  }

  /** Lets the next leader begin at once; where that fails, it waits for the lease to expire. */
  async #release(): Promise<void> {
    const { client, name, namespace, identity, onProblem } = this.#options;
    this.#leadsUntilMs = 0;
    try {
      const lease = await client.get<Lease>(leases, { namespace, name });
      if (lease.spec?.holderIdentity !== identity) return;
      const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 };
      await client.update(leases, { ...lease, spec });
    } catch (error) {
      onProblem?.(error);
    }
  }
}

/** A client that refuses to write while `mayWrite` is false, so that a paused process cannot resume and write. */
export function fencedClient(client: Client, mayWrite: () => boolean): Client {
  const fence = async <T>(write: () => Promise<T>): Promise<T> => {
    if (!mayWrite()) throw new Error("not the leader any more: nothing is written");
    return write();
  };
  return {
    ...client,
    create: (...call) => fence(() => client.create(...call)),
    update: (...call) => fence(() => client.update(...call)),
    patch: (...call) => fence(() => client.patch(...call)),
    delete: (...call) => fence(() => client.delete(...call)),
    deleteCollection: (...call) => fence(() => client.deleteCollection(...call)),
  };
}
