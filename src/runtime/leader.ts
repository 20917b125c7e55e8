/** Leader election by Lease: only the leader writes, and it stops writing before another could begin. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../api/status.ts";
import { microTimeText } from "../api/time-text.ts";
import type { Client } from "./client.ts";
import type { Clock } from "./clock.ts";
import { sleep } from "./clock.ts";
import type { Transport } from "./transport.ts";

interface LeaderOptions {
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
  /** One attempt may take this long: less than the renew deadline, so that a hung request leaves time for another. */
  readonly attemptSeconds?: number;
  /** What others may want to know of the holder: they stay on the lease when it is gone. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly onProblem?: (problem: unknown) => void;
  /** Somebody else holds the lease, or another one than before. */
  readonly onHeld?: (spec: LeaseSpec) => void;
}

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

/** A lease that was given back names no holder any more. */
export const lastHolderAnnotation = "lockstep.dev/last-holder";

export const leaseResource: Resource = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};

type Callbacks = "onProblem" | "onHeld";
type LeadershipEnd = "lost" | "stopped";

/**
 * Everything is measured on the monotonic clock of this process: neither other machines' clocks nor a step of our own
 * wall clock, which is only written into the lease, decides who leads.
 */
export class LeaderElection {
  readonly #options: Required<Omit<LeaderOptions, Callbacks>> & Pick<LeaderOptions, Callbacks>;
  #heldBy: string | undefined;
  /** The lease of another holder as last read, and when. */
  #seen: { readonly text: string; readonly atMs: number } | undefined;
  #leadsUntilMs = Number.NEGATIVE_INFINITY;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: LeaderOptions) {
    this.#options = {
      leaseSeconds: 15,
      renewDeadlineSeconds: 10,
      retrySeconds: 2,
      attemptSeconds: 4,
      annotations: {},
      ...options,
    };
  }

  get identity(): string {
    return this.#options.identity;
  }

  /** True only while no other holder can have taken over; checked before every write. */
  get isLeader(): boolean {
    return this.#options.clock.monotonic() < this.#leadsUntilMs;
  }

  /** Whether the lease could be read or written lately: a candidate that hears nothing could not follow a leader. */
  get isInTouch(): boolean {
    const { clock, leaseSeconds } = this.#options;
    return clock.monotonic() - this.#answeredAtMs < leaseSeconds * 1000;
  }

  /**
   * Waits until the lease is acquired, leads, and resolves when it is lost or `signal` aborts. The lease is released
   * only after `onStopping` has resolved, which may still write.
   */
  async lead(
    signal: AbortSignal,
    onStarted: () => void,
    onStopping: () => Promise<void> = () => Promise.resolve(),
  ): Promise<LeadershipEnd> {
    while (!signal.aborted && !(await this.#tryAcquire())) await this.#rest(signal);
    if (signal.aborted && !this.isLeader) return "stopped";
    // A lease that was acquired while the signal came is given back all the same.
    if (!signal.aborted) onStarted();
    while (!signal.aborted) {
      await this.#rest(signal);
      if (signal.aborted) break;
      if (this.isLeader) await this.#tryAcquire();
      if (!this.isLeader) return "lost";
    }
    await onStopping();
    if (this.isLeader) await this.#release();
    return "stopped";
  }

  /** Until the next attempt, or until the leadership ends: that is not noticed late. */
  async #rest(signal: AbortSignal): Promise<void> {
    const { clock, retrySeconds } = this.#options;
    await sleep(clock, Math.min(retrySeconds * 1000, this.#leftMs()), signal);
  }

  /** Of the leadership; a candidate has nothing to lose. */
  #leftMs(): number {
    return this.isLeader
      ? this.#leadsUntilMs - this.#options.clock.monotonic()
      : Number.POSITIVE_INFINITY;
  }

  async #tryAcquire(): Promise<boolean> {
    const { clock, renewDeadlineSeconds, onProblem } = this.#options;
    // The lease counts from before the request: the answer may have been delayed.
    const startedMs = clock.monotonic();
    try {
      const isHeld = await this.#withinDeadline("renew", (isLate) =>
        this.#writeLease(startedMs, isLate),
      );
      this.#answeredAtMs = clock.monotonic();
      if (!isHeld) return false;
      this.#leadsUntilMs = startedMs + renewDeadlineSeconds * 1000;
      return this.isLeader;
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) this.#answeredAtMs = clock.monotonic();
      else onProblem?.(error);
      return false;
    }
  }

  /** A hung connection is given up in time for another attempt; an answer that comes too late writes nothing. */
  #withinDeadline<T>(what: string, attempt: (isLate: () => boolean) => Promise<T>): Promise<T> {
    const { clock, attemptSeconds, name, namespace } = this.#options;
    const limitMs = Math.min(attemptSeconds * 1000, this.#leftMs());
    let isLate = false;
    return new Promise((resolve, reject) => {
      const timer = clock.after(limitMs, () => {
        isLate = true;
        const seconds = Math.ceil(limitMs / 1000);
        reject(new Error(`${what} lease ${namespace}/${name}: no answer within ${seconds} s`));
      });
      attempt(() => isLate)
        .then(resolve, reject)
        .finally(() => timer.cancel());
    });
  }

  async #writeLease(startedMs: number, isLate: () => boolean): Promise<boolean> {
    const { client, name, namespace, identity } = this.#options;
    const key = { namespace, name };
    const lease = await client.get<Lease>(leaseResource, key).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (isLate()) return false;
    if (lease === undefined) {
      const metadata = this.#marked({ name, namespace });
      await client.create(leaseResource, { metadata, spec: this.#spec(undefined) });
      return true;
    }
    const isOurs = lease.spec?.holderIdentity === identity;
    if (!isOurs && !this.#hasExpired(lease, startedMs)) {
      this.#leadsUntilMs = Number.NEGATIVE_INFINITY;
      this.#reportHolder(lease.spec);
      return false;
    }
    const metadata = this.#marked(lease.metadata);
    await client.update(leaseResource, { ...lease, metadata, spec: this.#spec(lease.spec) });
    return true;
  }

  #reportHolder(spec: LeaseSpec = {}): void {
    if (this.#heldBy === spec.holderIdentity) return;
    this.#heldBy = spec.holderIdentity;
    this.#options.onHeld?.(spec);
  }

  #marked(metadata: Lease["metadata"]): Lease["metadata"] {
    const { identity, annotations } = this.#options;
    const own = { ...annotations, [lastHolderAnnotation]: identity };
    return { ...metadata, annotations: { ...metadata.annotations, ...own } };
  }

  /**
   * A foreign lease has expired when it has not changed for its duration. It is first seen when its answer arrives, not
   * when it was asked for: it may have been renewed in between.
   */
  #hasExpired({ spec = {} }: Lease, askedAtMs: number): boolean {
    if ((spec.holderIdentity ?? "") === "") return true;
    const text = JSON.stringify(spec);
    const { clock, leaseSeconds } = this.#options;
    if (this.#seen?.text !== text) this.#seen = { text, atMs: clock.monotonic() };
    const leaseMs = (spec.leaseDurationSeconds ?? leaseSeconds) * 1000;
    return askedAtMs - this.#seen.atMs >= leaseMs;
  }

  #spec(old: LeaseSpec | undefined): LeaseSpec {
    const { clock, identity, leaseSeconds } = this.#options;
    const renewed = old?.holderIdentity === identity;
    const now = microTimeText(clock.now());
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
    this.#leadsUntilMs = Number.NEGATIVE_INFINITY;
    try {
      await this.#withinDeadline("release", () => this.#writeRelease());
    } catch (error) {
      this.#options.onProblem?.(error);
    }
  }

  async #writeRelease(): Promise<void> {
    const { client, clock, name, namespace, identity } = this.#options;
    const lease = await client.get<Lease>(leaseResource, { namespace, name });
    if (lease.spec?.holderIdentity !== identity) return;
    const renewTime = microTimeText(clock.now());
    const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime };
    await client.update(leaseResource, { ...lease, spec });
  }
}

/**
 * A transport that refuses to write while `mayWrite` is false, so that a paused process cannot resume and write. It
 * stands right before the wire: a request that was held back meanwhile is asked again.
 */
export const fencedTransport = (transport: Transport, mayWrite: () => boolean): Transport => ({
  async request(request) {
    if (request.method !== "GET" && !mayWrite()) {
      throw new Error("not the leader any more: nothing is written");
    }
    return transport.request(request);
  },
  stream: (request, onEvent) => transport.stream(request, onEvent),
});
