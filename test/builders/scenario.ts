/** Scenarios of tests: what the cluster writes is on record, and complaints fail the test. */
import type { ClusterOptions } from "../../src/sim/cluster.ts";
import type { ScenarioOptions as EngineOptions } from "../../src/simulation/scenario.ts";
import { scenarioIn } from "../../src/simulation/scenario.ts";
import { checkedComplaints } from "./complaints.ts";
import { simulation } from "./simulation.ts";

export { namespace, untilSettled } from "../../src/simulation/scenario.ts";

export interface ScenarioOptions extends Omit<EngineOptions, "complaints"> {
  readonly cluster?: Pick<Partial<ClusterOptions>, "nodes" | "shape" | "deployments">;
  /** Broken promises and problems that have to occur; any other fails the test. */
  readonly expected?: readonly RegExp[];
}

export async function scenario(options: ScenarioOptions) {
  const { cluster = {}, expected = [], ...given } = options;
  const complaints = checkedComplaints(expected);
  const definitions = given.kinds.flatMap((kind) => kind.definitions);
  const own = definitions.flatMap((definition) => definition.customKinds);
  // Checking all definitions takes longer than most scenarios of fleets, which have no pods.
  const isFleet = cluster.nodes === 0;
  const customKinds = isFleet ? own.map(({ resource }) => resource) : own.length > 0;
  const onProblem = (problem: unknown): void => complaints.problem(problem, false);
  const gangs = customKinds === true && given.gangSchedulers === undefined;
  const world = await simulation({ ...cluster, gangs, customKinds, onProblem });
  return scenarioIn(world, { ...given, complaints });
}

export type Scenario = Awaited<ReturnType<typeof scenario>>;
