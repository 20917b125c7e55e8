/** How many units each role of a coordination may have now, while its roles grow together. */

export interface ScaledRole {
  readonly role: string;
  readonly desired: number;
  /** How many it was asked to have. */
  readonly current: number;
  /** Of those, the ones that have a node, and the ones that are ready. */
  readonly scheduled: number;
  readonly ready: number;
}

/** What the next units wait for: that those before them have a node, or that they are ready. */
export type ScalingProgression = "OrderScheduled" | "OrderReady";

export interface ScalingPolicy {
  readonly maxSkewPercent: number;
  readonly progression: ScalingProgression;
}

export interface RoleSize {
  readonly role: string;
  readonly size: number;
}

export interface ScalingDecision {
  readonly sizes: readonly RoleSize[];
  /** Roles whose units nobody goes on without. */
  readonly waitsFor: readonly string[];
}

/**
 * Every role may have the share that the least of them has, plus the skew. Roles that are to shrink do so at once: to
 * keep more than was asked for protects nobody.
 */
export function scaleTogether(
  roles: readonly ScaledRole[],
  { maxSkewPercent, progression }: ScalingPolicy,
): ScalingDecision {
  const growing = roles.filter(({ current, desired }) => current < desired);
  const waiting = growing.filter((role) => settledOf(role, progression) < role.current);
  if (waiting.length > 0) {
    const sizes = roles.map(({ role, current, desired }) => ({
      role,
      size: Math.min(current, desired),
    }));
    return { sizes, waitsFor: waiting.map(({ role }) => role) };
  }
  const least = Math.min(...growing.map(({ current, desired }) => current / desired));
  const bound = { least, limit: least + maxSkewPercent / 100 };
  return { sizes: roles.map((role) => sizeWithin(role, bound)), waitsFor: [] };
}

const settledOf = ({ scheduled, ready }: ScaledRole, progression: ScalingProgression): number =>
  progression === "OrderReady" ? ready : scheduled;

interface Bound {
  readonly least: number;
  readonly limit: number;
}

/** Whoever is behind takes at least one unit more, so that no share is too small to go on. */
function sizeWithin({ role, current, desired }: ScaledRole, { least, limit }: Bound): RoleSize {
  if (current >= desired) return { role, size: desired };
  const share = current / desired;
  if (share >= limit && share > least) return { role, size: current };
  return { role, size: Math.min(desired, Math.max(current + 1, Math.ceil(limit * desired))) };
}
