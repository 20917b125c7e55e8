/** Draws a run from a seed: an object of the kind, and what happens to it. */
import type { KubeObject } from "../api/object.ts";
import type { Random } from "../sim/random.ts";
import { seededRandom } from "../sim/random.ts";
import type { Rates, Script, Step } from "./script.ts";
import { defaultRates, isEdit, isMomentFault } from "./script.ts";
import type { SimulatedKind } from "./simulated-kind.ts";

export interface DrawOptions {
  readonly kind: SimulatedKind;
  readonly seed: number;
  readonly rates?: Rates;
  /** Instead of drawn ones; the first one is changed. */
  readonly objects?: readonly KubeObject[];
  readonly nodes?: number;
}

const fewestSteps = 4;
const mostSteps = 12;
/** Mostly before the change before it is through. */
const longestPauseMs = 12_000;
/** Most of what kubelets report changes nothing for an operator, and costs as much as what does. */
const shareOfTerse = 0.75;

export function drawScript(options: DrawOptions): Script {
  const { kind, seed, rates = defaultRates, objects, nodes } = options;
  const random = seededRandom(seed);
  const drawn = objects ?? kind.draw(random);
  const script: Script = {
    kind: kind.name,
    seed,
    nodes: nodes ?? 2 + random.below(3),
    operators: (rates.lostLeader ?? 0) > 0 && random.happens(0.25) ? 2 : 1,
    objects: drawn,
    steps: drawSteps(random, rates),
    rates: calmOrStormy(random, rates),
  };
  return { ...script, isTerse: random.happens(shareOfTerse) };
}

/** Some runs are calm, so that people's changes are seen alone; some are stormy. */
function calmOrStormy(random: Random, rates: Rates): Rates {
  const factor = [0, 0.5, 1, 1, 3][random.below(5)] ?? 1;
  return Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, rate * factor]));
}

function drawSteps(random: Random, rates: Rates): Step[] {
  const choices = Object.entries(rates).flatMap(([what, weight]) =>
    (isEdit(what) || isMomentFault(what)) && weight > 0 ? [{ what, weight }] : [],
  );
  const total = choices.reduce((sum, { weight }) => sum + weight, 0);
  const count = fewestSteps + random.below(mostSteps - fewestSteps + 1);
  let atMs = random.below(20_000);
  return Array.from({ length: count }, () => {
    let left = random.next() * total;
    const chosen = choices.find(({ weight }) => (left -= weight) < 0) ?? choices[0];
    const steps = chosen === undefined ? [] : [{ atMs, what: chosen.what, value: random.next() }];
    atMs += random.below(longestPauseMs);
    return steps;
  }).flat();
}
