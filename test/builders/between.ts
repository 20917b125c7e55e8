/** Things to put between an operator and its API server, each wrong in one way only. */
import type { Resource } from "../../src/api/resource.ts";
import { sleep } from "../../src/runtime/clock.ts";
import type { TransportRequest, WatchEvent } from "../../src/runtime/transport.ts";
import { ConnectionLost } from "../../src/sim/faults.ts";
import type { Between } from "./pod-clique-set-scenario.ts";

export const isAbout = ({ path }: TransportRequest, { plural }: Resource): boolean =>
  path.split("/").includes(plural);

/** Everything that happens to objects of one kind is seen this much later. */
export const seenLate =
  (resource: Resource, delayMs: number): Between =>
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
export const refusing =
  (matches: (request: TransportRequest) => boolean): Between =>
  (transport) => ({
    request: async (request) =>
      matches(request)
        ? {
            status: 403,
            warnings: [],
            body: {
              kind: "Status",
              status: "Failure",
              reason: "Forbidden",
              message: "refused",
              code: 403,
            },
          }
        : transport.request(request),
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });

/** A group of the API that this cluster does not have: in plain text, as servers say it of paths they do not know. */
export const withoutGroup =
  (group: string): Between =>
  (transport) => ({
    request: async (request) =>
      request.path.startsWith(`/apis/${group}/`)
        ? { status: 404, warnings: [], body: "404 page not found\n" }
        : transport.request(request),
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });

/** Requests pass through `change` on their way, as through a mutating admission or a recorder. */
export const changing =
  (change: (request: TransportRequest) => TransportRequest): Between =>
  (transport) => ({
    request: (request) => transport.request(change(request)),
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });

/** Between `hold` and `release` nothing of one kind is seen; then everything at once. */
export function heldBack(resource: Resource) {
  let held: (() => void)[] | undefined;
  const between: Between = (transport) => ({
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
  return { between, release, hold: () => void (held ??= []) };
}

/** The first request that matches is lost, as far as its sender knows; `deliver` brings it there after all. */
export function onTheWay(matches: (request: TransportRequest) => boolean) {
  let held: (() => Promise<number>) | undefined;
  let isOver = false;
  const between: Between = (transport) => ({
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
  return { between, deliver };
}

/** Every write takes this long. */
export const slowly =
  (delayMs: number): Between =>
  (transport, clock) => ({
    async request(request) {
      if (request.method !== "GET") await sleep(clock, delayMs);
      return transport.request(request);
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });
