/** Which pods a gang should list, and whether that has to be written now or may wait. */
import type { PodGang, PodGangSpec, PodGroup } from "../../api/grove/podgang.ts";
import type { Pod } from "../../api/pod.ts";

/** What the gang knows of one of its groups: the clique behind it and that clique's pods. */
export interface GroupView {
  readonly name: string;
  /** How many pods the clique wants; undefined where there is no such clique. */
  readonly desired: number | undefined;
  /** Pods of the clique that are not on their way out, in name order. */
  readonly pods: readonly Pod[];
}

export type ReferenceWrite =
  | { readonly kind: "none" }
  /** References to pods that are gone, or a first list with pods still to come: more may be written together. */
  | { readonly kind: "later"; readonly spec: PodGangSpec }
  /** Pods that came back while others are missing: those made in the same moment may be listed together. */
  | { readonly kind: "soon"; readonly spec: PodGangSpec }
  | { readonly kind: "now"; readonly spec: PodGangSpec };

/** The first list is written when it is complete; later pods are listed as they come. */
export function referenceWrite(
  gang: PodGang,
  groups: readonly GroupView[],
  isInitialized: boolean,
): ReferenceWrite {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const podgroups = gang.spec.podgroups.map((group) => listed(group, byName.get(group.name)));
  const spec = { ...gang.spec, podgroups };
  const changes = podgroups.map((group, index) => change(gang.spec.podgroups[index], group));
  if (changes.every((each) => each === "none")) return { kind: "none" };
  if (!changes.includes("added")) return { kind: "later", spec };
  if (isComplete(gang, groups)) return { kind: "now", spec };
  return { kind: isInitialized ? "soon" : "later", spec };
}

/** Every group has all the pods its clique wants. */
export function isComplete(gang: PodGang, groups: readonly GroupView[]): boolean {
  const byName = new Map(groups.map((group) => [group.name, group]));
  return gang.spec.podgroups.every(({ name }) => {
    const group = byName.get(name);
    return group?.desired !== undefined && group.pods.length >= group.desired;
  });
}

function listed(group: PodGroup, view: GroupView | undefined): PodGroup {
  const podReferences = (view?.pods ?? []).map(({ metadata }) => ({
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
  }));
  return { ...group, podReferences };
}

function change(before: PodGroup | undefined, after: PodGroup): "none" | "added" | "removed" {
  const known = new Set(before?.podReferences.map(({ name }) => name));
  if (after.podReferences.some(({ name }) => !known.has(name))) return "added";
  return known.size === after.podReferences.length ? "none" : "removed";
}
