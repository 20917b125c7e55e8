/** Reads a set and its groups into one view. */
import { createHash } from "node:crypto";
import { canonicalJson } from "../../../api/canonical-json.ts";
import type { ObjectKey } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import { labelKeys } from "../../../api/rbg/labels.ts";
import { setMemberName } from "../../../api/rbg/names.ts";
import type { RoleBasedGroup } from "../../../api/rbg/rolebasedgroup.ts";
import type { RoleBasedGroupSet } from "../../../api/rbg/rolebasedgroupset.ts";
import type { Reader } from "../../../runtime/reader.ts";
import { memoizeByIdentity } from "../../engine/memoize.ts";
import type { Ownership } from "../../engine/ownership.ts";
import { orphanKey, sortOwnership } from "../../engine/ownership.ts";
import { ownerIndex } from "../caches.ts";

export interface GroupSetReaders {
  readonly groups: Reader<RoleBasedGroup>;
  readonly groupSets: Reader<RoleBasedGroupSet>;
}

export interface Member {
  readonly index: number;
  readonly group: RoleBasedGroup;
}

export interface Observed {
  readonly nowMs: number;
  readonly set: RoleBasedGroupSet;
  /** The hash of the template that every group should have. */
  readonly revision: string;
  readonly members: readonly Member[];
  readonly ownership: Ownership<RoleBasedGroup>;
}

export function observe(
  { groups, groupSets }: GroupSetReaders,
  key: ObjectKey,
  nowMs: number,
): Observed | undefined {
  const set = groupSets.get(key);
  if (set === undefined) return undefined;
  const { uid = "", namespace = "" } = set.metadata;
  const ownership = sortOwnership<RoleBasedGroup>(
    { uid, isDeleting: isTerminating(set), matches: (group) => indexOf(set, group) !== undefined },
    [...groups.byIndex(ownerIndex, uid), ...groups.byIndex(ownerIndex, orphanKey(namespace))],
  );
  const members = [...ownership.owned, ...ownership.adopt]
    .flatMap((group) => {
      const index = indexOf(set, group);
      return index === undefined ? [] : [{ index, group }];
    })
    .toSorted((a, b) => a.index - b.index);
  return { nowMs, set, revision: templateHash(set.spec.template), members, ownership };
}

/** By label and name: the label says which set it was made for, and the name its place. */
function indexOf(
  { metadata: set }: RoleBasedGroupSet,
  group: { readonly metadata: RoleBasedGroup["metadata"] },
): number | undefined {
  const { name = "", labels = {} } = group.metadata;
  if (labels[labelKeys.groupSetName] !== set.name) return undefined;
  const index = Number(labels[labelKeys.indexInGroupSet] ?? "");
  return name === setMemberName(set.name ?? "", index) ? index : undefined;
}

const templateHash = memoizeByIdentity((template: RoleBasedGroupSet["spec"]["template"]): string =>
  createHash("sha256").update(canonicalJson(template)).digest("hex").slice(0, 10),
);
