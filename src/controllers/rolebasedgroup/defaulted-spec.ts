/** The spec of a group with every default in it, the same object as long as the group is the same. */
import { withDefaults } from "../../api/rbg/defaults.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";

export const defaultedSpec = memoizeByIdentity(withDefaults);
