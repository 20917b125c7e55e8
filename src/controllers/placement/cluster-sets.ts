/** Which ManagedClusterSets a Placement selects from, and which clusters belong to them. */
import { fieldErrorText } from "../../api/field-error.ts";
import { selectorMatches, validateLabelSelector } from "../../api/label-selector.ts";
import { ocmLabels } from "../../api/ocm/labels.ts";
import type { ManagedCluster, ManagedClusterSet } from "../../api/ocm/managed-cluster.ts";
import type { Placement } from "../../api/ocm/placement.ts";
import { memo } from "../engine/memoize.ts";
import type { PlacementReaders } from "./caches.ts";
import { everySet, indexNames } from "./caches.ts";

interface EligibleSets {
  /** Names of the sets that are bound to the namespace and exist, in order. */
  readonly bound: readonly string[];
  /** Those of them that the Placement wants. */
  readonly eligible: readonly ManagedClusterSet[];
}

export function eligibleSets(
  { bindings, sets }: Pick<PlacementReaders, "bindings" | "sets">,
  { metadata, spec }: Placement,
): EligibleSets {
  const bound = bindings
    .byIndex(indexNames.namespace, metadata.namespace ?? "")
    .flatMap((binding) => sets.get(binding.metadata.name ?? "") ?? [])
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  const wanted = new Set(spec.clusterSets);
  const isWanted = ({ metadata: { name = "" } }: ManagedClusterSet): boolean =>
    wanted.size === 0 || wanted.has(name);
  return {
    bound: bound.map((set) => set.metadata.name ?? ""),
    eligible: bound.filter(isWanted),
  };
}

/** A set whose clusters cannot be determined; the Placements that select from it keep what they have. */
export class UnreadableSet extends Error {}

const membersBySelector = memo<ManagedClusterSet, readonly ManagedCluster[]>();

/** The very same list as long as no cluster changes. Throws UnreadableSet. */
export function membersOf(
  clusters: PlacementReaders["clusters"],
  set: ManagedClusterSet,
): readonly ManagedCluster[] {
  const { name = "" } = set.metadata;
  const { selectorType = "ExclusiveClusterSetLabel", labelSelector } = selectorOf(set);
  if (selectorType === "ExclusiveClusterSetLabel") {
    return clusters.byIndex(indexNames.byClusterSet, name);
  }
  const problem = selectorProblem(set);
  if (problem !== undefined) throw new UnreadableSet(problem);
  const all = clusters.list();
  return membersBySelector(set, [all], () =>
    all.filter(({ metadata }) => selectorMatches(labelSelector, metadata.labels)),
  );
}

const selectorOf = ({ spec }: ManagedClusterSet) =>
  spec?.clusterSelector ?? { selectorType: "ExclusiveClusterSetLabel" as const };

function selectorProblem(set: ManagedClusterSet): string | undefined {
  const { name = "" } = set.metadata;
  const path = `ManagedClusterSet ${name}: spec.clusterSelector`;
  const { selectorType, labelSelector } = selectorOf(set);
  if (selectorType !== "LabelSelector") {
    const known = "use ExclusiveClusterSetLabel or LabelSelector";
    return `${path}.selectorType: "${String(selectorType)}" is not known: ${known}`;
  }
  const [problem] = validateLabelSelector(labelSelector, `${path}.labelSelector`);
  return problem && fieldErrorText(problem);
}

/** Placements that may select from a set. */
export function placementsOfSet(
  { bindings, placements }: Pick<PlacementReaders, "bindings" | "placements">,
  set: string,
): readonly Placement[] {
  return bindings
    .byIndex(indexNames.byBoundSet, set)
    .flatMap(({ metadata }) => placementsNaming(placements, metadata.namespace ?? "", set));
}

/** Placements of a namespace that name a set, or none at all. */
export const placementsNaming = (
  placements: PlacementReaders["placements"],
  namespace: string,
  set: string,
): readonly Placement[] => [
  ...placements.byIndex(indexNames.bySet, `${namespace}/${set}`),
  ...placements.byIndex(indexNames.bySet, `${namespace}/${everySet}`),
];

/** Names of the sets that a cluster, in this version of it, belongs to. */
function setsOf(sets: PlacementReaders["sets"], cluster: ManagedCluster): readonly string[] {
  const bySelector = sets
    .byIndex(indexNames.bySelectorType, "LabelSelector")
    .filter(
      (set) =>
        selectorProblem(set) === undefined &&
        selectorMatches(selectorOf(set).labelSelector, cluster.metadata.labels),
    )
    .map(({ metadata }) => metadata.name ?? "");
  const labelled = cluster.metadata.labels?.[ocmLabels.clusterSet];
  const type = labelled === undefined ? undefined : sets.get(labelled);
  const isExclusive = type !== undefined && selectorOf(type).selectorType !== "LabelSelector";
  return isExclusive && labelled !== undefined ? [labelled, ...bySelector] : bySelector;
}

/** Placements that may select a cluster, in this version of it. */
export const placementsOfCluster = (
  readers: Pick<PlacementReaders, "bindings" | "placements" | "sets">,
  cluster: ManagedCluster,
): ReadonlySet<Placement> =>
  new Set(setsOf(readers.sets, cluster).flatMap((set) => placementsOfSet(readers, set)));

/** Whether a Placement may select a cluster, in this version of it. */
export function isEligible(
  readers: Pick<PlacementReaders, "bindings" | "sets">,
  placement: Placement,
  cluster: ManagedCluster,
): boolean {
  const { eligible } = eligibleSets(readers, placement);
  const own = new Set(setsOf(readers.sets, cluster));
  return eligible.some(({ metadata }) => own.has(metadata.name ?? ""));
}
