/** Reads a Placement's spec once: what scheduling needs of it, or what is wrong with it, where, and how to fix it. */
import { fieldErrorText } from "../../api/field-error.ts";
import type { LabelSelector } from "../../api/label-selector.ts";
import { validateLabelSelector } from "../../api/label-selector.ts";
import type { Placement, PlacementSpec } from "../../api/ocm/placement.ts";
import { RuleProblem } from "../../cel/rule-problem.ts";
import type { DecisionUpdateStrategy, GroupSize, SchedulingPolicy } from "../../planner/index.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import type { CelSelector } from "./cel-selector.ts";
import { celSelector } from "./cel-selector.ts";
import { Misconfigured } from "./misconfigured.ts";
import type { AddOnScoreName } from "./parse-prioritizers.ts";
import { parsePrioritizers } from "./parse-prioritizers.ts";
import { parseTolerations } from "./parse-tolerations.ts";

/** Selectors of clusters; all that are given have to match. */
export interface ClusterSelector {
  readonly labels: LabelSelector | undefined;
  readonly claims: LabelSelector | undefined;
  readonly expressions: readonly CelSelector[];
}

export interface ParsedPlacement {
  readonly kind: "valid";
  /** One of them has to match; none matches everything. */
  readonly predicates: readonly ClusterSelector[];
  /** In the order of the policy's groups. */
  readonly groupSelectors: readonly ClusterSelector[];
  readonly scheduling: SchedulingPolicy;
  /** Scores of add-ons that count, in the order of their weights. */
  readonly addOnScores: readonly AddOnScoreName[];
  /** How many checks of one cluster all of this may take, expressions aside. */
  readonly checks: number;
  readonly strategy: DecisionUpdateStrategy;
  /** What the spec says and scheduling leaves out on purpose, with its reason. */
  readonly warnings: readonly string[];
}

export interface MisconfiguredPlacement {
  readonly kind: "misconfigured";
  readonly problem: string;
}

export const parsePlacement = memoizeByIdentity(
  (placement: Placement): ParsedPlacement | MisconfiguredPlacement => {
    try {
      return parse(placement);
    } catch (error) {
      if (!(error instanceof Misconfigured)) throw error;
      return { kind: "misconfigured", problem: error.message };
    }
  },
);

/** The longest text that a label can hold; decisions carry the Placement's name in one. */
const longestName = 63;

function parse({ metadata, spec }: Placement): ParsedPlacement {
  const { name = "" } = metadata;
  if (name.length > longestName) {
    const problem =
      `metadata.name: its ${name.length} characters do not fit into a label of PlacementDecisions, ` +
      `which holds ${longestName}: create the Placement under a shorter name`;
    throw new Misconfigured("Name", problem);
  }
  refuseUnsupported(spec);
  const groups = spec.decisionStrategy?.groupStrategy?.decisionGroups ?? [];
  const prioritizers = parsePrioritizers(spec.prioritizerPolicy);
  const predicates = (spec.predicates ?? []).map(({ requiredClusterSelector: selector }, at) =>
    parseSelector(selector ?? {}, "Predicate", `spec.predicates[${at}].requiredClusterSelector`),
  );
  const groupSelectors = groups.map(({ groupClusterSelector }, at) =>
    parseSelector(groupClusterSelector, "DecisionGroup", groupPath(at)),
  );
  const tolerations = parseTolerations(spec.tolerations ?? []);
  const { addOnScores } = prioritizers;
  return {
    kind: "valid",
    predicates,
    groupSelectors,
    checks: checksOf([...predicates, ...groupSelectors]) + tolerations.length + addOnScores.length,
    scheduling: {
      tolerations,
      numberOfClusters: numberOfClusters(spec),
      weights: prioritizers.weights,
      groups: groups.map(({ groupName }) => groupName),
      groupSize: groupSizeOf(spec),
    },
    addOnScores,
    strategy: spec.decisionStrategy?.updateStrategy?.type ?? "All",
    warnings: [...prioritizers.warnings, ...scoreRate(spec)],
  };
}

const checksOf = (selectors: readonly ClusterSelector[]): number =>
  selectors.reduce((sum, { labels, claims }) => sum + 1 + partsOf(labels) + partsOf(claims), 0);

const partsOf = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): number =>
  Object.keys(matchLabels).length + matchExpressions.length;

const groupPath = (at: number): string =>
  `spec.decisionStrategy.groupStrategy.decisionGroups[${at}].groupClusterSelector`;

/** For definitions that let them through: nothing that a user asks for is silently left out. */
function refuseUnsupported(spec: PlacementSpec): void {
  if ((spec.spreadPolicy?.spreadConstraints ?? []).length > 0) {
    const problem = "spec.spreadPolicy.spreadConstraints: spreading is not supported: remove them";
    throw new Misconfigured("Spread", problem);
  }
  if (spec.sortBy === "Score") {
    const problem = "spec.sortBy: decisions are ordered by cluster name: remove it";
    throw new Misconfigured("Sort", problem);
  }
}

/** What the definitions of Open Cluster Management write into every Placement. */
const defaultScoreRate = "1m";

function scoreRate({ scoreRateLimit = defaultScoreRate }: PlacementSpec): readonly string[] {
  if (scoreRateLimit === defaultScoreRate) return [];
  return [
    `spec.scoreRateLimit: ${scoreRateLimit} has no effect: it slows down sortBy: Score, which is not supported`,
  ];
}

function numberOfClusters({ numberOfClusters: number }: PlacementSpec): number | undefined {
  if (number === undefined || number >= 0) return number;
  const problem = `spec.numberOfClusters: ${number} clusters cannot be selected: use 0 or more`;
  throw new Misconfigured("Number", problem);
}

function groupSizeOf(spec: PlacementSpec): GroupSize {
  const size = spec.decisionStrategy?.groupStrategy?.clustersPerDecisionGroup ?? "100%";
  if (typeof size === "number") return { kind: "clusters", clusters: size };
  const [, digits, percent] = /^([0-9]+)(%?)$/.exec(size) ?? [];
  if (digits === undefined) {
    const path = "spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup";
    const problem = `"${size}" is no number and no percentage: use one such as 50 or 25%`;
    throw new Misconfigured("DecisionGroup", `${path}: ${problem}`);
  }
  return percent === "%"
    ? { kind: "percent", percent: Number(digits) }
    : { kind: "clusters", clusters: Number(digits) };
}

interface SelectorFields {
  readonly labelSelector?: LabelSelector;
  readonly claimSelector?: Pick<LabelSelector, "matchExpressions">;
  readonly celSelector?: { readonly celExpressions?: readonly string[] };
}

function parseSelector(selector: SelectorFields, part: string, path: string): ClusterSelector {
  const { labelSelector: labels, claimSelector: claims, celSelector: cel } = selector;
  const [problem] = [
    ...validateLabelSelector(labels, `${path}.labelSelector`),
    ...validateLabelSelector(withAnyValues(claims), `${path}.claimSelector`),
  ];
  if (problem !== undefined) throw new Misconfigured(part, fieldErrorText(problem));
  const expressions = (cel?.celExpressions ?? []).map((expression, at) => {
    try {
      return celSelector(expression);
    } catch (error) {
      if (!(error instanceof RuleProblem)) throw error;
      const where = `${path}.celSelector.celExpressions[${at}]`;
      throw new Misconfigured(part, `${where}: ${error.message}`);
    }
  });
  return { labels, claims, expressions };
}

/** Claims may hold what labels may not, so their values are not checked like those of labels. */
const withAnyValues = (claims: LabelSelector | undefined): LabelSelector | undefined =>
  claims && {
    matchExpressions: claims.matchExpressions?.map((requirement) => ({
      ...requirement,
      ...(requirement.values && { values: requirement.values.map(() => "") }),
    })),
  };

const expressionsOf = (placement: Placement): readonly CelSelector[] => {
  const parsed = parsePlacement(placement);
  return parsed.kind === "valid" ? parsed.predicates.flatMap(({ expressions }) => expressions) : [];
};

/** For an index: the AddOnPlacementScores whose changes concern a Placement. */
export function scoreNames(placement: Placement): readonly string[] {
  const parsed = parsePlacement(placement);
  if (parsed.kind !== "valid") return [];
  // Without a number nothing is ranked.
  const isRanked = parsed.scheduling.numberOfClusters !== undefined;
  const ranked = isRanked ? parsed.addOnScores.map(({ resourceName }) => resourceName) : [];
  const read = expressionsOf(placement).flatMap((expression) => expression.scoreNames);
  return [...new Set([...ranked, ...read])];
}

/** For an index: Placements whose predicates may read anything of a cluster. */
export const celPlacements = (placement: Placement): readonly string[] =>
  expressionsOf(placement).length > 0 ? ["all"] : [];
