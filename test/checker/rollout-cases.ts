/** The rollouts that are verified, and how many faults each may have. */
import type { Ordering } from "../../src/planner/ordering.ts";
import {
  cliquePolicy,
  replicaRecreatePolicy,
  scalingGroupPolicy,
  statefulSetPolicy,
  type BrokenUnits,
  type OnDeletePolicy,
  type Pacing,
  type Policy,
} from "../../src/planner/policy.ts";
import type { Budget } from "../../src/planner/budget.ts";
import type { Case } from "./case.ts";
import { explore } from "./explore.ts";
import { rolloutModel, type Decide } from "./rollout-model.ts";

const orderings: readonly Ordering[] = [
  "descendingOrdinal",
  "ascendingOrdinal",
  "oldestFirst",
  "unscheduledThenBrokenThenOrdinal",
];
const pacings: readonly Pacing[] = ["parallel", "rounds", "strict"];
const brokenChoices: readonly BrokenUnits[] = ["replace", "wait"];

interface Named {
  readonly name: string;
  readonly policy: Policy;
}
type Family = (units: number) => readonly Named[];

const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, at) => at);

const budgets = (units: number): Budget[] =>
  upTo(units).flatMap((maxUnavailable) =>
    upTo(units)
      .filter((maxSurge) => maxUnavailable + maxSurge > 0)
      .map((maxSurge) => ({ maxUnavailable, maxSurge })),
  );

const inWords = ({ maxUnavailable, maxSurge }: Budget): string =>
  `maxUnavailable ${maxUnavailable}, maxSurge ${maxSurge}`;

const surging =
  (make: (budget: Budget) => Policy): Family =>
  (units) =>
    budgets(units).map((budget) => ({ name: inWords(budget), policy: make(budget) }));

const statefulSets: Family = (units) =>
  upTo(units)
    .slice(1)
    .flatMap((maxUnavailable) =>
      pacings.flatMap((pacing) =>
        brokenChoices.map((broken) => ({
          name: `${pacing}, broken ${broken}, maxUnavailable ${maxUnavailable}`,
          policy: statefulSetPolicy({ maxUnavailable, maxSurge: 0 }, 0, pacing, broken),
        })),
      ),
    );

const onDeletes: Family = (units) =>
  upTo(units).flatMap((maxUnavailable) =>
    pacings.flatMap((pacing) =>
      (["highestOrdinal", "outdatedFirst"] as const).map((scaleIn) => {
        const budget = { maxUnavailable, maxSurge: 0 };
        const policy: OnDeletePolicy = { kind: "onDelete", budget, pacing, scaleIn };
        return { name: `${pacing}, ${scaleIn} leaves, maxUnavailable ${maxUnavailable}`, policy };
      }),
    ),
  );

/** Every ordering with every pacing, also those that no kind uses today. */
const anyRolling: Family = (units) =>
  orderings.flatMap((ordering) =>
    pacings.flatMap((pacing) =>
      brokenChoices.flatMap((brokenUnits) =>
        budgets(units).map((budget) => ({
          name: `${ordering}, ${pacing}, broken ${brokenUnits}, ${inWords(budget)}`,
          policy: { kind: "rolling", budget, partition: 0, ordering, pacing, brokenUnits } as const,
        })),
      ),
    ),
  );

const families = {
  clique: surging(cliquePolicy),
  "scaling-group": surging(scalingGroupPolicy),
  "replica-recreate": surging(replicaRecreatePolicy),
  statefulset: statefulSets,
  "on-delete": onDeletes,
  any: anyRolling,
} as const satisfies Record<string, Family>;
export type FamilyName = keyof typeof families;

/** The bounds within which a family is verified. */
export interface Trial {
  readonly family: FamilyName;
  readonly units: number;
  readonly maxFaults: number;
  readonly maxLag?: number;
  readonly isDetailed?: boolean;
}

export function rolloutCases(trials: readonly Trial[], planner?: Decide): Case[] {
  return trials.flatMap((trial) => {
    const { family, units, maxFaults, maxLag = 0, isDetailed = false } = trial;
    return families[family](units).map(({ name, policy }) => ({
      group: describeTrial(trial),
      policy: family,
      units,
      name: `${family}, ${units} units, ${name}`,
      run: () => {
        const scope = { name, units, policy, isDetailed, maxLag, maxFaults };
        return explore(rolloutModel(scope, planner), maxFaults);
      },
    }));
  });
}

function describeTrial(trial: Trial): string {
  const { family, units, maxFaults, maxLag = 0, isDetailed = false } = trial;
  const faults = Number.isFinite(maxFaults)
    ? `${maxFaults} ${maxFaults === 1 ? "fault" : "faults"}`
    : "any number of faults";
  const lag = maxLag > 0 ? `, view ${maxLag} events behind` : "";
  const plural = units === 1 ? "unit" : "units";
  return `${family}: ${units} ${plural}, ${faults}${lag}${isDetailed ? ", every health" : ""}`;
}

const surgingFamilies = ["clique", "scaling-group", "replica-recreate"] as const;
const unlimited = Number.POSITIVE_INFINITY;

/** About ten minutes of two cores. */
export const wholeTrials: readonly Trial[] = [
  { family: "any", units: 1, maxFaults: unlimited },
  { family: "any", units: 1, maxFaults: unlimited, isDetailed: true },
  { family: "any", units: 2, maxFaults: 2 },
  { family: "any", units: 2, maxFaults: 1, isDetailed: true },
  { family: "any", units: 2, maxFaults: 1, maxLag: 2 },
  ...([1, 2, 3] as const).map((units) => ({
    family: "statefulset" as const,
    units,
    maxFaults: unlimited,
  })),
  { family: "statefulset", units: 4, maxFaults: 2 },
  { family: "statefulset", units: 3, maxFaults: 2, maxLag: 2 },
  { family: "statefulset", units: 3, maxFaults: 2, isDetailed: true },
  ...([1, 2] as const).map((units) => ({
    family: "on-delete" as const,
    units,
    maxFaults: unlimited,
  })),
  { family: "on-delete", units: 3, maxFaults: 2 },
  { family: "on-delete", units: 4, maxFaults: 1 },
  { family: "on-delete", units: 2, maxFaults: 2, maxLag: 2 },
  ...surgingFamilies.flatMap((family) => [
    { family, units: 3, maxFaults: 1 },
    { family, units: 3, maxFaults: 1, maxLag: 1 },
    { family, units: 4, maxFaults: 1 },
  ]),
  { family: "scaling-group", units: 3, maxFaults: 2 },
];

/** The part that runs with the other tests: every family, every kind of event, few units. */
export const quickTrials: readonly Trial[] = [
  { family: "any", units: 1, maxFaults: 1, isDetailed: true },
  { family: "any", units: 2, maxFaults: 0 },
  { family: "statefulset", units: 2, maxFaults: 1 },
  { family: "statefulset", units: 3, maxFaults: 0 },
  { family: "statefulset", units: 2, maxFaults: 1, maxLag: 2 },
  { family: "on-delete", units: 2, maxFaults: 1 },
  { family: "scaling-group", units: 2, maxFaults: 1 },
  { family: "clique", units: 2, maxFaults: 1, maxLag: 1 },
  { family: "replica-recreate", units: 2, maxFaults: 1, isDetailed: true },
];
