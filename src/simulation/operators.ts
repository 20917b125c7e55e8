/** The processes of the operator in a simulation: they crash, are cut off, are started again, and elect a leader. */
import type { Clock } from "../runtime/clock.ts";
import { fencedTransport, LeaderElection } from "../runtime/leader.ts";
import { pacedTransport } from "../runtime/paced-transport.ts";
import { restClient } from "../runtime/rest-client.ts";
import type { Transport } from "../runtime/transport.ts";
import type { Random } from "../sim/random.ts";
import type { Injector } from "./injector.ts";
import { struckTransport } from "./injector.ts";
import type { ScenarioOperator } from "./scenario-operator.ts";

export interface OperatorsOptions {
  readonly count: number;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly injector: Injector;
  readonly random: Random;
  /** A fresh operator, as a new process has it. */
  readonly create: () => ScenarioOperator;
  readonly note: (text: string) => void;
}

interface Process {
  readonly name: string;
  readonly operator: ScenarioOperator;
  readonly stopping: AbortController;
  isDead: boolean;
  isCutOff: boolean;
  isLeader: () => boolean;
}

const restartMs = 1_000;
const longestCutOffMs = 30_000;
const longestCutOffAloneMs = 8_000;

export class Operators {
  readonly #options: OperatorsOptions;
  readonly #held = new Map<string, Promise<void>>();
  #processes: Process[] = [];
  #started = 0;
  #isOver = false;

  constructor(options: OperatorsOptions) {
    this.#options = options;
  }

  start(): void {
    for (let left = this.#options.count; left > 0; left--) this.#startProcess();
  }

  /** The leader hears and is heard of no more, for a share of the longest time. Returns how long, in ms. */
  cutOffLeader(share: number): number {
    const { count, clock } = this.#options;
    // Alone it needs no lease: nothing keeps it from acting on what it saw before, so that must not be too old.
    const forMs = share * (count > 1 ? longestCutOffMs : longestCutOffAloneMs);
    const leader = this.#processes.find((each) => each.isLeader());
    if (leader === undefined) return 0;
    leader.isCutOff = true;
    clock.after(forMs, () => (leader.isCutOff = false));
    return forMs;
  }

  /** Objects of this plural are not seen for a while, and then in their order. */
  hold(plural: string, forMs: number): void {
    const { clock } = this.#options;
    if (this.#held.has(plural)) return;
    const held = new Promise<void>((resolve) => {
      clock.after(forMs, () => {
        this.#held.delete(plural);
        resolve();
      });
    });
    this.#held.set(plural, held);
  }

  /** Everything that was cut off is in touch again. */
  reconnect(): void {
    for (const process of this.#processes) process.isCutOff = false;
  }

  stop(): void {
    this.#isOver = true;
    for (const process of this.#processes) this.#kill(process);
  }

  #startProcess(): void {
    if (this.#isOver) return;
    const { create, count } = this.#options;
    const name = `operator-${++this.#started}`;
    const stopping = new AbortController();
    const process: Process = {
      name,
      operator: create(),
      stopping,
      isDead: false,
      isCutOff: false,
      isLeader: () => true,
    };
    this.#processes.push(process);
    if (count === 1) this.#begin(process, (wire) => wire);
    else void this.#elect(process);
  }

  #begin(process: Process, fence: (wire: Transport) => Transport): void {
    const { random, clock } = this.#options;
    this.#options.note(`${process.name} starts`);
    const starting = process.operator.begin((server) => {
      const wire = fence(this.#wire(process, server));
      return pacedTransport(wire, { clock, random: () => random.next() });
    });
    // It lists and watches from now on; nobody waits until it has.
    for (const start of starting) void start;
  }

  #wire(process: Process, server: Transport): Transport {
    const { injector, clock } = this.#options;
    return struckTransport(server, {
      injector,
      clock,
      isCutOff: () => process.isDead || process.isCutOff,
      held: (path) => this.#held.get(pluralOf(path)),
      onCrash: (afterMs) => {
        // Two requests of one moment may both be struck: it dies once, and one other takes its place.
        if (process.isDead) return;
        this.#options.note(`${process.name} crashes`);
        this.#kill(process);
        clock.after(restartMs + afterMs, () => this.#startProcess());
      },
    });
  }

  async #elect(process: Process): Promise<void> {
    const { clock, transport } = this.#options;
    const election = new LeaderElection({
      client: restClient(this.#wire(process, transport)),
      clock,
      namespace: "kube-system",
      name: "lockstep",
      identity: process.name,
    });
    process.isLeader = () => election.isLeader;
    const fence = (wire: Transport) => fencedTransport(wire, () => election.isLeader);
    const end = await election.lead(process.stopping.signal, () => this.#begin(process, fence));
    if (end !== "lost" || process.isDead) return;
    this.#options.note(`${process.name} has lost the lease`);
    this.#kill(process);
    clock.after(restartMs, () => this.#startProcess());
  }

  #kill(process: Process): void {
    process.isDead = true;
    process.isLeader = () => false;
    process.stopping.abort();
    process.operator.halt();
    this.#processes = this.#processes.filter((each) => each !== process);
  }
}

/** `pods` of `/api/v1/namespaces/default/pods`. */
const pluralOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
