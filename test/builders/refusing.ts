/** An API server that refuses what a test names, a number of times. */
import type { Transport, TransportRequest } from "../../src/runtime/transport.ts";
import { refused } from "./memory-server.ts";

export type Matches = (request: TransportRequest) => boolean;

/** What StatefulSet controllers write, by what it is for. */
export const writes = {
  "creating pods": ({ method, path }) => method === "POST" && path.endsWith("/pods"),
  "deleting pods": ({ method, path }) => method === "DELETE" && path.includes("/pods/"),
  "mending pods": ({ method, path }) => method === "PATCH" && path.includes("/pods/"),
  "writing status": ({ method, path }) => method === "PATCH" && path.endsWith("/status"),
  "recording revisions": ({ method, path }) =>
    method === "POST" && path.endsWith("/controllerrevisions"),
} as const satisfies Record<string, Matches>;

export interface Refusing {
  readonly between: (transport: Transport) => Transport;
  /** The paths that were refused. */
  readonly asked: readonly string[];
  stop(): void;
}

export function refusing(matches: Matches, times = Number.POSITIVE_INFINITY): Refusing {
  let left = times;
  const asked: string[] = [];
  return {
    asked,
    stop: () => (left = 0),
    between: (transport) => ({
      request(request) {
        if (left <= 0 || !matches(request)) return transport.request(request);
        left--;
        asked.push(request.path);
        const body = refused(500, `${request.method} refused`);
        return Promise.resolve({ status: 500, warnings: [], body });
      },
      stream: (request, onEvent) => transport.stream(request, onEvent),
    }),
  };
}
