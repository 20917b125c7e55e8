/** What every controller has to survive: its own crash after any single write of a rollout. */
import { crashAfter } from "../../src/sim/faults.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import type { Fault } from "../../src/simulation/faults.ts";

/** A workload that can be rolled to another image while its operator crashes and is started again. */
export interface Rollable<G> {
  readonly clock: VirtualClock;
  /** What the operator wrote so far; emptied to count afresh. */
  readonly writes: Record<string, number>;
  settled(): Promise<void>;
  setImage(image: string): Promise<unknown>;
  restart(next?: Fault): Promise<void>;
  guard(): G;
  drawing(): string[];
}

export interface Survived<G> {
  /** After which of its writes the operator crashed. */
  readonly position: number;
  readonly guarded: G;
  readonly drawing: readonly string[];
}

/** Rolls once per write that a rollout needs, the operator crashing after that write, and returns how each ended. */
export async function crashAfterEveryWrite<G>(
  start: () => Promise<Rollable<G>>,
): Promise<Survived<G>[]> {
  const total = await writesOfRollout(start);
  const survived: Survived<G>[] = [];
  for (let position = 1; position <= total; position++) {
    const scenario = await start();
    await scenario.settled();
    const guarded = scenario.guard();
    await scenario.restart((transport) => crashAfter(transport, position));
    await scenario.setImage("web:v2");
    await scenario.clock.runFor(60_000);
    await scenario.restart();
    await scenario.settled();
    survived.push({ position, guarded, drawing: scenario.drawing() });
  }
  return survived;
}

async function writesOfRollout(start: () => Promise<Rollable<unknown>>): Promise<number> {
  const scenario = await start();
  await scenario.settled();
  for (const key of Object.keys(scenario.writes)) delete scenario.writes[key];
  await scenario.setImage("web:v2");
  await scenario.settled();
  return Object.values(scenario.writes).reduce((sum, count) => sum + count, 0);
}
