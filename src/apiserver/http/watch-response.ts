/** Writes a watch to a socket; a client that does not keep up is disconnected before its backlog fills the memory. */
import type { ServerResponse } from "node:http";
import type { AnsweringServer } from "../in-process-transport.ts";
import type { WatchPlan } from "../watch/watch-plan.ts";
import type { WatchSignal } from "../watch/watch.ts";
import type { EventEncoder } from "./encode.ts";

/** How many bytes may wait for a slow client beyond the initial state. */
const maxQueuedBytes = 16 * 1024 * 1024;

export interface OpenStream {
  end(): void;
}

export function respondWithWatch(
  server: Pick<AnsweringServer, "startWatch">,
  response: ServerResponse,
  plan: WatchPlan,
  encoder: EventEncoder,
): OpenStream {
  response.writeHead(200, {
    "content-type": "application/json",
    "cache-control": "no-cache, private",
  });
  response.flushHeaders();
  let limit = Infinity;
  let isCorked = false;
  const write = (signal: WatchSignal): void => {
    if (response.writableLength > limit) {
      response.destroy();
      return;
    }
    if (!isCorked) {
      // Events of one step go out in one packet.
      isCorked = true;
      response.cork();
      process.nextTick(() => {
        isCorked = false;
        response.uncork();
      });
    }
    response.write(encoder.encode(plan, signal));
  };
  const end = (): void => {
    running.stop();
    response.end();
  };
  const sink = { send: write, end: () => void response.end() };
  const running = server.startWatch(plan, sink);
  limit = response.writableLength + maxQueuedBytes;
  response.once("close", () => running.stop());
  return { end };
}
