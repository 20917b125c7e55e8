/** Records what happened to an object as core v1 Events; repeated ones are counted instead of written again. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { isAlreadyExists, isNotFound } from "../api/status.ts";
import { timeText } from "../api/time-text.ts";
import type { Client } from "./client.ts";
import type { Clock } from "./clock.ts";

export type EventType = "Normal" | "Warning";

export interface EventText {
  readonly type: EventType;
  /** One word in camel case: `FailedScheduling`. */
  readonly reason: string;
  readonly message: string;
}

interface EventDetails {
  /** Instead of the recorder's own. */
  readonly host?: string;
  /** From `takeNumber`; without it the next one. */
  readonly number?: number;
  /** When it happened, from the first to the last time, where it is recorded later; otherwise now. */
  readonly happened?: Span;
}

interface Span {
  readonly firstMs: number;
  readonly lastMs: number;
  /** How often, where it took a while; twice at least. */
  readonly times?: number;
}

export interface EventRecorder {
  /** Never fails and never waits; writes happen in the order of the calls. */
  record(about: KubeObject, text: EventText, details?: EventDetails): void;
  /** Reserves a place among the events of this millisecond for one that is recorded later. */
  takeNumber(): number;
  /** Resolves when everything recorded so far is written. */
  flush(): Promise<void>;
}

interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** The reporting component: `kubelet`, `default-scheduler`, `lockstep`. */
  readonly component: string;
  readonly host?: string;
  /** Shared by recorders whose events should sort in the order they happened even within a millisecond. */
  readonly counter?: EventCounter;
  readonly onProblem?: (problem: unknown) => void;
}

interface EventCounter {
  value: number;
}

export const eventResource: Resource = {
  group: "",
  version: "v1",
  plural: "events",
  kind: "Event",
  namespaced: true,
};

/** What is kept of an event to count its repetitions. */
interface RecordedEvent {
  readonly name: string;
  readonly namespace: string;
  count: number;
}

/** Different messages for one object and reason beyond this number in `similarWindowMs` are combined into one. */
const similarLimit = 10;
const similarWindowMs = 600_000;
const defaultNamespace = "default";
const maxRecordedEvents = 4096;
/** So many may wait where a server takes none; what happens after that would be reported too late to help. */
export const mostWaiting = 10_000;
/** As long as a note of `events.k8s.io` may be. What users write is quoted, and may be as long as an object. */
const longestMessage = 1024;
const combinedPrefix = "(combined from similar events): ";

export function eventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, client, counter = { value: 0 } } = options;
  const recorded = new Map<string, RecordedEvent>();
  const similar = new Map<string, { messages: Set<string>; sinceMs: number }>();
  const takeNumber = (): number => counter.value++;
  const queue = new WriteQueue(options.onProblem);

  function combineSimilar(about: KubeObject, text: EventText): { message: string; key: string } {
    const group = `${about.metadata.uid}/${text.type}/${text.reason}`;
    const known = similar.get(group);
    const isFresh = known !== undefined && clock.monotonic() - known.sinceMs < similarWindowMs;
    const seen = isFresh ? known : { messages: new Set<string>(), sinceMs: clock.monotonic() };
    keep(similar, group, seen);
    if (seen.messages.size <= similarLimit) seen.messages.add(text.message);
    if (seen.messages.size <= similarLimit)
      return { message: text.message, key: `${group}/${text.message}` };
    return { message: combinedPrefix + text.message, key: `${group}/` };
  }

  async function write(
    about: KubeObject,
    text: EventText,
    details: EventDetails & Required<Pick<EventDetails, "happened">>,
  ): Promise<void> {
    const { message, key } = combineSimilar(about, text);
    const known = recorded.get(key);
    const { happened } = details;
    if (known !== undefined && (await countAgain(client, known, { message, ...happened }))) return;
    const { host = options.host, number = takeNumber() } = details;
    const count = timesOf(happened);
    const event = newEvent({ ...options, host }, about, { ...text, message, happened, count });
    const name = await create(event, number);
    const namespace = about.metadata.namespace ?? defaultNamespace;
    keep(recorded, key, { name, namespace, count });
  }

  /** Named like upstream's events: the object's name and nanoseconds, which here only count. */
  async function create(event: KubeObject, first: number): Promise<string> {
    for (let number = first; ; number = takeNumber()) {
      const nanoseconds = BigInt(clock.now()) * 1_000_000n + BigInt(number % 1_000_000);
      const name = `${event.metadata.name}.${nanoseconds.toString(16)}`;
      try {
        await client.create(eventResource, { ...event, metadata: { ...event.metadata, name } });
        return name;
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
  }

  return {
    takeNumber,
    record(about, { message, ...text }, details = {}) {
      const nowMs = clock.now();
      const happened = details.happened ?? { firstMs: nowMs, lastMs: nowMs };
      const subject = referenceTo(about);
      queue.add(() =>
        write(subject, { ...text, message: shortened(message) }, { ...details, happened }),
      );
    },
    flush: () => queue.flush(),
  };
}

/** One write after the other. What finds no room is not written; that is said once, until there is room again. */
class WriteQueue {
  readonly #onProblem: EventRecorderOptions["onProblem"];
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isOverflowing = false;

  constructor(onProblem: EventRecorderOptions["onProblem"]) {
    this.#onProblem = onProblem;
  }

  add(write: () => Promise<void>): void {
    if (!this.#hasRoom()) return;
    this.#waiting++;
    this.#last = this.#last
      .then(write)
      .catch((problem: unknown) => this.#onProblem?.(problem))
      .finally(() => this.#waiting--);
  }

  flush(): Promise<void> {
    return this.#last;
  }

  #hasRoom(): boolean {
    const wasOverflowing = this.#isOverflowing;
    this.#isOverflowing = this.#waiting >= mostWaiting;
    if (this.#isOverflowing && !wasOverflowing) {
      const what = `${mostWaiting} events wait to be written`;
      this.#onProblem?.(new Error(`${what}: what happens meanwhile is not recorded`));
    }
    return !this.#isOverflowing;
  }
}

/** What an event says of its object: one that waits keeps no more of it. */
function referenceTo({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
}

const shortened = (message: string): string =>
  message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 3)}...`;

/** False when the server has no such event any more and it must be created again. */
async function countAgain(
  client: Client,
  known: RecordedEvent,
  now: { message: string; lastMs: number },
): Promise<boolean> {
  const count = known.count + 1;
  const body = { count, lastTimestamp: timeText(now.lastMs), message: now.message };
  const key = { namespace: known.namespace, name: known.name };
  try {
    await client.patch(eventResource, key, { type: "merge", body });
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
  known.count = count;
  return true;
}

/** What took a while happened more than once: of an event that is counted once kubectl shows the first time alone. */
const timesOf = ({ firstMs, lastMs, times = 2 }: Span): number =>
  timeText(firstMs) === timeText(lastMs) ? 1 : times;

function newEvent(
  options: EventRecorderOptions,
  about: KubeObject,
  { happened, ...text }: EventText & { readonly happened: Span; readonly count: number },
): KubeObject {
  const { namespace, name, uid, resourceVersion } = about.metadata;
  const { apiVersion, kind } = about;
  return {
    apiVersion: "v1",
    kind: "Event",
    // Events about cluster-scoped objects live in the default namespace, as upstream's do.
    metadata: { namespace: namespace ?? defaultNamespace, name },
    involvedObject: defined({ apiVersion, kind, namespace, name, uid, resourceVersion }),
    ...text,
    firstTimestamp: timeText(happened.firstMs),
    lastTimestamp: timeText(happened.lastMs),
    source: defined({ component: options.component, host: options.host }),
    reportingComponent: options.component,
    reportingInstance: options.host ?? "",
  };
}

/** Bodies are not always encoded as JSON, which would drop fields without a value. */
function defined(fields: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Bounded memory: the least recently used entry is evicted. */
function keep<V>(entries: Map<string, V>, key: string, value: V): void {
  entries.delete(key);
  entries.set(key, value);
  const oldest = entries.keys().next();
  if (entries.size > maxRecordedEvents && oldest.done !== true) entries.delete(oldest.value);
}
