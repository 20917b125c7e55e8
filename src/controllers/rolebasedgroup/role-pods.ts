/** The pods of a role as units: their places, whether they serve, and in words why not. */
import { labelKeys } from "../../api/rbg/labels.ts";
import { controllerOf } from "../engine/ownership.ts";
import { causeOf, podHealth } from "../engine/pod-health.ts";
import type { GroupReaders } from "./caches.ts";
import { roleIndex, roleKey } from "./caches.ts";
import type { RolePlace, RolePod } from "./role-workload.ts";

/** Those that the given owner controls, by ordinal. */
export function podsOf(
  readers: GroupReaders,
  { group, role, nowMs }: RolePlace,
  ownerUid: string,
): readonly RolePod[] {
  return readers.pods
    .byIndex(roleIndex, roleKey(group, role.name))
    .filter((pod) => controllerOf(pod)?.uid === ownerUid)
    .flatMap((pod) => {
      const ordinal = /-([0-9]{1,9})$/.exec(pod.metadata.name ?? "")?.[1];
      if (ordinal === undefined) return [];
      const revision = pod.metadata.labels?.[labelKeys.roleRevision] ?? "";
      const health = podHealth(pod, role.minReadySeconds, nowMs);
      return [{ pod, ordinal: Number(ordinal), revision, health }];
    })
    .toSorted((a, b) => a.ordinal - b.ordinal);
}

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
