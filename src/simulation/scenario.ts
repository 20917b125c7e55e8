/** A simulated cluster in virtual time with the operator in it: tests and `lockstep sim` run here. */
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { podResource } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import { apiVersionOf } from "../api/resource.ts";
import type { RolloutGauges } from "../controllers/engine/rollout-gauges.ts";
import type { Client } from "../runtime/client.ts";
import type { Transport } from "../runtime/transport.ts";
import type { VirtualClock } from "../runtime/virtual-clock.ts";
import type { Complaints } from "./complaints.ts";
import type { Fault } from "./faults.ts";
import { noFault } from "./faults.ts";
import type { KindPromises, ScenarioKind } from "./scenario-kind.ts";
import { ScenarioOperator } from "./scenario-operator.ts";
import { Timeline } from "./timeline.ts";

export const namespace = "default";

/** What a scenario needs of a cluster. */
export interface ScenarioWorld {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly transport: Transport;
}

export interface ScenarioOptions {
  /** The first one draws the pods. */
  readonly kinds: readonly [ScenarioKind, ...ScenarioKind[]];
  /** Broken promises and problems of the operator end there. */
  readonly complaints: Complaints;
  /** Created in this order once the operator runs. */
  readonly objects?: readonly KubeObject[];
  /** What stands between the operator and the API server; problems that it makes up are excused. */
  readonly faults?: Fault;
  /** Schedulers that place gangs as a whole; left out, the simulated one does, otherwise it places pods one by one. */
  readonly gangSchedulers?: readonly string[];
  /** Where the operator shows its gauges. */
  readonly rollouts?: RolloutGauges;
}

export async function scenarioIn<World extends ScenarioWorld>(
  world: World,
  options: ScenarioOptions,
) {
  const { kinds, complaints, objects = [], faults = noFault } = options;
  const { client, clock, transport } = world;
  const report = (violation: string): void => complaints.violation(violation);
  const [{ drawing }] = kinds;
  const timeline = new Timeline({ client, clock, drawing, report });
  for (const kind of kinds) for (const each of kind.invariants ?? []) timeline.always(each);
  // What has passed is what counts, wherever the wall clock was set.
  const steady = { now: () => clock.monotonic() };
  const watched = { client, clock: steady, wall: () => clock.now(), report };
  const promises = kinds.flatMap((kind) => kind.promises?.(watched) ?? []);
  const { gangSchedulers } = options;
  const operator = new ScenarioOperator({
    kinds,
    promises,
    transport,
    clock,
    complaints,
    gangSchedulers,
    rollouts: options.rollouts,
  });
  await operator.start(faults);
  const resources = kinds.flatMap((kind) => kind.resources);
  for (const object of objects) await client.create(resourceOf(object, resources), object);
  return {
    ...world,
    timeline,
    drawing: () => timeline.draw(),
    guard: timeline.guard.bind(timeline),
    /** What reconciles and watches failed with, injected faults included. */
    operatorProblems: complaints.problems,
    /** Broken promises and problems that nobody expects. */
    complaints: () => complaints.unanswered(),
    /** A broken promise or problem that has to occur, as in `expected`. */
    expectComplaint: (pattern: RegExp) => complaints.expect(pattern),
    writes: operator.writes,
    reconciles: operator.reconciles,
    /** The operator crashes, and a fresh one takes its place. */
    restart: (next: Fault = noFault) => operator.restart(next),
    stopOperator: () => operator.stop(),
    pods: async (): Promise<Pod[]> => (await client.list<Pod>(podResource, { namespace })).items,
    ...passing(clock, promises),
  };
}

/** Long enough for whatever is still on its way. */
const restMs = 20_000;

/** How time passes. */
const passing = (clock: VirtualClock, promises: readonly KindPromises[]) => ({
  /** Time goes on until this is so. */
  until: async (isSo: () => boolean | Promise<boolean>, limitMs = 600_000) => {
    const end = clock.now() + limitMs;
    while (!(await isSo())) {
      if (clock.now() >= end) throw new Error(`not so after ${limitMs / 1000} s: ${String(isSo)}`);
      await clock.runFor(100);
    }
  },
  /** Time goes on until nothing can change any more, and what must hold then is checked. */
  atRest: async () => {
    await clock.runFor(restMs);
    for (const each of promises) each.checkAtRest?.();
  },
});

const lookEveryMs = 500;

/** Time goes on until this is so; `describe` says what was found instead. */
export async function untilSettled(
  clock: VirtualClock,
  isSettled: () => Promise<boolean>,
  { limitMs = 3_600_000, describe = async () => "" } = {},
): Promise<void> {
  const end = clock.now() + limitMs;
  // Controllers see first what has just happened.
  await clock.runFor(0);
  while (!(await isSettled())) {
    if (clock.now() >= end) {
      throw new Error(`not settled after ${limitMs / 1000} s of virtual time: ${await describe()}`);
    }
    await clock.runFor(lookEveryMs);
  }
}

function resourceOf(object: KubeObject, resources: readonly Resource[]): Resource {
  const found = resources.find(
    (resource) => resource.kind === object.kind && apiVersionOf(resource) === object.apiVersion,
  );
  if (found === undefined) throw new Error(`no kind of this scenario has ${object.kind}`);
  return found;
}
