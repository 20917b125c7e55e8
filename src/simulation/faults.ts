/** What can go wrong between an operator and its API server: storms of everything, and faults of one kind each. */
import type { Resource } from "../api/resource.ts";
import type { Status } from "../api/status.ts";
import { sleep } from "../runtime/clock.ts";
import type { Transport, TransportRequest, WatchEvent } from "../runtime/transport.ts";
import type { VirtualClock } from "../runtime/virtual-clock.ts";
import type { Faults } from "../sim/faults.ts";
import { ConnectionLost, faultyTransport } from "../sim/faults.ts";
import type { Random } from "../sim/random.ts";

/** What stands between the operator and the API server. */
export type Fault = (transport: Transport, clock: VirtualClock) => Transport;

export const noFault: Fault = (transport) => transport;

export type Matches = (request: TransportRequest) => boolean;

export const storm: Faults = {
  conflict: 0.05,
  serverError: 0.05,
  lostAnswer: 0.05,
  lostRequest: 0.05,
  droppedWatch: 0.05,
  delayedEvent: 0.2,
  longestDelayMs: 3_000,
};

export const stormy =
  (random: Random, faults: Faults = storm): Fault =>
  (transport, clock) =>
    faultyTransport(transport, { faults, random, clock });

export const isAbout = ({ path }: TransportRequest, { plural }: Resource): boolean =>
  path.split("/").includes(plural);

/** Everything that happens to objects of one kind is seen this much later. */
export const seenLate =
  (resource: Resource, delayMs: number): Fault =>
  (transport, clock) => ({
    request: (request) => transport.request(request),
    async stream(request, onEvent) {
      if (!isAbout(request, resource)) return transport.stream(request, onEvent);
      let last: Promise<void> = Promise.resolve();
      const pass = async (before: Promise<void>, event: WatchEvent): Promise<void> => {
        await Promise.all([before, sleep(clock, delayMs)]);
        if (request.signal?.aborted !== true) onEvent(event);
      };
      await transport.stream(request, (event) => {
        last = pass(last, event);
      });
      await last;
    },
  });

/** Requests that match are refused with 403, as by an admission that says no. */
export const forbidding =
  (matches: Matches): Fault =>
  (transport) => ({
    request: async (request) =>
      matches(request)
        ? {
            status: 403,
            warnings: [],
            body: refused(403, "Forbidden", "refused"),
          }
        : transport.request(request),
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });

const refused = (code: number, reason: string, message: string): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  code,
  reason,
  message,
});

export interface Refusing {
  readonly faults: Fault;
  /** The paths that were refused. */
  readonly asked: readonly string[];
  stop(): void;
}

/** Requests that match are refused with 500, a number of times. */
export function refusing(matches: Matches, times = Number.POSITIVE_INFINITY): Refusing {
  let left = times;
  const asked: string[] = [];
  return {
    asked,
    stop: () => (left = 0),
    faults: (transport) => ({
      request(request) {
        if (left <= 0 || !matches(request)) return transport.request(request);
        left--;
        asked.push(request.path);
        const text = `${request.method} refused`;
        const body = refused(500, text, text);
        return Promise.resolve({ status: 500, warnings: [], body });
      },
      stream: (request, onEvent) => transport.stream(request, onEvent),
    }),
  };
}

/** A group of the API that this cluster does not have: in plain text, as servers say it of paths they do not know. */
export const withoutGroup =
  (group: string): Fault =>
  (transport) => ({
    request: async (request) =>
      request.path.startsWith(`/apis/${group}/`)
        ? { status: 404, warnings: [], body: "404 page not found\n" }
        : transport.request(request),
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });

/** Requests pass through `change` on their way, as through a mutating admission or a recorder. */
export const changing =
  (change: (request: TransportRequest) => TransportRequest): Fault =>
  (transport) => ({
    request: (request) => transport.request(change(request)),
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });

/** Fault `hold` and `release` nothing of one kind is seen; then everything at once. */
export function heldBack(resource: Resource) {
  let held: (() => void)[] | undefined;
  const faults: Fault = (transport) => ({
    request: (request) => transport.request(request),
    stream: (request, onEvent) =>
      transport.stream(request, (event) => {
        if (held === undefined || !isAbout(request, resource)) onEvent(event);
        else held.push(() => onEvent(event));
      }),
  });
  const release = (): void => {
    const seen = held ?? [];
    held = undefined;
    for (const see of seen) see();
  };
  return { faults, release, hold: () => void (held ??= []) };
}

/** The first request that matches is lost, as far as its sender knows; `deliver` brings it there after all. */
export function onTheWay(matches: Matches) {
  let held: (() => Promise<number>) | undefined;
  let isOver = false;
  const faults: Fault = (transport) => ({
    async request(request) {
      if (isOver || !matches(request)) return transport.request(request);
      isOver = true;
      held = async () => (await transport.request(request)).status;
      throw new ConnectionLost();
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });
  /** The code of the answer that nobody waits for; undefined where nothing is on its way any more. */
  const deliver = async (): Promise<number | undefined> => {
    const late = held;
    held = undefined;
    return late?.();
  };
  return { faults, deliver };
}

/** Every write takes this long. */
export const slowly =
  (delayMs: number): Fault =>
  (transport, clock) => ({
    async request(request) {
      if (request.method !== "GET") await sleep(clock, delayMs);
      return transport.request(request);
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });
