/** Refuses groups, and sets of them, that ask for more pods than can be looked after. Pure. */
import type { DefaultedGroupSpec } from "../../api/rbg/defaults.ts";
import type { RoleBasedGroupSet } from "../../api/rbg/rolebasedgroupset.ts";
import { sizeProblem } from "../engine/size-limits.ts";
import { defaultedSpec } from "./defaulted-spec.ts";
import { podsPerUnit } from "./gang-size.ts";

const podsOf = ({ roles }: DefaultedGroupSpec): number =>
  roles.reduce((sum, role) => sum + role.replicas * podsPerUnit(role), 0);

export const groupTooLarge = (spec: DefaultedGroupSpec): string | undefined =>
  sizeProblem("spec.roles[].replicas", podsOf(spec), "pods");

export const groupSetTooLarge = ({ spec }: RoleBasedGroupSet): string | undefined => {
  const parts = 1 + podsOf(defaultedSpec(spec.template));
  return sizeProblem("spec.replicas", (spec.replicas ?? 1) * parts, "groups and pods");
};
