/** Decides which request or event a fault strikes: drawn at a rate, or as a script says. */
import { setMaxListeners } from "node:events";
import type { Status } from "../api/status.ts";
import type { Clock } from "../runtime/clock.ts";
import { sleep } from "../runtime/clock.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
  WatchEvent,
} from "../runtime/transport.ts";
import { ConnectionLost } from "../sim/faults.ts";
import type { Random } from "../sim/random.ts";
import type { EventFault, Rates, RequestFault, Strike } from "./script.ts";
import { eventFaults, isEventFault, requestFaults } from "./script.ts";

const longestDelayMs = 4_000;
/** Servers drop what a sender has given up, but for what is just being committed to their store. */
const longestCommitMs = 1_000;
const writesOnly = new Set<RequestFault>(["conflict", "appliedTimeout", "admission", "crash"]);

type Choice<Name> = readonly (readonly [name: Name, below: number])[];

/** One number decides: each fault owns a stretch of it. */
function choiceOf<Name extends string>(names: object, rates: Rates): Choice<Name> {
  let below = 0;
  return (Object.keys(names) as (Name & keyof Rates)[]).flatMap((name) => {
    const rate = rates[name] ?? 0;
    if (rate <= 0) return [];
    below += rate;
    return [[name, below] as const];
  });
}

export interface InjectorOptions {
  readonly random: Random;
  readonly rates: Rates;
  readonly strikes?: readonly Strike[] | undefined;
  readonly onStrike?: (strike: Strike) => void;
}

export class Injector {
  /** Everything that struck so far: the run as a script. */
  readonly struck: Strike[] = [];
  readonly #random: Random;
  readonly #requests: Choice<RequestFault>;
  readonly #events: Choice<EventFault>;
  readonly #script: ReadonlyMap<string, Strike> | undefined;
  readonly #onStrike: (strike: Strike) => void;
  #isOn = true;
  #request = 0;
  #event = 0;

  constructor({ random, rates, strikes, onStrike = () => undefined }: InjectorOptions) {
    this.#onStrike = onStrike;
    this.#random = random;
    this.#requests = choiceOf(requestFaults, rates);
    this.#events = choiceOf(eventFaults, rates);
    this.#script = strikes && new Map(strikes.map((each) => [keyOf(each), each]));
  }

  /** Nothing strikes any more. */
  stop(): void {
    this.#isOn = false;
  }

  request(isWrite: boolean): Strike | undefined {
    if (!this.#isOn) return undefined;
    const found = this.#next("request", ++this.#request, this.#requests);
    if (found === undefined || (!isWrite && writesOnly.has(found.what as RequestFault))) {
      return undefined;
    }
    this.#strike(found);
    return found;
  }

  event(): Strike | undefined {
    if (!this.#isOn) return undefined;
    const found = this.#next("event", ++this.#event, this.#events);
    if (found !== undefined) this.#strike(found);
    return found;
  }

  #strike(strike: Strike): void {
    this.struck.push(strike);
    this.#onStrike(strike);
  }

  #next(on: string, nth: number, choice: Choice<Strike["what"]>): Strike | undefined {
    if (this.#script !== undefined) return this.#script.get(`${on} ${nth}`);
    const drawn = this.#random.next();
    const what = choice.find(([, below]) => drawn < below)?.[0];
    return what === undefined ? undefined : { what, nth, value: this.#random.next() };
  }
}

const keyOf = ({ what, nth }: Strike): string =>
  `${isEventFault(what) ? "event" : "request"} ${nth}`;

export interface Struck {
  readonly injector: Injector;
  readonly clock: Clock;
  /** The operator has crashed; requests after that go nowhere. */
  readonly onCrash: (afterMs: number) => void;
  /** Whether it is cut off, or gone. */
  readonly isCutOff: () => boolean;
  /** Objects of this path are not seen for now; resolves when they are again. */
  readonly held: (path: string) => Promise<void> | undefined;
}

export function struckTransport(transport: Transport, struck: Struck): Transport {
  return {
    ...transport,
    request: (request) => struckRequest(transport, struck, request),
    stream: (request, onEvent) => struckStream(transport, struck, { request, onEvent }),
  };
}

async function struckRequest(
  transport: Transport,
  struck: Struck,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { injector, clock, onCrash, isCutOff } = struck;
  if (isCutOff()) throw new ConnectionLost();
  const { what = "", value = 0 } = injector.request(request.method !== "GET") ?? {};
  const refused = refusals[what];
  if (refused !== undefined) return refused;
  const delayMs = Math.floor(value * longestDelayMs);
  if (what === "lateTimeout") {
    const commitMs = Math.floor(value * longestCommitMs);
    clock.after(commitMs, () => void transport.request(withoutSignal(request)).catch(ignore));
    throw new ConnectionLost();
  }
  if (what === "timeout") return lostAfter(clock, delayMs);
  const response = await transport.request(request);
  if (what === "appliedTimeout") return lostAfter(clock, delayMs);
  if (what === "crash") onCrash(delayMs);
  if (isCutOff()) throw new ConnectionLost();
  return response;
}

async function lostAfter(clock: Clock, delayMs: number): Promise<never> {
  await sleep(clock, delayMs);
  throw new ConnectionLost();
}

const ignore = (): undefined => undefined;

/** It is on its way already: who sent it cannot call it back. */
const withoutSignal = ({ signal: _signal, ...request }: TransportRequest): TransportRequest =>
  request;

interface Followed {
  readonly request: TransportRequest;
  readonly onEvent: (event: WatchEvent) => void;
}

async function struckStream(
  transport: Transport,
  { injector, clock, isCutOff, held }: Struck,
  { request, onEvent }: Followed,
): Promise<void> {
  if (isCutOff()) throw new ConnectionLost();
  const cut = new AbortController();
  const { signal } = cut;
  // Every slow event listens until it is due, and any number of them may be on their way: none is a leak.
  setMaxListeners(0, signal);
  if (request.signal?.aborted === true) cut.abort();
  request.signal?.addEventListener("abort", () => cut.abort(), { once: true });
  const gone: Status = { ...failure, code: 410, reason: "Expired", message: "simulated: too old" };
  // Events stay in order: each waits for the one before it, as long as one of them had to wait.
  let last: Promise<void> | undefined;
  let waiting = 0;
  const pass = (event: WatchEvent, strike: Strike | undefined): void => {
    // What is cut off has to connect again, and so misses nothing.
    if (isCutOff()) cut.abort();
    if (signal.aborted) return;
    onEvent(event);
    if (strike?.what === "relist") onEvent({ type: "ERROR", object: gone });
    if (strike?.what === "droppedWatch" || strike?.what === "relist") cut.abort();
  };
  const passAfter = async (
    waits: readonly [before: Promise<void> | undefined, delay: Promise<void> | undefined],
    event: WatchEvent,
    strike: Strike | undefined,
  ): Promise<void> => {
    waiting++;
    for (const wait of waits) await wait;
    pass(event, strike);
    if (--waiting === 0) last = undefined;
  };
  await transport.stream({ ...request, signal }, (event) => {
    const strike = injector.event();
    const isSlow = strike?.what === "slowWatch";
    const hold = held(request.path);
    if (last === undefined && !isSlow && hold === undefined) return pass(event, strike);
    const delay = isSlow ? sleep(clock, Math.floor(strike.value * longestDelayMs), signal) : hold;
    last = passAfter([last, delay], event, strike);
  });
  await last;
}

const failure = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;

function refusal(code: number, reason: string): TransportResponse {
  const body: Status = { ...failure, code, reason, message: `simulated fault: ${reason}` };
  return { status: code, warnings: [], body };
}

const refusals: Readonly<Partial<Record<string, TransportResponse>>> = {
  conflict: refusal(409, "Conflict"),
  throttled: { ...refusal(429, "TooManyRequests"), retryAfterSeconds: 1 },
  serverError: refusal(500, "InternalError"),
  admission: refusal(403, "Forbidden"),
};
