/** Plays a script: the object is created, things happen to it, everything heals, and it has to come to rest. */
import type { Resource } from "../api/resource.ts";
import { apiVersionOf } from "../api/resource.ts";
import type { Pod } from "../api/pod.ts";
import { podResource } from "../api/pod.ts";
import {
  clusterSetBindingResource,
  clusterSetResource,
  managedClusterResource,
} from "../api/ocm/managed-cluster.ts";
import { placementDecisionResource } from "../api/ocm/placement.ts";
import { seededRandom } from "../sim/random.ts";
import type { Catalogue } from "../sim/images/catalogue.ts";
import { Complaints } from "./complaints.ts";
import { follow } from "./follow.ts";
import { Happenings, recreateAfterMs } from "./happenings.ts";
import { Injector } from "./injector.ts";
import { Operators } from "./operators.ts";
import type { Recorded } from "./recording.ts";
import { Recording } from "./recording.ts";
import type { RunBoundOptions } from "./run-bound.ts";
import { RunBound } from "./run-bound.ts";
import type { KindPromises, ScenarioKind } from "./scenario-kind.ts";
import { ScenarioOperator } from "./scenario-operator.ts";
import type { Script, Strike } from "./script.ts";
import type { Running, Simulated, SimulatedKind } from "./simulated-kind.ts";
import { missingOf } from "./simulated-kind.ts";
import type { Definitions, SimulatedWorld } from "./world.ts";
import { simulatedWorld } from "./world.ts";

export interface RunOptions {
  readonly kind: SimulatedKind;
  readonly script: Script;
  /** Of all custom kinds. */
  readonly definitions: Definitions;
  /** Keeps every event, for people and for comparisons. */
  readonly records?: boolean;
  readonly catalogue?: Catalogue;
  /** Of what else the script creates. */
  readonly resources?: readonly Resource[];
}

export interface Failure {
  /** A promise was broken, the operator had a problem of its own, or it did not come to rest. */
  readonly what: "promise" | "problem" | "liveness";
  readonly texts: readonly string[];
  readonly atMs: number;
}

export interface Outcome {
  /** With every fault written out: it plays the same again without its seed. */
  readonly script: Script;
  readonly failure?: Failure;
  /** Changes of templates, or of what surrounds the object, that were asked for. */
  readonly rollouts: number;
  readonly virtualMs: number;
  readonly recorded?: Recorded;
}

/** With everything healed, longer than any backoff. */
const longestSettleMs = 3_600_000;
const lookEveryMs = 1_000;
const restMs = 15_000;
/** A lease expires and is taken; until then a Placement looks at rest, as it does not say what it has observed. */
const takeoverMs = 30_000;

/** A drawn run takes some hundred requests and timers, one that never comes to rest some thousand. */
const most = { atLeast: 30_000, perPod: 5_000 };

function boundOf({ kind, script }: RunOptions): RunBoundOptions {
  const pods = script.objects[0] === undefined ? 0 : kind.pods(script.objects[0] as Simulated);
  const count = most.atLeast + most.perPod * pods;
  return { mostRequests: count, mostTimers: count };
}

export async function runScript(options: RunOptions): Promise<Outcome> {
  const { kind, script } = options;
  const complaints = new Complaints();
  const hasCustomKinds = kind.scenarioKinds.some(({ definitions }) =>
    definitions.some(({ customKinds }) => customKinds.length > 0),
  );
  const bound = new RunBound(boundOf(options));
  const world = await simulatedWorld({
    seed: script.seed,
    nodes: kind.templates === undefined ? 0 : script.nodes,
    definitions: hasCustomKinds ? options.definitions : undefined,
    onProblem: (problem) => complaints.problem(problem, false),
    isTerse: script.isTerse === true,
    around: (server) => bound.bounded(server),
    ...(options.catalogue && { catalogue: options.catalogue }),
  });
  const run = new Run(options, { world, complaints, bound });
  try {
    return await run.play();
  } finally {
    await run.stop();
  }
}

interface Surroundings {
  readonly world: SimulatedWorld;
  readonly complaints: Complaints;
  readonly bound: RunBound;
}

class Run {
  readonly #options: RunOptions;
  readonly #bound: RunBound;
  readonly #world: SimulatedWorld;
  readonly #complaints: Complaints;
  readonly #startMs: number;
  readonly #injector: Injector;
  readonly #operators: Operators;
  readonly #promises: readonly KindPromises[];
  readonly #recording: Recording | undefined;
  readonly #happenings: Happenings;
  readonly #pods: ReadonlyMap<string, Pod>;
  readonly #objects: ReadonlyMap<string, Simulated>;
  readonly #beside: Running | undefined;

  constructor(options: RunOptions, { world, complaints, bound }: Surroundings) {
    const { kind, script, records = false } = options;
    const { client, clock } = world;
    this.#options = options;
    this.#bound = bound;
    this.#world = world;
    this.#complaints = complaints;
    this.#startMs = clock.monotonic();
    const watched = [kind.resource, podResource, placementDecisionResource];
    const resources = kind.templates === undefined ? watched : watched.slice(0, 2);
    this.#recording = records ? new Recording({ client, clock, resources }) : undefined;
    this.#pods = follow<Pod>({ client, resource: podResource }, () => undefined);
    this.#objects = follow<Simulated>({ client, resource: kind.resource }, () => undefined);
    const report = (violation: string): void => complaints.violation(violation);
    const steady = { now: () => clock.monotonic() };
    const seen = { client, clock: steady, wall: () => clock.now(), report };
    this.#promises = kind.scenarioKinds.flatMap(
      (each: ScenarioKind) => each.promises?.(seen) ?? [],
    );
    const random = seededRandom(script.seed ^ 0x5eed);
    const { rates, strikes } = script;
    const onStrike = ({ what, nth }: Strike): void => this.#recording?.line(`${what} ${nth}`);
    this.#injector = new Injector({ random, rates, strikes, onStrike });
    this.#beside = kind.beside?.(world);
    this.#operators = this.#operatorsOf(seededRandom(script.seed ^ 0xbacc0ff));
    this.#happenings = new Happenings({
      kind,
      original: script.objects[0] as Simulated,
      world,
      operators: this.#operators,
      pods: this.#pods,
      note: (text) => this.#recording?.note(text),
    });
  }

  async play(): Promise<Outcome> {
    const { script } = this.#options;
    void this.#beside?.start();
    this.#operators.start();
    await this.#bound.within(this.#createObjects());
    for (const step of script.steps) {
      await this.#runTo(step.atMs);
      if (this.#isOver) return this.#outcome();
      await this.#bound.within(this.#happenings.happen(step));
    }
    await this.#runTo(this.#elapsedMs() + 5_000);
    this.#injector.stop();
    if (this.#happenings.isDeleted) await this.#runTo(this.#elapsedMs() + recreateAfterMs);
    if (this.#isOver) return this.#outcome();
    await this.#bound.within(this.#happenings.heal());
    return this.#settle();
  }

  async stop(): Promise<void> {
    this.#operators.stop();
    this.#beside?.halt();
    // Past its bound nothing is answered any more, so it could wait for ever.
    if (!this.#bound.isReached) await this.#world.stop();
  }

  #operatorsOf(random: ReturnType<typeof seededRandom>): Operators {
    const { kind, script } = this.#options;
    const { transport, clock } = this.#world;
    return new Operators({
      count: script.operators,
      clock,
      transport,
      injector: this.#injector,
      random,
      note: (text) => this.#recording?.note(text),
      create: () =>
        new ScenarioOperator({
          kinds: kind.scenarioKinds,
          promises: this.#promises,
          transport,
          clock,
          complaints: this.#complaints,
        }),
    });
  }

  async #createObjects(): Promise<void> {
    const { script, kind, resources = [] } = this.#options;
    const known = [kind.resource, ...resources, ...fleetResources];
    const [first, ...others] = script.objects;
    for (const object of [...others, first]) {
      if (object === undefined) continue;
      const resource = known.find(
        (each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion,
      );
      if (resource === undefined) throw new Error(`no resource for ${object.kind}`);
      await this.#world.client.create(resource, object);
    }
  }

  /** A promise is broken, or there is no end. */
  get #isOver(): boolean {
    return !this.#complaints.isEmpty || this.#bound.isReached;
  }

  /** Until then, or until it is over. */
  async #runTo(atMs: number): Promise<void> {
    const { clock } = this.#world;
    const leftMs = this.#startMs + atMs - clock.monotonic();
    if (leftMs <= 0) return;
    await clock.runUntilTrue(() => {
      this.#bound.countTimer();
      return this.#isOver;
    }, leftMs);
  }

  async #settle(): Promise<Outcome> {
    if (this.#options.script.operators > 1) await this.#runTo(this.#elapsedMs() + takeoverMs);
    // Where the wall clock was set back, minReadySeconds are over when it gets there again (RO16, ST6).
    const { clock } = this.#world;
    const behindMs = Math.max(0, clock.monotonic() - clock.now());
    const endMs = this.#elapsedMs() + longestSettleMs + behindMs;
    let missing = this.#missing();
    while (missing !== undefined && !this.#isOver) {
      if (this.#elapsedMs() >= endMs) {
        const minutes = Math.round((longestSettleMs + behindMs) / 60_000);
        const texts = [`not at rest after ${minutes} minutes: ${missing}`];
        return this.#outcome({ what: "liveness", texts, atMs: this.#elapsedMs() });
      }
      await this.#runTo(this.#elapsedMs() + lookEveryMs);
      missing = this.#missing();
    }
    await this.#runTo(this.#elapsedMs() + restMs);
    if (!this.#isOver) for (const each of this.#promises) each.checkAtRest?.();
    const later = this.#missing();
    if (!this.#isOver && later !== undefined) {
      const texts = [`it did not stay at rest: ${later}`];
      return this.#outcome({ what: "liveness", texts, atMs: this.#elapsedMs() });
    }
    return this.#outcome();
  }

  #missing(): string | undefined {
    const { kind } = this.#options;
    const object = this.#objects.get(this.#happenings.key.name);
    if (object === undefined) return "the object is not there";
    return missingOf(kind, object, [...this.#pods.values()]);
  }

  #elapsedMs(): number {
    return this.#world.clock.monotonic() - this.#startMs;
  }

  #outcome(failure: Failure | undefined = this.#complaint()): Outcome {
    const { script } = this.#options;
    if (failure !== undefined) this.#recording?.note(failure.texts[0] ?? "");
    return {
      script: { ...script, strikes: this.#injector.struck },
      ...(failure && { failure }),
      rollouts: this.#happenings.rollouts,
      virtualMs: this.#elapsedMs(),
      ...(this.#recording && { recorded: this.#recording }),
    };
  }

  #complaint(): Failure | undefined {
    const texts = this.#complaints.unanswered();
    if (texts.length === 0 && this.#bound.isReached)
      return { what: "liveness", texts: [this.#bound.text], atMs: this.#elapsedMs() };
    if (texts.length === 0) return undefined;
    const what = texts.some((text) => text.startsWith("broken promise")) ? "promise" : "problem";
    return { what, texts, atMs: this.#elapsedMs() };
  }
}

const fleetResources = [clusterSetResource, clusterSetBindingResource, managedClusterResource];
