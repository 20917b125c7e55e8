/** Requests from the same process: no sockets, no encoding, and nothing later than a microtask. */
import type { KubeObject } from "../api/object.ts";
import { apiVersionOf } from "../api/resource.ts";
import { ApiError } from "../api/status.ts";
import type { Status } from "../api/status.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
  WatchEvent,
} from "../runtime/transport.ts";
import { badRequest } from "./errors.ts";
import { itemForm, typedForm } from "./forms.ts";
import type { Answer, AnswerBody, ApiRequest } from "./request.ts";
import type { RunningWatch, WatchSignal, WatchSink } from "./watch/watch.ts";
import type { WatchPlan } from "./watch/watch-plan.ts";

export interface AnsweringServer {
  answer(request: ApiRequest): Answer;
  startWatch(plan: WatchPlan, sink: WatchSink): RunningWatch;
}

export function inProcessTransport(server: AnsweringServer): Transport {
  return {
    async request(request) {
      const answer = await answered(server, request);
      if (answer.body.type === "watch") throw badRequest("a watch is opened with stream()");
      return responseOf(answer);
    },
    async stream(request, onEvent) {
      const { body, status } = await answered(server, request);
      if (body.type !== "watch") throw refusal(status, valueOf(body));
      await follow(server, body.plan, { onEvent, signal: request.signal });
    },
  };
}

/** Waits one microtask first, so that no write ever happens inside its caller's own step. */
async function answered(server: AnsweringServer, request: TransportRequest): Promise<Answer> {
  await Promise.resolve();
  request.signal?.throwIfAborted();
  return server.answer({ ...request, query: request.query ?? {} });
}

function responseOf({ status, warnings, body }: Answer): TransportResponse {
  return { status, warnings, body: valueOf(body) };
}

/** The body as a client would have decoded it, sharing the store's frozen objects. */
export function valueOf(body: AnswerBody): unknown {
  switch (body.type) {
    case "value":
      return body.value;
    case "text":
      return body.text;
    case "object":
      return typedForm(body.resource, body.object);
    case "list": {
      const { resource, objects, metadata } = body;
      const items = objects.map((object) => itemForm(resource, object));
      return { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata, items };
    }
    case "watch":
      return undefined;
  }
}

function refusal(code: number, body: unknown): Error {
  if (typeof body === "object" && body !== null) return new ApiError(body as Status);
  return new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: String(body),
    code,
  });
}

const settled = Promise.resolve();

interface Follower {
  readonly onEvent: (event: WatchEvent) => void;
  readonly signal: AbortSignal | undefined;
}

/** Events wait for the end of the step that caused them: a watcher never runs inside a write. */
function follow(
  server: AnsweringServer,
  plan: WatchPlan,
  { onEvent, signal }: Follower,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let queue: WatchSignal[] = [];
    let isOver = false;
    let isScheduled = false;
    const deliver = (): void => {
      isScheduled = false;
      const due = queue;
      queue = [];
      for (const one of due) {
        if (signal?.aborted !== true) onEvent(eventOf(plan, one));
      }
      if (isOver) resolve();
    };
    const schedule = (): void => {
      // A settled promise costs less than queueMicrotask, which makes a resource to be traced for every call.
      if (!isScheduled) settled.then(deliver).catch(fail);
      isScheduled = true;
    };
    // As over HTTP: what a follower throws ends its stream, not the process.
    const fail = (problem: unknown): void => {
      running.stop();
      reject(problem instanceof Error ? problem : new Error(String(problem)));
    };
    const running = server.startWatch(plan, {
      send(one) {
        queue.push(one);
        schedule();
      },
      end() {
        isOver = true;
        schedule();
      },
    });
    const abort = (): void => {
      running.stop();
      isOver = true;
      schedule();
    };
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

function eventOf(plan: WatchPlan, signal: WatchSignal): WatchEvent {
  return signal.type === "ERROR"
    ? signal
    : { type: signal.type, object: eventObject(plan, signal) };
}

/** What an event carries: the object in its version, or the shape the client asked for. */
export function eventObject(
  { resource, shape }: WatchPlan,
  { type, object }: Exclude<WatchSignal, { type: "ERROR" }>,
): KubeObject {
  if (shape !== undefined) return shape(object);
  return type === "BOOKMARK" ? object : typedForm(resource, object);
}
