/** How many units of a role may be asked to change, given what its partners have confirmed. */
import type { CoordinationPace } from "./coordinated-roles.ts";
import type { RoleTally } from "./tally-role.ts";

export interface RoleBound {
  /** The role may not have more units updated or asked to change than this. */
  readonly limit: number;
  /** The role that holds it there, if another one does. */
  readonly partner: RoleTally | undefined;
}

/**
 * A role may lead by `maxSkew` over what its partners have updated AND available, so a partner whose
 * new units fail halts it. A finished partner holds no role back.
 */
export function boundBySkew(
  role: RoleTally,
  partners: readonly RoleTally[],
  maxSkewPercent: number,
): RoleBound {
  let bound: RoleBound = { limit: role.desired, partner: undefined };
  for (const partner of partners) {
    if (partner.role === role.role || partner.isFinished) continue;
    const limit = reachBeyond(partner, role.desired, maxSkewPercent);
    if (limit < bound.limit) bound = { limit, partner };
  }
  return bound;
}

/**
 * The unit that crosses the bound is whole, and it is at least one: beside a partner at 0 of 100, 1%
 * lets a role of 200 take 2, a role of 7 take 1, and 0% lets either take 1. So the least advanced
 * role can always take one more, and roles of one unit each never wait for each other.
 */
export function reachBeyond(
  partner: Pick<RoleTally, "confirmed" | "desired">,
  desired: number,
  maxSkewPercent: number,
): number {
  // Whole numbers up to the division, so that 10% of 10 is never 1.0000000000000002 units.
  const level = desired * partner.confirmed;
  const ahead = 100 * level + maxSkewPercent * desired * partner.desired;
  const withinSkew = Math.ceil(ahead / (100 * partner.desired));
  const oneAhead = Math.floor(level / partner.desired) + 1;
  return Math.min(desired, Math.max(withinSkew, oneAhead));
}

/** How many units of a role the first `passed + 1` steps want updated; all, once they are over. */
export function goalOfSteps(pace: CoordinationPace, passed: number, role: RoleTally): number {
  if (pace.kind !== "steps" || passed >= pace.steps.length) return role.desired;
  const wanted = pace.steps.slice(0, passed + 1).map((step) => step.updated[role.role] ?? 0);
  return Math.max(0, ...wanted);
}
