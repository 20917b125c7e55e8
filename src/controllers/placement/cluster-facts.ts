/** What scheduling reads of a ManagedCluster, worked out once for every version of it. */
import type { LabelSelector } from "../../api/label-selector.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import type { ManagedCluster } from "../../api/ocm/managed-cluster.ts";
import { isTerminating } from "../../api/object.ts";
import { isSameJson } from "../../api/same-json.ts";
import { approximateNumber } from "../../api/quantity.ts";
import { parseTime } from "../../api/time-text.ts";
import type { Taint } from "../../planner/index.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import type { ScoresByName } from "./cel-selector.ts";
import type { Effort } from "./effort.ts";
import type { ClusterSelector, ParsedPlacement } from "./parse-placement.ts";

export interface ClusterFacts {
  readonly name: string;
  readonly isTerminating: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly claims: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly cpu: number | undefined;
  readonly memory: number | undefined;
}

export const factsOf = memoizeByIdentity((cluster: ManagedCluster): ClusterFacts => {
  const { metadata, spec, status } = cluster;
  const claims = (status?.clusterClaims ?? []).map(({ name = "", value = "" }) => [name, value]);
  return {
    name: metadata.name ?? "",
    isTerminating: isTerminating(cluster),
    labels: metadata.labels ?? {},
    claims: Object.fromEntries(claims) as Record<string, string>,
    taints: (spec?.taints ?? []).map(({ key, value = "", effect, timeAdded }) => ({
      key,
      value,
      effect,
      addedMs: timeAdded === undefined || timeAdded === null ? undefined : parseTime(timeAdded),
    })),
    cpu: amountOf(cluster, "cpu"),
    memory: amountOf(cluster, "memory"),
  };
});

/** Versions of a cluster that are equal for every Placement without an expression. */
export const isSameForSelectors = (a: ManagedCluster, b: ManagedCluster): boolean =>
  isSameJson(factsOf(a), factsOf(b));

/** What is left of a resource; only clusters that also say what they have of it take part. */
function amountOf({ status }: ManagedCluster, resource: string): number | undefined {
  const allocatable = status?.allocatable?.[resource];
  if (allocatable === undefined || status?.capacity?.[resource] === undefined) return undefined;
  return approximateNumber(String(allocatable));
}

interface Question {
  readonly cluster: ManagedCluster;
  readonly scores: ScoresByName;
  readonly effort: Effort;
}

/** Whether one of the predicates matches; without any, every cluster does. */
export const isMatch = ({ predicates }: ParsedPlacement, question: Question): boolean =>
  predicates.length === 0 ||
  predicates.some((predicate) => selectorMatchesCluster(predicate, question));

/** The first of the named groups that a cluster belongs to, by its place in their list. */
export function groupOf(
  { groupSelectors }: ParsedPlacement,
  { cluster, effort }: Omit<Question, "scores">,
): number | undefined {
  const at = groupSelectors.findIndex((selector) =>
    selectorMatchesCluster(selector, { cluster, scores: noScores, effort }),
  );
  return at < 0 ? undefined : at;
}

const noScores: ScoresByName = () => undefined;

function selectorMatchesCluster(
  { labels, claims, expressions }: ClusterSelector,
  question: Question,
): boolean {
  const facts = factsOf(question.cluster);
  return (
    isMatched(labels, facts.labels) &&
    isMatched(claims, facts.claims) &&
    areMatched(expressions, question)
  );
}

/** What the expressions of one predicate may cost together, for one cluster. */
const highestCost = 10_000_000;

function areMatched(
  expressions: ClusterSelector["expressions"],
  { cluster, scores, effort }: Question,
): boolean {
  let spent = 0;
  return expressions.every((expression) => {
    const { isMatch: isOne, cost, patternSteps } = expression.evaluate(cluster, scores);
    effort.spend(cost + patternSteps);
    spent += cost;
    return isOne && spent <= highestCost;
  });
}

const isMatched = (
  selector: LabelSelector | undefined,
  values: Readonly<Record<string, string>>,
): boolean => selector === undefined || selectorMatches(selector, values);
