/** Refuses groups, and sets of them, that ask for more pods than can be looked after. Pure. */
import type { DefaultedGroupSpec } from "../../api/rbg/defaults.ts";
import { withDefaults } from "../../api/rbg/defaults.ts";
import type { RoleBasedGroupSet } from "../../api/rbg/rolebasedgroupset.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import { sizeProblem } from "../engine/size-limits.ts";

/** Under LeaderWorkerSet a replica is a leader with its workers. */
const podsOf = ({ roles }: DefaultedGroupSpec): number =>
  roles.reduce((sum, { replicas, workload, leaderWorkerSet }) => {
    const each = workload.kind === "LeaderWorkerSet" ? leaderWorkerSet.size : 1;
    return sum + replicas * each;
  }, 0);

export const groupTooLarge = (spec: DefaultedGroupSpec): string | undefined =>
  sizeProblem("spec.roles[].replicas", podsOf(spec), "pods");

const defaulted = memoizeByIdentity(withDefaults);

export const groupSetTooLarge = ({ spec }: RoleBasedGroupSet): string | undefined => {
  const parts = 1 + podsOf(defaulted(spec.template));
  return sizeProblem("spec.replicas", (spec.replicas ?? 1) * parts, "groups and pods");
};
