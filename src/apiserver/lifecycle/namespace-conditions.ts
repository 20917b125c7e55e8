/** What a terminating namespace says of its deletion, in the words of Kubernetes' own controller. Pure. */
import type { Condition } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";

/** The objects of one resource that are still there. */
export interface Remaining {
  readonly group: string;
  readonly plural: string;
  readonly objects: readonly KubeObject[];
}

/** In the order in which they are written. Discovery, parsing and deleting cannot fail here. */
const finished: readonly Omit<Condition, "status" | "lastTransitionTime">[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
  },
  {
    type: "NamespaceDeletionContentFailure",
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
  },
  {
    type: "NamespaceContentRemaining",
    reason: "ContentRemoved",
    message: "All content successfully removed",
  },
  {
    type: "NamespaceFinalizersRemaining",
    reason: "ContentHasNoFinalizers",
    message: "All content-preserving finalizers finished",
  },
];

export function deletionConditions(
  before: readonly Condition[],
  remaining: readonly Remaining[],
  now: string,
): readonly Condition[] {
  const unfinished = new Map<string, Pick<Condition, "reason" | "message">>([
    ...resourcesRemain(remaining),
    ...finalizersRemain(remaining),
  ]);
  return finished.map((condition) => {
    const left = unfinished.get(condition.type);
    const status = left === undefined ? "False" : "True";
    const old = before.find(({ type }) => type === condition.type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
    return { ...condition, ...left, status, lastTransitionTime: lastTransitionTime ?? now };
  });
}

type Unfinished = readonly [string, Pick<Condition, "reason" | "message">];

/** The dot behind the name of a resource of the core group is theirs. */
function resourcesRemain(remaining: readonly Remaining[]): readonly Unfinished[] {
  const counts = remaining
    .filter(({ objects }) => objects.length > 0)
    .map(({ group, plural, objects }) => `${plural}.${group} has ${objects.length}`);
  if (counts.length === 0) return [];
  const message = `Some resources are remaining: ${inOrder(counts)}`;
  return [["NamespaceContentRemaining", { reason: "SomeResourcesRemain", message }]];
}

function finalizersRemain(remaining: readonly Remaining[]): readonly Unfinished[] {
  const counts = new Map<string, number>();
  const all = remaining.flatMap(({ objects }) => objects);
  for (const name of all.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const named = inOrder([...counts].map(([name, count]) => `${name} in ${count}`));
  const message = `Some content in the namespace has finalizers remaining: ${named}`;
  return [["NamespaceFinalizersRemaining", { reason: "SomeFinalizersRemain", message }]];
}

const inOrder = (counts: readonly string[]): string =>
  counts
    .map((count) => `${count} resource instances`)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join(", ");
