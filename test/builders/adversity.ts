/** What every controller has to survive: a storm of faults, and its own death after any single write. */
import { crashAfter, faultyTransport } from "../../src/sim/faults.ts";
import type { Faults } from "../../src/sim/faults.ts";
import type { Random } from "../../src/sim/random.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import type { Transport } from "../../src/runtime/transport.ts";

type Between = (transport: Transport, clock: VirtualClock) => Transport;

export const storm: Faults = {
  conflict: 0.05,
  serverError: 0.05,
  lostAnswer: 0.05,
  lostRequest: 0.05,
  droppedWatch: 0.05,
  delayedEvent: 0.2,
  longestDelayMs: 3_000,
};

/** Puts faults between an operator and its API server. */
export const stormy =
  (random: Random, faults: Faults = storm): Between =>
  (transport, clock) =>
    faultyTransport(transport, { faults, random, clock });

/** A workload that can be rolled to another image while its operator dies and is started again. */
export interface Rollable<G> {
  readonly clock: VirtualClock;
  /** What the operator wrote so far; emptied to count afresh. */
  readonly writes: Record<string, number>;
  settled(): Promise<void>;
  setImage(image: string): Promise<unknown>;
  restart(next?: Between): Promise<void>;
  guard(): G;
  drawing(): string[];
}

export interface Survived<G> {
  /** After which of its writes the operator died. */
  readonly position: number;
  readonly guarded: G;
  readonly drawing: readonly string[];
}

/** Rolls once per write that a rollout needs, the operator dying after that write, and tells how each ended. */
export async function dieAfterEveryWrite<G>(
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
