/** What scheduling asks of clusters. Whatever does not depend on the Placement is worked out once for all of them. */
import type { ManagedCluster } from "../../api/ocm/managed-cluster.ts";
import { clustersOf } from "../../api/ocm/placement.ts";
import type { Candidate, ClusterFigures, Schedule } from "../../planner/index.ts";
import { scheduleClusters } from "../../planner/index.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import type { ScoresByName } from "./cel-selector.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import { factsOf, groupOf, isMatch } from "./cluster-facts.ts";
import { Effort } from "./effort.ts";
import type { Observed } from "./observe.ts";
import type { ParsedPlacement } from "./parse-placement.ts";

/** Throws Misconfigured where it would take too long. */
export function scheduleOf(observed: Observed, parsed: ParsedPlacement): Schedule {
  const { decisions, nowMs, usage } = observed;
  const listed = new Set(decisions.flatMap(clustersOf));
  const effort = new Effort();
  effort.spend(parsed.checks * observed.clusters.length);
  const candidates = candidatesOf(observed, parsed, effort);
  return scheduleClusters(
    {
      nowMs,
      candidates:
        listed.size === 0
          ? candidates
          : candidates.map((each) => (listed.has(each.name) ? { ...each, isListed: true } : each)),
      figuresOf: figuresOf(observed, parsed),
      mostUses: usage.most,
    },
    parsed.scheduling,
  );
}

/** As if no decision listed any of them. */
function candidatesOf(
  { clusters, scoresOf }: Observed,
  parsed: ParsedPlacement,
  effort: Effort,
): readonly Candidate[] {
  const plain = plainCandidates(clusters);
  const { predicates, groupSelectors } = parsed;
  if (predicates.length === 0 && groupSelectors.length === 0) return plain;
  return clusters.flatMap((cluster, at) => {
    const candidate = plain[at];
    if (candidate === undefined) return [];
    const { name } = candidate;
    const scores: ScoresByName = (resource) => scoresOf(name, resource)?.scores;
    if (!isMatch(parsed, { cluster, scores, effort })) return [];
    const group = groupOf(parsed, { cluster, effort });
    return [group === undefined ? candidate : { ...candidate, group }];
  });
}

const plainCandidates = memoizeByIdentity((clusters: readonly ManagedCluster[]) =>
  clusters.map((cluster): Candidate => {
    const { name, taints } = factsOf(cluster);
    return { name, isMatch: true, taints, isListed: false, group: undefined };
  }),
);

const factsByName = memoizeByIdentity(
  (clusters: readonly ManagedCluster[]): ReadonlyMap<string, ClusterFacts> =>
    new Map(clusters.map(factsOf).map((facts) => [facts.name, facts])),
);

const noScores: readonly number[] = [];

/** What ranking knows of a cluster. */
function figuresOf(
  { clusters, scoresOf, usage, nowMs }: Observed,
  { addOnScores }: ParsedPlacement,
): (name: string) => ClusterFigures {
  const scoreOf = (cluster: string, resourceName: string, scoreName: string): number => {
    const read = scoresOf(cluster, resourceName);
    if (read === undefined || (read.untilMs ?? Infinity) <= nowMs) return 0;
    return read.scores.find((score) => score.name === scoreName)?.value ?? 0;
  };
  return (name) => {
    const { cpu, memory } = factsByName(clusters).get(name) ?? {};
    const scores =
      addOnScores.length === 0
        ? noScores
        : addOnScores.map(({ resourceName, scoreName }) => scoreOf(name, resourceName, scoreName));
    return { uses: usage.of(name), cpu, memory, addOnScores: scores };
  };
}
