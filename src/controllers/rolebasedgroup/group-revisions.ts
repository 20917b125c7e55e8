/** Revisions of a group: what is recorded of its roles, and the hashes that workloads and pods carry. Pure. */
import type { ControllerRevision } from "../../api/apps.ts";
import { controllerRevisionResource } from "../../api/apps.ts";
import { canonicalJson } from "../../api/canonical-json.ts";
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import { withDefaults } from "../../api/rbg/defaults.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import { revisionName } from "../../api/rbg/names.ts";
import type { RoleBasedGroup, RoleBasedGroupSpec } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { isSameJson } from "../../api/same-json.ts";
import { controllerReferenceTo } from "../engine/ownership.ts";
import {
  expiredRevisions,
  hashOf,
  revisionCreate,
  revisionDeletes,
  revisionsReadBy,
} from "../engine/history.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import type { Write } from "../engine/write.ts";
import { updateOf } from "../engine/write.ts";

/** By the name of the role. */
export type RoleHashes = Readonly<Record<string, string>>;

/** `data` of the ControllerRevision; `spec` has everything but the sizes of the roles. */
interface RevisionData {
  readonly format: 1;
  readonly hash: string;
  readonly roleHashes: RoleHashes;
  readonly spec: RoleBasedGroupSpec;
}

export interface GroupRevision {
  readonly name: string;
  readonly number: number;
  readonly hash: string;
  readonly roleHashes: RoleHashes;
  readonly roles: readonly DefaultedRole[];
  readonly object: ControllerRevision;
}

/** Undefined for revisions that are not ours or that a later format wrote. */
export const parseRevision = memoizeByIdentity(
  (object: ControllerRevision): GroupRevision | undefined => {
    const data = object.data as Partial<RevisionData> | undefined;
    if (data?.format !== 1 || data.hash === undefined || data.spec === undefined) return undefined;
    return {
      name: object.metadata.name ?? "",
      number: object.revision,
      hash: data.hash,
      roleHashes: data.roleHashes ?? {},
      roles: withDefaults(data.spec).roles,
      object,
    };
  },
);

/** Oldest first. */
export const sortRevisions = revisionsReadBy(parseRevision);

/** What the pods of a role are made from; how many there are and how they are updated is no part of it. */
const roleText = memoizeByIdentity((role: DefaultedRole): string =>
  canonicalJson({
    name: role.name,
    template: role.template,
    ...(role.workload.kind === "LeaderWorkerSet" ? { leaderWorkerSet: role.leaderWorkerSet } : {}),
  }),
);

/** A role that was recorded just so keeps the hash it had: a later way of hashing makes no pod outdated. */
function hashOfRole(role: DefaultedRole, earlier: readonly GroupRevision[]): string {
  const text = roleText(role);
  const known = earlier.findLast(({ roles }) =>
    roles.some((other) => other.name === role.name && roleText(other) === text),
  );
  return known?.roleHashes[role.name] ?? hashOf(text);
}

/** One value for several roles, made from what they are: whoever goes back gets the old value back. */
export const sharedHash = (hashes: RoleHashes): string => hashOf(canonicalJson(hashes));

export interface ChosenRevision {
  readonly target: GroupRevision;
  /** Performed before anything refers to the revision. */
  readonly record: readonly Write[];
}

export function chooseRevision(
  group: RoleBasedGroup,
  roles: readonly DefaultedRole[],
  revisions: readonly GroupRevision[],
): ChosenRevision {
  const roleHashes = Object.fromEntries(
    roles.map((role) => [role.name, hashOfRole(role, revisions)] as const),
  );
  const newest = revisions.at(-1);
  const found = revisions.findLast((revision) => isSameJson(revision.roleHashes, roleHashes));
  if (found !== undefined && found === newest) return { target: found, record: [] };
  const number = (newest?.number ?? 0) + 1;
  if (found !== undefined) {
    // Going back makes the old record the newest one; it keeps its name.
    const object = { ...found.object, revision: number };
    return {
      target: { ...found, number, object },
      record: [updateOf(controllerRevisionResource, object)],
    };
  }
  const object = drafted(group, roleHashes, number);
  const problem = `ControllerRevision ${object.metadata.name} belongs to another group: it has to go first`;
  const record = [revisionCreate(object, () => ({ problem }))];
  const target = parseRevision(object);
  if (target === undefined) throw new Error(`${object.metadata.name} is no revision of a group`);
  return { target, record };
}

function drafted(
  group: RoleBasedGroup,
  roleHashes: RoleHashes,
  number: number,
): ControllerRevision {
  const { name = "", namespace } = group.metadata;
  const hash = sharedHash(roleHashes);
  const data: RevisionData = { format: 1, hash, roleHashes, spec: recordedSpec(group.spec) };
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: revisionName(name, hash),
      namespace,
      labels: { [labelKeys.groupName]: name, [labelKeys.groupRevision]: hash },
      ownerReferences: [controllerReferenceTo(roleBasedGroupResource, group)],
    },
    data,
    revision: number,
  };
}

/** Sizes belong to whoever scales, so that going back does not scale. */
function recordedSpec({
  roles,
  roleTemplates,
  coordination,
}: RoleBasedGroupSpec): RoleBasedGroupSpec {
  return {
    roles: roles.map(({ replicas: _size, ...role }) => role),
    ...(roleTemplates === undefined ? {} : { roleTemplates }),
    ...(coordination === undefined ? {} : { coordination }),
  };
}

const historyLimit = 10;

/** Deletes revisions that no pod is of any more, oldest first. */
export function historyWrites(
  revisions: readonly GroupRevision[],
  target: GroupRevision,
  used: (revision: GroupRevision) => boolean,
): readonly Write[] {
  if (revisions.length <= historyLimit) return [];
  const inUse = new Set([target.name, ...revisions.filter(used).map(({ name }) => name)]);
  const recorded = revisions.map(({ object }) => object);
  return revisionDeletes(expiredRevisions(recorded, inUse, Math.max(0, historyLimit - inUse.size)));
}
