/** The coordinated half of `lockstep foresee`: several roles that move side by side. */
import { UserError } from "../api/user-error.ts";
import type {
  CoordinationPolicy,
  CoordinationSnapshot,
} from "../planner/coordination/coordinated-roles.ts";
import type { ForeseenCoordination } from "../planner/coordination/foresee-coordination.ts";
import { foreseeCoordination } from "../planner/coordination/foresee-coordination.ts";
import { resolveCoordination } from "../planner/coordination/resolve-coordination.ts";
import type { Paint } from "./foresee-drawing.ts";
import type { Io } from "./io.ts";

export interface RoleFlags {
  /** `prefill=40`, one for each role. */
  readonly role: readonly string[];
  readonly maxUnavailable?: string;
  readonly maxSkew?: string;
  readonly partition: string;
  readonly output?: "json";
}

const mostUnits = 10_000;
const barWidth = 30;

export function foreseeRoles(flags: RoleFlags, paint: Paint, io: Io): void {
  const sizes = sizesOf(flags.role);
  const policy = policyOf(flags, sizes);
  const foreseen = foreseeCoordination(beginning(sizes), policy);
  if (flags.output === "json") {
    io.print(JSON.stringify({ roles: sizes, policy, ...foreseen }, undefined, 2));
    return;
  }
  for (const line of draw(foreseen, paint)) io.print(line);
}

function sizesOf(words: readonly string[]): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const word of words) {
    const [, name = "", count = ""] = /^([a-z0-9][a-z0-9-]*)=([0-9]+)$/.exec(word) ?? [];
    const size = Number(count);
    if (name === "" || size > mostUnits || Object.hasOwn(sizes, name)) {
      throw new UserError({
        problem: `--role: "${word}" is no role with its number of units`,
        fix: `write NAME=COUNT, each name once and at most ${mostUnits} units, for example --role prefill=40`,
      });
    }
    sizes[name] = size;
  }
  return sizes;
}

function policyOf(flags: RoleFlags, sizes: Readonly<Record<string, number>>): CoordinationPolicy {
  const amount = (text: string): string | number => (/^[0-9]+$/.test(text) ? Number(text) : text);
  const { maxUnavailable, maxSkew, partition } = flags;
  try {
    const resolved = resolveCoordination(
      {
        partition: amount(partition),
        ...(maxUnavailable === undefined ? {} : { maxUnavailable: amount(maxUnavailable) }),
        ...(maxSkew === undefined ? {} : { maxSkew: amount(maxSkew) }),
      },
      sizes,
    );
    if (resolved.kind === "policy") return resolved.policy;
    // The planner speaks of fields; here the same thing is a flag.
    throw new UserError({
      ...resolved,
      problem: resolved.problem.replace("maxSkew", "--max-skew"),
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError({ problem: `--max-unavailable or --partition: ${error.message}` });
  }
}

/** Every unit available on the old revision, nothing moved yet. */
function beginning(sizes: Readonly<Record<string, number>>): CoordinationSnapshot {
  const roles = Object.entries(sizes).map(([role, desired]) => ({
    role,
    desired,
    cursor: undefined,
    observedRevision: "new",
    units: Array.from({ length: desired }, (_, ordinal) => ({
      name: `${role}-${ordinal}`,
      id: `${role}-${ordinal}`,
      ordinal,
      revision: "old",
      health: "available" as const,
      scheduled: true,
      createdAtMs: 0,
    })),
  }));
  return { nowMs: 0, targetRevision: "new", paused: false, roles };
}

function draw({ steps, end, reason }: ForeseenCoordination, paint: Paint): string[] {
  const names = steps.flatMap(({ roles }) => roles.map(({ role }) => role.length));
  const width = Math.max(0, ...names);
  const lines = steps.flatMap(({ number, kind, roles, reason: why }) => [
    `${String(number).padStart(4)}  ${kind}: ${why.message}`,
    ...roles.map(({ role, desired, updated, taken }) => {
      const label = `${role.padEnd(width)} ${bar(updated, desired, paint)}`;
      const moving = taken > 0 ? `, ${taken} moving` : "";
      return `      ${label} ${updated} of ${desired} updated${moving}`;
    }),
  ]);
  return [...lines, `      ${end === "done" ? "done" : "stops"}: ${reason.message}`];
}

function bar(updated: number, desired: number, paint: Paint): string {
  const cells = Math.min(desired, barWidth);
  const full = desired === 0 ? 0 : Math.floor((updated / desired) * cells);
  return paint.fresh("●".repeat(full)) + paint.old("○".repeat(cells - full));
}
