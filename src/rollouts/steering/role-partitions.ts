/** Partitions of a RoleBasedGroup: where they stand, and the next lower one. Pure. */
import type { IntOrPercent } from "../../api/int-or-percent.ts";
import { resolvePartition } from "../../planner/coordination/resolve-coordination.ts";
import type { Group } from "../kinds/role-based-group.ts";

/** Roles that one partition holds. */
export interface HeldRoles {
  readonly path: string;
  readonly label: string;
  readonly from: IntOrPercent;
  readonly sizes: readonly number[];
}

/** A partition stands in the strategy of a role, or of a coordination in either of its shapes. */
export function partitionsOf({ spec }: Group): readonly HeldRoles[] {
  const sizesOf = (names: readonly string[]): readonly number[] =>
    spec.roles.filter(({ name }) => names.includes(name)).map(({ replicas = 1 }) => replicas);
  const places = [
    ...spec.roles.map(({ name, rolloutStrategy }, at) => ({
      path: `/spec/roles/${at}/rolloutStrategy/rollingUpdate/partition`,
      label: `the partition of ${name}`,
      from: rolloutStrategy?.rollingUpdate?.partition,
      sizes: sizesOf([name]),
    })),
    ...(spec.coordination ?? []).flatMap(({ name, roles, strategy }, at) => {
      const held = { label: `the partition of ${name}`, sizes: sizesOf(roles) };
      const path = `/spec/coordination/${at}/strategy`;
      return [
        { ...held, path: `${path}/partition`, from: strategy?.partition },
        {
          ...held,
          path: `${path}/rollingUpdate/partition`,
          from: strategy?.rollingUpdate?.partition,
        },
      ];
    }),
  ];
  return places.flatMap(({ from, ...place }) =>
    from === undefined || from === 0 || from === "0%" ? [] : [{ ...place, from }],
  );
}

/**
 * The highest one below it that lets another unit of any role move: 50% of 4 and 2 keeps 2 and 1,
 * and 25% keeps 1 and 1.
 */
export function nextPartition(from: IntOrPercent, sizes: readonly number[]): IntOrPercent {
  if (typeof from === "number") return Math.max(0, Math.min(from, Math.max(0, ...sizes)) - 1);
  const kept = sizes.map((size) => resolvePartition(from, size));
  const isLower = (percent: number): boolean =>
    sizes.some((size, at) => resolvePartition(`${percent}%`, size) < (kept[at] ?? 0));
  const start = Math.min(100, Number.parseInt(from, 10)) - 1;
  const lower = Array.from({ length: Math.max(0, start) }, (_, at) => start - at).find(isLower);
  return lower === undefined ? "0%" : `${lower}%`;
}
