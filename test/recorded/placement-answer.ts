/** What a scheduler answers to a recorded case, as one line of text. */

export interface ScheduleAnswer {
  readonly misconfigured: boolean;
  readonly selected: readonly string[];
  /** How many clusters predicates and taints leave. */
  readonly feasible: number;
  readonly scores: Readonly<Record<string, number>> | null;
  readonly unscheduled: number;
}

/** `c10 c21 of 5: c10=120 c21=100 ...; 2 unscheduled`: scores where fewer than all were wanted. */
export function answerLine({ numberOfClusters }: Wanted, answer: ScheduleAnswer): string {
  const { misconfigured, selected, feasible, scores, unscheduled } = answer;
  if (misconfigured) return "misconfigured";
  const isRanked = numberOfClusters !== undefined && numberOfClusters < feasible;
  const ranking = Object.entries(scores ?? {}).map(([name, score]) => `${name}=${score}`);
  return [
    `${selected.toSorted().join(" ") || "none"} of ${feasible}`,
    ...(isRanked ? [`: ${ranking.toSorted().join(" ")}`] : []),
    ...(unscheduled > 0 ? [`; ${unscheduled} unscheduled`] : []),
  ].join("");
}

interface Wanted {
  readonly numberOfClusters?: number | undefined;
}
