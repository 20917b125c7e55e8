/** Turns what a user writes about coordination into whole units for the roles' present sizes. */
import { resolveAmount } from "../percent.ts";
import type { Amount } from "../percent.ts";
import type {
  CoordinationPolicy,
  CoordinationStep,
  CoordinationPace,
  StepPause,
} from "./coordinated-roles.ts";

export interface StepAmounts {
  readonly roles: Readonly<Record<string, Amount>>;
  /** Absent: go on at once. Without seconds: wait until promoted. */
  readonly pause?: { readonly seconds?: number };
}

export interface CoordinationAmounts {
  readonly maxUnavailable?: Amount;
  readonly partition?: Amount;
  /** A percentage such as `"5%"`; progress of roles of different sizes compares in no other unit. */
  readonly maxSkew?: Amount;
  readonly steps?: readonly StepAmounts[];
}

export type ResolvedCoordination =
  | { readonly kind: "policy"; readonly policy: CoordinationPolicy }
  | { readonly kind: "invalid"; readonly problem: string; readonly fix: string };

export function resolveCoordination(
  amounts: CoordinationAmounts,
  desired: Readonly<Record<string, number>>,
): ResolvedCoordination {
  const { maxSkew, steps } = amounts;
  if (maxSkew !== undefined && steps !== undefined) {
    const problem = "maxSkew and steps are both set, but the steps already say what the skew is";
    return { kind: "invalid", problem, fix: "remove one of them" };
  }
  const skew = maxSkew === undefined ? undefined : percentOf(maxSkew);
  if (Number.isNaN(skew)) {
    const problem = `maxSkew is ${JSON.stringify(maxSkew)}, which is no share of a role`;
    return { kind: "invalid", problem, fix: 'write a percentage from "0%" to "100%"' };
  }
  const limits = Object.entries(desired).map(([role, size]) => [role, limitsOf(amounts, size)]);
  const pace: CoordinationPace =
    steps === undefined
      ? { kind: "skew", maxSkewPercent: skew }
      : { kind: "steps", steps: steps.map((step) => resolveStep(step, desired)) };
  return { kind: "policy", policy: { limits: Object.fromEntries(limits), pace } };
}

/**
 * How many units keep their revision: rounded up, and any percentage below 100% lets at least one
 * go. 30% of 3 keeps 1, 80% of 200 keeps 160, 99% of 10 keeps 9, 50% of 1 keeps none.
 */
export function resolvePartition(partition: Amount | undefined, desired: number): number {
  if (partition === undefined) return 0;
  if (typeof partition === "number") return Math.min(Math.max(0, partition), desired);
  const kept = Math.min(resolveAmount(partition, desired, "up"), desired);
  const keepsAll = resolveAmount(partition, 100, "up") >= 100;
  return kept === desired && !keepsAll ? Math.max(0, desired - 1) : kept;
}

function limitsOf({ maxUnavailable, partition }: CoordinationAmounts, desired: number) {
  const down = resolveAmount(maxUnavailable ?? 1, desired, "down");
  return { maxUnavailable: Math.max(1, down), partition: resolvePartition(partition, desired) };
}

function resolveStep(
  { roles, pause }: StepAmounts,
  desired: Readonly<Record<string, number>>,
): CoordinationStep {
  const updated = Object.entries(roles).map(([role, amount]) => {
    const size = desired[role] ?? 0;
    return [role, Math.min(size, resolveAmount(amount, size, "up"))];
  });
  return { updated: Object.fromEntries(updated), pause: resolvePause(pause) };
}

function resolvePause(pause: StepAmounts["pause"]): StepPause {
  if (pause === undefined) return { kind: "none" };
  if (pause.seconds === undefined) return { kind: "untilPromoted" };
  return { kind: "seconds", seconds: pause.seconds };
}

function percentOf(amount: Amount): number {
  const digits = /^([0-9]+)%$/.exec(String(amount))?.[1];
  const percent = digits === undefined ? Number.NaN : Number(digits);
  return percent <= 100 ? percent : Number.NaN;
}
