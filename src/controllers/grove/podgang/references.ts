/** Which pods a gang should list, and whether that must be written now or may wait. */
import { mostParts } from "../../../api/size-limit.ts";
import { isTerminating } from "../../../api/object.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import { podHostname } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodGang, PodGangSpec, PodGroup } from "../../../api/grove/podgang.ts";
import type { Pod } from "../../../api/pod.ts";
import { isFinished, isReady } from "../../../api/pod.ts";
import { isSameJson } from "../../../api/same-json.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { troubleIn } from "../../engine/pod-health.ts";
import { numberLabel } from "../set-members.ts";

/** What the gang knows of one of its groups: the clique behind it and that clique's pods. */
export interface GroupView {
  readonly name: string;
  /** How many pods the clique wants; undefined where there is no such clique. */
  readonly desired: number | undefined;
  /** Pods of the clique that are not terminating, in name order. */
  readonly pods: readonly Pod[];
  /** Why the clique keeps pods from the scheduler, if it does. */
  readonly heldBack?: string | undefined;
}

type ReferenceWrite =
  | { readonly kind: "none" }
  /** Only references to pods that are gone for good: several may be written together. */
  | { readonly kind: "later"; readonly spec: PodGangSpec }
  /** Some pod waits to be listed. */
  | { readonly kind: "now"; readonly spec: PodGangSpec };

/**
 * Pods are listed before they are created, since their names are known: then they need no gate. So a pod that is
 * replaced, or a clique that is created again, changes nothing here.
 */
export function referenceWrite(gang: PodGang, groups: readonly GroupView[]): ReferenceWrite {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const podgroups = gang.spec.podgroups.map((group) => listed(gang, group, byName.get(group.name)));
  const changes = podgroups.map((group, index) => change(gang.spec.podgroups[index], group));
  if (changes.every((each) => each === "none")) return { kind: "none" };
  return { kind: changes.includes("added") ? "now" : "later", spec: { ...gang.spec, podgroups } };
}

/** Every group has all the pods its clique wants. */
export function hasAllPods(gang: PodGang, groups: readonly GroupView[]): boolean {
  const byName = new Map(groups.map((group) => [group.name, group]));
  return gang.spec.podgroups.every(({ name }) => {
    const group = byName.get(name);
    return group?.desired !== undefined && group.pods.length >= group.desired;
  });
}

/** The pods that exist and those that may come; unchanged where there is no clique. */
function listed({ metadata }: PodGang, group: PodGroup, view: GroupView | undefined): PodGroup {
  if (view?.desired === undefined) return group;
  const { namespace = "" } = metadata;
  const podReferences = namesOf(view).map((name) => ({ namespace, name }));
  return { ...group, podReferences };
}

/** A vacant place of the clique stays listed under the name of its next pod. */
function namesOf({ name, desired = 0, pods }: GroupView): string[] {
  const taken = new Set(pods.map((pod) => numberLabel(pod, labelKeys.podIndex)));
  // A clique that is refused for its size gets no more pods.
  const vacant = Array.from({ length: desired > mostParts ? 0 : desired }, (_, index) => index)
    .filter((index) => !taken.has(index))
    .map((index) => podHostname(name, index));
  return [...pods.map(({ metadata }) => metadata.name ?? ""), ...vacant].toSorted();
}

function change(before: PodGroup | undefined, after: PodGroup): "none" | "added" | "removed" {
  const known = new Set(before?.podReferences.map(({ name }) => name));
  if (after.podReferences.some(({ name }) => !known.has(name))) return "added";
  return known.size === after.podReferences.length ? "none" : "removed";
}

/** Whether every pod that the clique wants has its reference. */
export function isListed(
  gang: PodGang | undefined,
  { metadata: { name = "" }, spec }: PodClique,
): boolean {
  const group = gang?.spec.podgroups.find((each) => each.name === name);
  if (group === undefined) return false;
  const listed = new Set(group.podReferences.map((reference) => reference.name));
  return namesOf({ name, desired: spec.replicas, pods: [] }).every((pod) => listed.has(pod));
}

/** Alike in all that a gang reads of its pods. */
export const isSameMember = (a: Pod, b: Pod): boolean =>
  a.spec.nodeName === b.spec.nodeName &&
  isTerminating(a) === isTerminating(b) &&
  controllerOf(a)?.uid === controllerOf(b)?.uid &&
  isReady(a) === isReady(b) &&
  isFinished(a) === isFinished(b) &&
  troubleIn(a) === troubleIn(b) &&
  isSameJson(a.metadata.labels, b.metadata.labels);
