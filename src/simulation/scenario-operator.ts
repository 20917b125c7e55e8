/** The operator of a scenario: it can crash, it reaches the API server through faults, and what it does is counted. */
import { ApiError, isAlreadyExists, isNotFound } from "../api/status.ts";
import type { ControlledKind } from "../controllers/engine/controlled-kind.ts";
import type { KindDefinition } from "../controllers/engine/kind-definition.ts";
import { SharedCaches } from "../controllers/engine/shared-caches.ts";
import type { RolloutGauges } from "../controllers/engine/rollout-gauges.ts";
import type { ControllerObserver } from "../runtime/controller.ts";
import { describeCall } from "../runtime/request-name.ts";
import { restClient } from "../runtime/rest-client.ts";
import type { Transport, TransportRequest } from "../runtime/transport.ts";
import type { VirtualClock } from "../runtime/virtual-clock.ts";
import { ConnectionLost } from "../sim/faults.ts";
import type { Complaints } from "./complaints.ts";
import type { Fault } from "./faults.ts";
import { noFault } from "./faults.ts";
import type { KindPromises, ScenarioKind } from "./scenario-kind.ts";

export interface OperatorOptions {
  readonly kinds: readonly ScenarioKind[];
  readonly promises: readonly KindPromises[];
  readonly transport: Transport;
  readonly clock: VirtualClock;
  readonly complaints: Complaints;
  readonly gangSchedulers?: readonly string[] | undefined;
  readonly rollouts?: RolloutGauges | undefined;
}

/** Lists that fail are repeated later, so the start itself may take time. */
const longestStartMs = 600_000;

export class ScenarioOperator {
  /** What it wrote so far, by verb and resource; emptied to count afresh. */
  readonly writes: Record<string, number> = {};
  /** By kind and key: `PodClique default/chat-0-front`. */
  readonly reconciles: Record<string, number> = {};
  readonly #options: OperatorOptions;
  #controllers: readonly ControlledKind[] = [];

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  async start(fault: Fault): Promise<void> {
    let started = 0;
    for (const start of this.begin(fault)) void start.then(() => started++);
    const { clock } = this.#options;
    await clock.runUntilTrue(() => started === this.#controllers.length, longestStartMs);
  }

  /** Returns at once; each of the promises resolves when a controller has started. */
  begin(fault: Fault): readonly Promise<void>[] {
    const { clock, kinds, complaints, gangSchedulers, rollouts } = this.#options;
    const { transport, isInjected } = this.#faultyTransport(fault);
    const isExcused = (problem: unknown): boolean =>
      isInjected(problem) || (fault !== noFault && (isLostRace(problem) || isCutWatch(problem)));
    const client = restClient(this.#recorded(transport));
    const onProblem = (problem: unknown): void => complaints.problem(problem, isExcused(problem));
    const caches = new SharedCaches({ client, clock, onProblem });
    const observerOf = ({ words }: KindDefinition): ControllerObserver => ({
      reconciled: (key, { error }) => {
        add(this.reconciles, `${words.kind} ${key}`);
        if (error !== undefined) onProblem(error);
      },
    });
    this.#controllers = kinds.flatMap(({ definitions, mode }) =>
      definitions.map((definition) => {
        const observer = observerOf(definition);
        const options = { client, clock, onProblem, observer, gangSchedulers, caches, mode };
        return definition.controller({ ...options, ...(rollouts && { rollouts }) });
      }),
    );
    return this.#controllers.map((controller) => controller.start());
  }

  /** Nothing is finished any more. */
  halt(): void {
    for (const controller of this.#controllers) controller.halt();
  }

  /** It crashes in the middle of whatever it does, and another one takes its place. */
  async restart(fault: Fault): Promise<void> {
    void this.stop();
    await this.start(fault);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#controllers.map((controller) => controller.stop()));
  }

  /** Whatever refusal or error the server below did not give was made up by the fault. */
  #faultyTransport(fault: Fault) {
    const { transport, clock } = this.#options;
    const genuine = new WeakSet();
    const injected = new Set<string>();
    const server: Transport = {
      ...transport,
      request: async (request) => {
        const response = await transport.request(request);
        genuine.add(response);
        return response;
      },
      stream: (request, onEvent) => transport.stream(request, onEvent),
    };
    const faulty = fault(server, clock);
    const seen: Transport = {
      ...faulty,
      async request(request) {
        try {
          const response = await faulty.request(request);
          if (response.status >= 400 && !genuine.has(response)) {
            injected.add(messageOf(response.body));
          }
          return response;
        } catch (error) {
          if (!(error instanceof ApiError)) injected.add(String(error));
          throw error;
        }
      },
      stream: (request, onEvent) => faulty.stream(request, onEvent),
    };
    const isInjected = (error: unknown): boolean =>
      error instanceof ApiError ? injected.has(error.message) : injected.has(String(error));
    return { transport: seen, isInjected };
  }

  #recorded(transport: Transport): Transport {
    return {
      ...transport,
      request: async (request) => {
        const { verb, resource } = describeCall(request);
        if (request.method !== "GET") add(this.writes, `${verb} ${resource}`);
        if (request.method !== "DELETE") return transport.request(request);
        const name = request.path.split("/").at(-1) ?? "";
        if (!hasUid(request))
          this.#options.complaints.violation(`${resource} ${name} is deleted without its uid`);
        for (const promises of this.#options.promises) promises.deleteRequested(resource, name);
        const response = await transport.request(request);
        if (response.status >= 400) {
          for (const promises of this.#options.promises) promises.deleteRefused(resource, name);
        }
        return response;
      },
      stream: (request, onEvent) => transport.stream(request, onEvent),
    };
  }
}

/** A name may belong to a successor by the time that a delete arrives. */
const hasUid = ({ body }: TransportRequest): boolean =>
  (body as { preconditions?: { uid?: string } } | undefined)?.preconditions?.uid !== undefined;

/** Faults hide what was written or what has changed: what then was there already, or is gone, is no surprise. */
function isLostRace(problem: unknown): boolean {
  const reason = problem instanceof Error && problem.cause !== undefined ? problem.cause : problem;
  return isAlreadyExists(reason) || isNotFound(reason);
}

/** The watch was cut by a fault, or again before anything came through it. */
const isCutWatch = (problem: unknown): boolean =>
  problem instanceof ConnectionLost || /watch (at once|expires at once)$/.test(String(problem));

const messageOf = (body: unknown): string =>
  typeof body === "string" ? body.trim() : ((body as { message?: string }).message ?? "");

function add(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}
