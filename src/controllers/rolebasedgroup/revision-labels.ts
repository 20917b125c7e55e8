/**
 * The label that routers pair pods by: one value for all roles of a coordination, made from what they contain. It is
 * put on pods, not into templates, since a template that changes would restart pods that stay the same. Pure.
 */
import { podResource } from "../../api/pod.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import { isTerminating } from "../../api/object.ts";
import { parseTime } from "../../api/time-text.ts";
import type { PatchWrite } from "../engine/write.ts";
import { patchOf } from "../engine/write.ts";
import type { GroupRevision, RoleHashes } from "./group-revisions.ts";
import { sharedHash } from "./group-revisions.ts";
import type { RolePod } from "./role-workload.ts";
import type { Rollout } from "./rollouts.ts";

interface Recorded {
  readonly revisions: readonly GroupRevision[];
  readonly hashes: RoleHashes;
  readonly nowMs: number;
}

/** Nobody sends requests to a pod that starts: its label may come with what is written of it later. */
const labelWithinMs = 5_000;

/** How long a pod may go on without its label; 0 where it needs it now. */
function labelDueInMs({ pod, health }: RolePod, nowMs: number): number {
  if (health.health !== "pending") return 0;
  const createdAtMs = parseTime(pod.metadata.creationTimestamp ?? "") ?? 0;
  return Math.max(0, createdAtMs + labelWithinMs - nowMs);
}

/** When the next label is due that is not due yet. */
export function nextLabelInMs({ started }: Rollout, nowMs: number): number | undefined {
  const waits = started.flatMap(({ seen }) =>
    seen.pods
      .filter((each) => labelOf(each) === undefined)
      .map((each) => labelDueInMs(each, nowMs))
      .filter((ms) => ms > 0),
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** The value that new pods of each role are made with; of a role that stays the same, that of the pods it has. */
export function valuesAtBirth(
  rollout: Rollout,
  { revisions, hashes }: Omit<Recorded, "nowMs">,
): Readonly<Record<string, string>> {
  const base = baseOf(rollout, revisions);
  return Object.fromEntries(
    rollout.roles.map(({ role: { name } }) => {
      const isSame = base !== undefined && base.roleHashes[name] === hashes[name];
      return [name, (isSame ? valueOf(rollout, base) : undefined) ?? rollout.revision];
    }),
  );
}

/** Patches for pods whose label is not what it should be. */
export function labelWrites(rollout: Rollout, recorded: Recorded): readonly PatchWrite[] {
  return labelChanges(rollout, recorded).map(({ pod, value }) => {
    const { uid } = pod.metadata;
    const body = { metadata: { uid, labels: { [labelKeys.revision]: value } } };
    const patch = { type: "merge", body } as const;
    return patchOf(podResource, pod, { patch, ifGone: "skip", ifChanged: "skip" });
  });
}

interface LabelChange {
  readonly pod: RolePod["pod"];
  readonly value: string;
}

function labelChanges(rollout: Rollout, recorded: Recorded): readonly LabelChange[] {
  const base = baseOf(rollout, recorded.revisions);
  const share = changedShare(rollout, recorded.hashes, base);
  return rollout.started.flatMap(({ role, seen }) => {
    const hash = recorded.hashes[role.name] ?? "";
    const pods = seen.pods.filter(({ pod }) => !isTerminating(pod));
    const isFollower = base !== undefined && base.roleHashes[role.name] === hash;
    const moved = isFollower
      ? followers(pods, rollout.revision, sizeOf(role.replicas, share))
      : new Set(pods);
    return pods.flatMap((each) => {
      if (labelOf(each) === undefined && labelDueInMs(each, recorded.nowMs) > 0) return [];
      const value =
        each.revision === hash
          ? moved.has(each)
            ? rollout.revision
            : (labelOf(each) ?? valueOf(rollout, base))
          : (labelOf(each) ?? valueOf(rollout, recordOf(each, role.name, recorded.revisions)));
      return value === undefined || value === labelOf(each) ? [] : [{ pod: each.pod, value }];
    });
  });
}

const labelOf = ({ pod }: RolePod): string | undefined => pod.metadata.labels?.[labelKeys.revision];

/** The value that pods of an earlier revision carry; undefined where it did not have all of these roles. */
function valueOf({ roles }: Rollout, revision: GroupRevision | undefined): string | undefined {
  const entries = roles.map(({ role }) => [role.name, revision?.roleHashes[role.name]] as const);
  if (entries.some(([, hash]) => hash === undefined)) return undefined;
  return sharedHash(Object.fromEntries(entries) as RoleHashes);
}

/** The newest revision in which the role was what this pod is. */
const recordOf = (
  { revision }: RolePod,
  role: string,
  revisions: readonly GroupRevision[],
): GroupRevision | undefined =>
  revisions.findLast(({ roleHashes }) => roleHashes[role] === revision);

/** The newest revision whose value some pod still carries: what the group moves away from. */
function baseOf(rollout: Rollout, revisions: readonly GroupRevision[]): GroupRevision | undefined {
  const carried = new Set(
    rollout.started.flatMap(({ seen }) => seen.pods.map((each) => labelOf(each))),
  );
  return revisions.findLast((revision) => {
    const value = valueOf(rollout, revision);
    return value !== undefined && value !== rollout.revision && carried.has(value);
  });
}

/** How much of the roles that changed is updated and available; the least of them counts. */
function changedShare(
  { started }: Rollout,
  hashes: RoleHashes,
  base: GroupRevision | undefined,
): number {
  const shares = started
    .filter(({ role }) => base?.roleHashes[role.name] !== hashes[role.name] && role.replicas > 0)
    .map(({ role, seen }) => {
      const confirmed = seen.units.filter(
        ({ ordinal, revision, health }) =>
          ordinal < role.replicas && revision === hashes[role.name] && health === "available",
      );
      return confirmed.length / role.replicas;
    });
  return Math.min(1, ...shares);
}

/** In proportion, but as long as both values are in use each of them has a pod of this role, if there are two. */
export function sizeOf(replicas: number, share: number): number {
  if (share <= 0) return 0;
  if (share >= 1) return replicas;
  if (replicas < 2) return share >= 0.5 ? replicas : 0;
  return Math.min(replicas - 1, Math.max(1, Math.floor(share * replicas)));
}

/** Pods that carry the new value already keep it; then the highest ordinals, until there are enough. */
function followers(pods: readonly RolePod[], value: string, size: number): ReadonlySet<RolePod> {
  const done = pods.filter((each) => labelOf(each) === value);
  const rest = pods
    .filter((each) => labelOf(each) !== value)
    .toSorted((a, b) => b.ordinal - a.ordinal);
  return new Set([...done, ...rest.slice(0, Math.max(0, size - done.length))]);
}
