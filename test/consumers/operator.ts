/** The Placement controller on a connection of its own, which can fail it or be cut after any write. */
import { placementKind } from "../../src/controllers/placement/index.ts";
import type { ControlledKind } from "../../src/controllers/engine/controlled-kind.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { Transport, TransportRequest } from "../../src/runtime/transport.ts";
import { ConnectionLost, crashAfter } from "../../src/sim/faults.ts";
import { refused } from "../builders/memory-server.ts";

/** What happens to one write of an operator, counted from its start. */
export type Trouble = {
  readonly kind: "crash" | "conflict" | "error" | "lost answer";
  readonly at: number;
};

export class Operator {
  /** Resolves when the trouble has come. */
  readonly whenHit: Promise<void>;
  isHit = false;
  readonly #connect: () => Transport;
  #hit: () => void = () => undefined;
  #controllers: readonly ControlledKind[] = [];

  constructor(connect: () => Transport) {
    this.#connect = connect;
    this.whenHit = new Promise((resolve) => {
      this.#hit = () => {
        this.isHit = true;
        resolve();
      };
    });
  }

  async start(trouble?: Trouble): Promise<void> {
    const transport = this.#troubled(this.#connect(), trouble);
    const options = { client: restClient(transport), clock: systemClock() };
    this.#controllers = await startKinds([placementKind], options);
  }

  /** What it has under way goes nowhere any more, as after a kill. */
  abandon(): void {
    for (const controller of this.#controllers) controller.halt();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#controllers.map((controller) => controller.stop()));
  }

  #troubled(transport: Transport, trouble: Trouble | undefined): Transport {
    if (trouble === undefined) return transport;
    const { kind, at } = trouble;
    return kind === "crash" ? this.#crashing(transport, at) : this.#failing(transport, kind, at);
  }

  #crashing(transport: Transport, at: number): Transport {
    const crashing = crashAfter(transport, at);
    return {
      request: (request) =>
        crashing.request(request).finally(() => {
          if (crashing.isDead) this.#hit();
        }),
      stream: (request, onEvent) => crashing.stream(request, onEvent),
    };
  }

  #failing(transport: Transport, kind: Trouble["kind"], at: number): Transport {
    let writes = 0;
    return {
      request: async (request) => {
        if (!isDecisionWrite(request) || ++writes !== at) return transport.request(request);
        this.#hit();
        return fail(transport, request, kind);
      },
      stream: (request, onEvent) => transport.stream(request, onEvent),
    };
  }
}

const isDecisionWrite = ({ method, path }: TransportRequest): boolean =>
  method !== "GET" && path.includes("placementdecisions");

async function fail(transport: Transport, request: TransportRequest, kind: Trouble["kind"]) {
  if (kind === "conflict") return { status: 409, warnings: [], body: refused(409, "Conflict") };
  if (kind === "error") return { status: 500, warnings: [], body: refused(500, "InternalError") };
  await transport.request(request);
  throw new ConnectionLost();
}
