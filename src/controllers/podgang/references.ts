/** Which pods a gang should list, and whether that has to be written now or may wait. */
import type { PodGang, PodGroup } from "../../api/grove/podgang.ts";
import type { Pod } from "../../api/pod.ts";
import { isListedIn, listingOf } from "../listed-pods.ts";

/** What the gang knows of one of its groups: the clique behind it and that clique's pods. */
export interface GroupView {
  readonly name: string;
  /** How many pods the clique wants; undefined where there is no such clique. */
  readonly desired: number | undefined;
  /** Pods of the clique that are not on their way out, in name order. */
  readonly pods: readonly Pod[];
}

/** What says which pods belong to the gang. */
export interface Listing {
  readonly podgroups: readonly PodGroup[];
  readonly annotations: Readonly<Record<string, string>>;
}

export type ReferenceWrite =
  | { readonly kind: "none" }
  /** References to pods that are gone, or a first list with pods still to come: more may be written together. */
  | { readonly kind: "later"; readonly listing: Listing }
  /** Pods that came back while others are missing: those made in the same moment may be listed together. */
  | { readonly kind: "soon"; readonly listing: Listing }
  | { readonly kind: "now"; readonly listing: Listing };

/** The first list is written when it is complete; later pods are listed as they come. */
export function referenceWrite(
  gang: PodGang,
  groups: readonly GroupView[],
  isInitialized: boolean,
): ReferenceWrite {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const podsOf = ({ name }: PodGroup): readonly Pod[] => byName.get(name)?.pods ?? [];
  const { podgroups } = gang.spec;
  const changes = podgroups.map((group) => change(gang, group, podsOf(group)));
  if (changes.every((each) => each === "none")) return { kind: "none" };
  const listing = {
    podgroups: podgroups.map((group) => listed(group, podsOf(group))),
    annotations: listingOf(podgroups.flatMap(podsOf)),
  };
  if (!changes.includes("added")) return { kind: "later", listing };
  if (isComplete(gang, groups)) return { kind: "now", listing };
  return { kind: isInitialized ? "soon" : "later", listing };
}

/** Every group has all the pods its clique wants. */
export function isComplete(gang: PodGang, groups: readonly GroupView[]): boolean {
  const byName = new Map(groups.map((group) => [group.name, group]));
  return gang.spec.podgroups.every(({ name }) => {
    const group = byName.get(name);
    return group?.desired !== undefined && group.pods.length >= group.desired;
  });
}

function listed(group: PodGroup, pods: readonly Pod[]): PodGroup {
  const podReferences = pods.map(({ metadata }) => ({
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
  }));
  return { ...group, podReferences };
}

function change(
  gang: PodGang,
  group: PodGroup,
  pods: readonly Pod[],
): "none" | "added" | "removed" {
  if (!pods.every(isListedIn(gang, group))) return "added";
  return group.podReferences.length === pods.length ? "none" : "removed";
}
