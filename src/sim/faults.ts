/** Injects faults between a client and the API server, reproducibly from a seed. */
import type { Status } from "../api/status.ts";
import type { Clock } from "../runtime/clock.ts";
import { sleep } from "../runtime/clock.ts";
import type { Transport, TransportRequest, WatchEvent } from "../runtime/transport.ts";
import type { Random } from "./random.ts";

/** Probabilities per request or event, 0 where left out. */
export interface Faults {
  /** A write is refused with 409 though nothing changed. */
  readonly conflict?: number;
  /** A request is refused with 500. */
  readonly serverError?: number;
  /** A write is applied and its answer lost. */
  readonly lostAnswer?: number;
  /** A request never reaches the server. */
  readonly lostRequest?: number;
  /** A watch ends after an event. */
  readonly droppedWatch?: number;
  /** An event is delayed, and all later ones with it. */
  readonly delayedEvent?: number;
  readonly longestDelayMs?: number;
}

export class ConnectionLost extends Error {
  constructor() {
    super("the connection was lost");
    this.name = "ConnectionLost";
  }
}

export interface FaultyOptions {
  readonly faults: Faults;
  readonly random: Random;
  readonly clock: Clock;
}

export function faultyTransport(transport: Transport, options: FaultyOptions): Transport {
  const { faults, random } = options;
  return {
    async request(request) {
      const isWrite = request.method !== "GET";
      if (random.happens(faults.lostRequest ?? 0)) throw new ConnectionLost();
      if (random.happens(faults.serverError ?? 0)) return refusal(500, "InternalError");
      if (isWrite && random.happens(faults.conflict ?? 0)) return refusal(409, "Conflict");
      const response = await transport.request(request);
      if (isWrite && random.happens(faults.lostAnswer ?? 0)) throw new ConnectionLost();
      return response;
    },
    stream: (request, onEvent) => faultyStream(transport, options, request, onEvent),
  };
}

async function faultyStream(
  transport: Transport,
  { faults, random, clock }: FaultyOptions,
  request: TransportRequest,
  onEvent: (event: WatchEvent) => void,
): Promise<void> {
  // AbortSignal.any would not do: the process keeps its result alive, and with it a whole simulated cluster.
  const cut = new AbortController();
  const { signal } = cut;
  if (request.signal?.aborted === true) cut.abort();
  request.signal?.addEventListener("abort", () => cut.abort(), { once: true });
  // Events stay in order: each waits for the one before it.
  let last: Promise<void> = Promise.resolve();
  const deliver = (event: WatchEvent): void => {
    const isLate = random.happens(faults.delayedEvent ?? 0);
    const delayMs = isLate ? random.below(faults.longestDelayMs ?? 1000) : 0;
    const isLast = random.happens(faults.droppedWatch ?? 0);
    last = pass(last, event, delayMs, isLast);
  };
  async function pass(
    before: Promise<void>,
    event: WatchEvent,
    delayMs: number,
    isLast: boolean,
  ): Promise<void> {
    await before;
    if (delayMs > 0) await sleep(clock, delayMs, signal);
    if (signal.aborted) return;
    onEvent(event);
    if (isLast) cut.abort();
  }
  await transport.stream({ ...request, signal }, deliver);
  await last;
}

function refusal(code: number, reason: string): { status: number; warnings: []; body: Status } {
  const message = `simulated fault: ${reason}`;
  const body: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    code,
  };
  return { status: code, warnings: [], body };
}

/** Lets `writes` writes through; every request after the last of them fails, as if the process had crashed there. */
export function crashAfter(
  transport: Transport,
  writes: number,
): Transport & { readonly isDead: boolean } {
  let left = writes;
  return {
    get isDead() {
      return left <= 0;
    },
    async request(request) {
      if (left <= 0) throw new ConnectionLost();
      const response = await transport.request(request);
      if (request.method !== "GET" && --left === 0) throw new ConnectionLost();
      return response;
    },
    stream: (request, onEvent) =>
      transport.stream(request, (event) => {
        if (left > 0) onEvent(event);
      }),
  };
}
