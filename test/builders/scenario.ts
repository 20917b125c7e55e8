/** A simulated cluster in virtual time with the operator in it: every scenario of every kind runs here. */
import type { KubeObject } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import { apiVersionOf } from "../../src/api/resource.ts";
import type { KindDefinition } from "../../src/controllers/engine/kind-definition.ts";
import type { RolloutGauges } from "../../src/controllers/engine/rollout-gauges.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import type { ClusterOptions } from "../../src/sim/cluster.ts";
import { Complaints } from "./complaints.ts";
import type { Fault } from "./faults.ts";
import { noFault } from "./faults.ts";
import type { KindPromises, ScenarioKind } from "./scenario-kind.ts";
import { ScenarioOperator } from "./scenario-operator.ts";
import { Timeline } from "./scenario-timeline.ts";
import { simulation } from "./simulation.ts";

export const namespace = "default";

export interface ScenarioOptions {
  /** The first one draws the pods. */
  readonly kinds: readonly [ScenarioKind, ...ScenarioKind[]];
  /** Created in this order once the operator runs. */
  readonly objects?: readonly KubeObject[];
  /** What stands between the operator and the API server; problems that it makes up fail no test. */
  readonly faults?: Fault;
  readonly cluster?: Pick<Partial<ClusterOptions>, "nodes" | "shape" | "deployments">;
  /** Schedulers that place gangs as a whole; left out, the simulated one does, otherwise it places pods one by one. */
  readonly gangSchedulers?: readonly string[];
  /** Where the operator shows its gauges. */
  readonly rollouts?: RolloutGauges;
  /** Broken promises and problems that have to occur; any other fails the test. */
  readonly expected?: readonly RegExp[];
}

export async function scenario(options: ScenarioOptions) {
  const { kinds, objects = [], faults = noFault, cluster = {}, expected = [] } = options;
  const complaints = new Complaints(expected);
  const hasCustomKinds = definitionsOf(kinds).some(({ customKinds }) => customKinds.length > 0);
  const onProblem = (problem: unknown): void => complaints.problem(problem, false);
  const gangs = hasCustomKinds && options.gangSchedulers === undefined;
  const world = await simulation({ ...cluster, gangs, customKinds: hasCustomKinds, onProblem });
  const { client, clock, transport } = world;
  const report = (violation: string): void => complaints.violation(violation);
  const [{ drawing }] = kinds;
  const timeline = new Timeline({ client, clock, drawing, report });
  for (const kind of kinds) for (const each of kind.invariants ?? []) timeline.always(each);
  const promises = kinds.flatMap((kind) => kind.promises?.({ client, clock, report }) ?? []);
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
    /** Broken promises and problems that nobody expects. Checked after every test anyway. */
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

const definitionsOf = (kinds: readonly ScenarioKind[]): readonly KindDefinition[] =>
  kinds.flatMap(({ definitions }) => definitions);

export type Scenario = Awaited<ReturnType<typeof scenario>>;

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
