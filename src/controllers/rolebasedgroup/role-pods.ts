/** The pods of a role as units: their places, whether they serve, and in words why not. */
import type { Pod } from "../../api/pod.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import { controllerOf } from "../engine/ownership.ts";
import { causeOf, podHealth } from "../engine/pod-health.ts";
import type { GroupReaders } from "./caches.ts";
import { roleIndex, roleKey } from "./caches.ts";
import type { RolePlace, RolePod } from "./role-workload.ts";

/** Those that have an ordinal, by it. */
export function rolePods(
  readers: GroupReaders,
  { group, role, nowMs }: RolePlace,
  ordinalOf: (pod: Pod) => number | undefined,
): readonly RolePod[] {
  return readers.pods
    .byIndex(roleIndex, roleKey(group, role.name))
    .flatMap((pod) => {
      const ordinal = ordinalOf(pod);
      if (ordinal === undefined) return [];
      const revision = pod.metadata.labels?.[labelKeys.roleRevision] ?? "";
      const health = podHealth(pod, role.minReadySeconds, nowMs);
      return [{ pod, ordinal, revision, health }];
    })
    .toSorted((a, b) => a.ordinal - b.ordinal || (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ pod }: RolePod): string => pod.metadata.name ?? "";

/** Those that the given owner controls, by the ordinal in their names. */
export const podsOf = (
  readers: GroupReaders,
  place: RolePlace,
  ownerUid: string,
): readonly RolePod[] =>
  rolePods(readers, place, (pod) => {
    if (controllerOf(pod)?.uid !== ownerUid) return undefined;
    const ordinal = /-([0-9]{1,9})$/.exec(pod.metadata.name ?? "")?.[1];
    return ordinal === undefined ? undefined : Number(ordinal);
  });

/** Those that Lockstep makes itself. */
export const podsOfGroup = (readers: GroupReaders, place: RolePlace): readonly RolePod[] =>
  podsOf(readers, place, place.group.metadata.uid ?? "");

/** What keeps pods from serving, each with its name: broken ones first, then those without a node. */
export function causesOf(pods: readonly RolePod[]): readonly string[] {
  const causes = pods.flatMap(({ pod, health }) => {
    const cause = causeOf(pod, health);
    const text = `${pod.metadata.name}: ${cause}`;
    return cause === undefined ? [] : [{ text, isBroken: health.trouble !== undefined }];
  });
  const broken = causes.filter(({ isBroken }) => isBroken);
  const others = causes.filter(({ isBroken }) => !isBroken);
  return [...broken, ...others].map(({ text }) => text);
}
