/** Runs one seed after the other, and counts. */
import type { Resource } from "../api/resource.ts";
import type { KubeObject } from "../api/object.ts";
import type { Catalogue } from "../sim/images/catalogue.ts";
import { drawScript } from "./draw-script.ts";
import type { Outcome } from "./run.ts";
import { runScript } from "./run.ts";
import type { Rates, Script } from "./script.ts";
import type { SimulatedKind } from "./simulated-kind.ts";
import type { Definitions } from "./world.ts";

export interface PlayOptions {
  /** Of all custom kinds. */
  readonly definitions: Definitions;
  readonly catalogue?: Catalogue;
  readonly resources?: readonly Resource[];
}

export interface Subject {
  readonly kind: SimulatedKind;
  /** Left out, they are drawn from the seed; the first one is changed. */
  readonly objects?: readonly KubeObject[];
}

export interface SweepOptions extends PlayOptions {
  readonly subjects: readonly Subject[];
  readonly firstSeed: number;
  readonly runs: number;
  readonly rates?: Rates;
  readonly nodes?: number;
  /** Asked before every run. */
  readonly isOver?: () => boolean;
  readonly onRun?: (outcome: Outcome, counts: Counts) => void;
}

export interface Counts {
  readonly runs: number;
  readonly rollouts: number;
  readonly virtualMs: number;
  readonly lastSeed: number;
}

export interface Swept extends Counts {
  readonly failures: readonly Outcome[];
}

/** A seed is of one kind whichever seed comes first. */
export function subjectOf(subjects: readonly Subject[], seed: number): Subject {
  const subject = subjects[seed % subjects.length];
  if (subject === undefined) throw new RangeError("there is nothing to simulate");
  return subject;
}

export async function sweep(options: SweepOptions): Promise<Swept> {
  const { subjects, firstSeed, runs, isOver = () => false, onRun } = options;
  const failures: Outcome[] = [];
  let counts: Counts = { runs: 0, rollouts: 0, virtualMs: 0, lastSeed: firstSeed };
  for (let seed = firstSeed; seed < firstSeed + runs && !isOver(); seed++) {
    const outcome = await playSeed(options, subjectOf(subjects, seed), seed);
    counts = {
      runs: counts.runs + 1,
      rollouts: counts.rollouts + outcome.rollouts,
      virtualMs: counts.virtualMs + outcome.virtualMs,
      lastSeed: seed,
    };
    if (outcome.failure !== undefined) failures.push(outcome);
    onRun?.(outcome, counts);
  }
  return { ...counts, failures };
}

export interface SeedOptions extends PlayOptions {
  readonly rates?: Rates;
  readonly nodes?: number;
  readonly records?: boolean;
}

export function playSeed(
  { rates, nodes, ...options }: SeedOptions,
  { kind, objects }: Subject,
  seed: number,
): Promise<Outcome> {
  const script = drawScript({
    kind,
    seed,
    ...(rates && { rates }),
    ...(nodes !== undefined && { nodes }),
    ...(objects && { objects }),
  });
  return playScript(options, kind, script);
}

export function playScript(
  { definitions, catalogue, resources, records }: SeedOptions,
  kind: SimulatedKind,
  script: Script,
): Promise<Outcome> {
  return runScript({
    kind,
    script,
    definitions,
    ...(catalogue && { catalogue }),
    ...(resources && { resources }),
    ...(records !== undefined && { records }),
  });
}
