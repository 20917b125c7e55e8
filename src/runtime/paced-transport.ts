/** Sends no faster than asked to: by the flags of whoever runs it, and by a server that answers 429 or Retry-After. */
import type { Status } from "../api/status.ts";
import { ApiError } from "../api/status.ts";
import type { Clock } from "./clock.ts";
import { sleep } from "./clock.ts";
import type { Transport, TransportResponse } from "./transport.ts";

export interface PaceOptions {
  readonly clock: Clock;
  /** From 0 up to 1: spreads clients that were turned away together. */
  readonly random: () => number;
  /** Requests per second in the long run; no limit where it is left out. */
  readonly qps?: number;
  /** How many may be sent at once after a rest. */
  readonly burst?: number;
}

/** As often as client-go tries. */
const mostAttempts = 10;
/** Where a server says 429 without saying when. */
const defaultRetrySeconds = 1;
/** A server that asks for more is asked again after this long: an operator must not fall silent for an hour. */
const longestRetrySeconds = 60;

export function pacedTransport(transport: Transport, options: PaceOptions): Transport {
  const bucket = options.qps === undefined ? undefined : new TokenBucket(options, options.qps);
  const rest = (seconds: number, signal: AbortSignal | undefined): Promise<void> =>
    // At least as long as asked, up to half as long again.
    sleep(options.clock, seconds * 1000 * (1 + options.random() / 2), signal);
  return {
    async request(request) {
      for (let attempt = 1; ; attempt++) {
        await bucket?.take(request.signal);
        const response = await transport.request(request);
        const seconds = retrySeconds(response);
        const isLast = request.isTimely === true || attempt >= mostAttempts;
        if (seconds === undefined || isLast) return response;
        await rest(seconds, request.signal);
      }
    },
    async stream(request, onEvent) {
      for (let attempt = 1; ; attempt++) {
        await bucket?.take(request.signal);
        try {
          return await transport.stream(request, onEvent);
        } catch (error) {
          const seconds = error instanceof ApiError ? secondsOf(error.status) : undefined;
          if (seconds === undefined || attempt >= mostAttempts) throw error;
          await rest(seconds, request.signal);
        }
      }
    },
  };
}

const secondsOf = (body: Status): number | undefined => retrySeconds({ status: body.code, body });

/** When a request that was not processed may be sent again; undefined for every other answer. */
function retrySeconds({
  status,
  retryAfterSeconds,
  body,
}: Omit<TransportResponse, "warnings">): number | undefined {
  const asked = retryAfterSeconds ?? secondsIn(body);
  if (status === 429) return Math.min(asked ?? defaultRetrySeconds, longestRetrySeconds);
  // Only with a time is it certain that the server turned the request away before it did anything.
  if (status === 503 && asked !== undefined) return Math.min(asked, longestRetrySeconds);
  return undefined;
}

function secondsIn(body: unknown): number | undefined {
  const { details } = (body ?? {}) as { details?: { retryAfterSeconds?: unknown } };
  const seconds = details?.retryAfterSeconds;
  return typeof seconds === "number" && seconds > 0 ? seconds : undefined;
}

/** Fills at a steady rate and holds `burst`; requests wait in their order. */
class TokenBucket {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  /** When the bucket was, or will be, empty. */
  #emptyAtMs: number;

  constructor({ clock, burst }: PaceOptions, qps: number) {
    this.#clock = clock;
    this.#qps = qps;
    this.#burst = Math.max(1, burst ?? 2 * qps);
    this.#emptyAtMs = Number.NEGATIVE_INFINITY;
  }

  async take(signal: AbortSignal | undefined): Promise<void> {
    const nowMs = this.#clock.monotonic();
    const fillMs = (1000 * this.#burst) / this.#qps;
    this.#emptyAtMs = Math.max(this.#emptyAtMs, nowMs - fillMs) + 1000 / this.#qps;
    const waitMs = this.#emptyAtMs - nowMs;
    if (waitMs > 0) await sleep(this.#clock, waitMs, signal);
  }
}
