/** `status.coordinationState` of roles that are placed in batches: how many are ready, and what is awaited. Pure. */
import type { AffinityCoordination } from "../../api/rbg/coordination.ts";
import { isAffinity } from "../../api/rbg/coordination.ts";
import { workloadName } from "../../api/rbg/names.ts";
import type { CoordinationState } from "../../api/rbg/rolebasedgroup.ts";
import type { Batch, Unit } from "../../planner/index.ts";
import { decideBatches, isReadyUnit } from "../../planner/index.ts";
import { withCauses } from "../engine/rollout-conditions.ts";
import { unplacedBatches } from "./batch-needs.ts";
import { layoutOf } from "./batch-placement.ts";
import { countsOf, withUpdateTime } from "./coordination-state.ts";
import type { RoleHashes } from "./group-revisions.ts";
import type { Observed, ObservedRole } from "./observe.ts";
import type { StateWord } from "./role-state.ts";
import type { RolloutStand } from "./rollout-state.ts";

/** The strategy that `progress` names for these roles. */
export const batchStrategy = "AffinityScheduling";

type Stands = readonly Pick<RolloutStand, "phase" | "roles">[];

export function batchStates(
  observed: Observed,
  stands: Stands,
  hashes: RoleHashes,
): readonly CoordinationState[] {
  return observed.spec.coordinations
    .filter(isAffinity)
    .flatMap((coordination) => batchState(observed, stands, { coordination, hashes }) ?? []);
}

interface Asked {
  readonly coordination: AffinityCoordination;
  readonly hashes: RoleHashes;
}

function batchState(
  observed: Observed,
  stands: Stands,
  { coordination, hashes }: Asked,
): CoordinationState | undefined {
  const { group, nowMs, spec } = observed;
  const layout = layoutOf(coordination, spec);
  if (layout.kind === "invalid") return undefined;
  const { name } = coordination;
  const members = observed.roles.filter(({ role }) => coordination.roles.includes(role.name));
  const roles = members.map((each) => ({ each, ...roleState(each, stands) }));
  const has = (state: StateWord): boolean => roles.some((role) => role.state === state);
  const worst = (["Failing", "Waiting", "Progressing"] as const).find(has);
  const waiting = roles.filter(({ state }) => state === "Waiting").map(({ message }) => message);
  const moving = roles.filter(({ state }) => state === "Progressing");
  const text = batchText(observed, layout.batches, {
    coordination,
    members,
    moving: moving.map(({ each }) => each),
  });
  const next: CoordinationState = {
    name,
    state: worst ?? "Completed",
    message: `${name}: ${[text, ...waiting].join("; ")}`,
    progress: Object.fromEntries(
      roles.map(({ each, state: word, message }) => [
        each.role.name,
        { strategy: batchStrategy, state: word, ...countsOf(each, hashes), message },
      ]),
    ),
  };
  return withUpdateTime(group, next, nowMs);
}

function roleState(
  { role, seen }: ObservedRole,
  stands: Stands,
): { readonly state: StateWord; readonly message: string } {
  const stand = stands.find((each) => each.roles.some((known) => known.role === role.name));
  const known = stand?.roles.find((each) => each.role === role.name);
  const isHeld = known?.state === "Waiting" && !seen.exists;
  if (known !== undefined && (known.state === "Failing" || isHeld)) {
    return { state: known.state, message: known.message };
  }
  const ready = seen.units.filter(
    (unit) => unit.ordinal < role.replicas && isReadyUnit(unit),
  ).length;
  const message = withCauses(
    `${role.name} has ${ready} of ${role.replicas} pods ready in their batches`,
    seen.causes,
  );
  // Pods that a rollout replaces come back to their batch: it is not complete again between two of them.
  const isAtRest = ready === role.replicas && stand?.phase === "resting";
  return { state: isAtRest ? "Completed" : "Progressing", message };
}

interface Members {
  readonly coordination: AffinityCoordination;
  readonly members: readonly ObservedRole[];
  /** Whose pods are not all there, or are being replaced. */
  readonly moving: readonly ObservedRole[];
}

function batchText(
  { group, nowMs, spec }: Observed,
  batches: readonly Batch[],
  { coordination, members, moving }: Members,
): string {
  const units = Object.fromEntries(members.map(({ role, seen }) => [role.name, seen.units]));
  const ready = batches.filter((batch) => isBatchReady(batch, units)).length;
  const count = `${ready} of ${batches.length} batches ready`;
  const pods = Object.fromEntries(members.map(({ role, seen }) => [role.name, seen.pods]));
  const { topologyKey, batchMode } = coordination;
  const unplaced = unplacedBatches({ batches, topologyKey, roles: spec.roles, pods });
  if (unplaced.length > 0) return [count, ...unplaced].join("; ");
  const prefix = workloadName(group.metadata.name ?? "", "");
  const started = startedIn(batches, members);
  const decision = decideBatches({ nowMs, batches: started, units, prefix }, batchMode);
  if (decision.kind !== "done") return `${count}; ${decision.message}`;
  const starting = moving.filter(({ seen }) => !seen.exists);
  const rolled = moving.filter(({ seen }) => seen.exists);
  return [count, ...are(starting, "started"), ...are(rolled, "being rolled out")].join("; ");
}

function are(roles: readonly ObservedRole[], what: string): readonly string[] {
  const names = roles.map(({ role }) => role.name).join(" and ");
  return roles.length === 0 ? [] : [`${names} ${roles.length === 1 ? "is" : "are"} ${what}`];
}

/** No batch waits for a role that waits for others to be started. */
const startedIn = (batches: readonly Batch[], members: readonly ObservedRole[]): readonly Batch[] =>
  batches.map((batch) => ({
    ...batch,
    members: batch.members.filter((member) =>
      members.some(({ role, seen }) => role.name === member.role && seen.exists),
    ),
  }));

const isBatchReady = ({ members }: Batch, units: Readonly<Record<string, readonly Unit[]>>) =>
  members.every(({ role, ordinals }) =>
    ordinals.every((ordinal) =>
      units[role]?.some((unit) => unit.ordinal === ordinal && isReadyUnit(unit)),
    ),
  );
