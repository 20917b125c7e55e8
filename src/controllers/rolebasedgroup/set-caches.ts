/** What the kinds around a RoleBasedGroup follow: sets of groups, and adapters that scale roles. */
import type { RoleBasedGroupSet } from "../../api/rbg/rolebasedgroupset.ts";
import { roleBasedGroupSetResource } from "../../api/rbg/rolebasedgroupset.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { CacheDefinitionsOf } from "../engine/shared-caches.ts";
import type { GroupCaches } from "./caches.ts";
import { groupCacheDefinitions } from "./caches.ts";

export interface SetCaches extends Pick<GroupCaches, "groups" | "adapters"> {
  readonly groupSets: Cache<RoleBasedGroupSet>;
}

const { groups, adapters } = groupCacheDefinitions;

/** Groups and adapters are followed once, whichever kinds run. */
export const setCacheDefinitions: CacheDefinitionsOf<SetCaches> = {
  groups,
  adapters,
  groupSets: { resource: roleBasedGroupSetResource },
};
