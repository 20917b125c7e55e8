/** A coordination in one shape, whichever of the three it was written in. */
import type { IntOrPercent } from "../int-or-percent.ts";
import type { RoleBasedGroupSpec, WrittenCoordination } from "./rolebasedgroup.ts";

export const defaultProgressDeadlineSeconds = 1_800;

export interface RollingCoordination {
  readonly kind: "RollingUpdate";
  readonly name: string;
  readonly roles: readonly string[];
  readonly maxUnavailable?: IntOrPercent;
  readonly maxSkew?: string;
  readonly partition?: IntOrPercent;
  readonly steps?: readonly CoordinationStep[];
  readonly progressDeadlineSeconds: number;
}

export interface CoordinationStep {
  readonly roles: Readonly<Record<string, IntOrPercent>>;
  readonly pause?: { readonly seconds?: number };
}

export interface AffinityCoordination {
  readonly kind: "AffinityScheduling";
  readonly name: string;
  readonly roles: readonly string[];
  readonly topologyKey: string;
  readonly ratios: Readonly<Record<string, number>>;
  readonly batchMode: "Sequential" | "Parallel";
}

export type Coordination = RollingCoordination | AffinityCoordination;

/** Settings of a coordination that say how its roles are scaled; it may update them as well. */
export interface ScalingCoordination {
  readonly name: string;
  readonly roles: readonly string[];
  readonly maxSkewPercent: number;
  readonly progression: "OrderScheduled" | "OrderReady";
}

/**
 * - flat: the settings stand in `strategy` itself;
 * - nested with `type`: they stand in `strategy.rollingUpdate` or `strategy.affinityScheduling`;
 * - nested without `type`: the block that is there says which type it is.
 *
 * Undefined for a coordination that only scales.
 */
export function normalizeCoordination(written: WrittenCoordination): Coordination | undefined {
  const { name, roles, type, strategy = {} } = written;
  const { affinityScheduling, rollingUpdate, scaling } = strategy;
  if (affinityScheduling !== undefined) {
    const { topologyKey = "kubernetes.io/hostname", ratios, batchMode } = affinityScheduling;
    const mode = batchMode ?? "Sequential";
    return { kind: "AffinityScheduling", name, roles, topologyKey, ratios, batchMode: mode };
  }
  if (type === undefined && rollingUpdate === undefined && scaling !== undefined) return undefined;
  const settings = rollingUpdate ?? strategy;
  const maxUnavailable = settings.maxUnavailableRatio ?? settings.maxUnavailable;
  return {
    kind: "RollingUpdate",
    name,
    roles,
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    ...(settings.maxSkew === undefined ? {} : { maxSkew: settings.maxSkew }),
    ...(settings.partition === undefined ? {} : { partition: settings.partition }),
    ...(settings.steps === undefined ? {} : { steps: settings.steps }),
    progressDeadlineSeconds: settings.progressDeadlineSeconds ?? defaultProgressDeadlineSeconds,
  };
}

export function coordinationsOf({
  coordination = [],
}: Pick<RoleBasedGroupSpec, "coordination">): readonly Coordination[] {
  return coordination.flatMap((written) => normalizeCoordination(written) ?? []);
}

export function scalingsOf({
  coordination = [],
}: RoleBasedGroupSpec): readonly ScalingCoordination[] {
  return coordination.flatMap(({ name, roles, strategy }) => {
    if (strategy?.scaling === undefined) return [];
    const { maxSkew = "100%", progression = "OrderScheduled" } = strategy.scaling;
    return [{ name, roles, maxSkewPercent: Number.parseInt(maxSkew, 10), progression }];
  });
}

export const isRolling = (coordination: Coordination): coordination is RollingCoordination =>
  coordination.kind === "RollingUpdate";

export const isAffinity = (coordination: Coordination): coordination is AffinityCoordination =>
  coordination.kind === "AffinityScheduling";
