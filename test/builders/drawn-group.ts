/** RoleBasedGroups as their controller sees them, drawn by the pods of each role, and the status that it writes. */
import { withDefaults } from "../../src/api/rbg/defaults.ts";
import type { RoleBasedGroupStatus } from "../../src/api/rbg/rolebasedgroup.ts";
import { podHealth, unitOfPod } from "../../src/controllers/engine/pod-health.ts";
import type { Observed, ObservedRole } from "../../src/controllers/rolebasedgroup/observe.ts";
import type { GroupPlan } from "../../src/controllers/rolebasedgroup/plan.ts";
import { causesOf } from "../../src/controllers/rolebasedgroup/role-pods.ts";
import type { ObservedWorkload } from "../../src/controllers/rolebasedgroup/role-workload.ts";
import { nothingThere } from "../../src/controllers/rolebasedgroup/role-workload.ts";
import { planRollouts } from "../../src/controllers/rolebasedgroup/rollouts.ts";
import { scalingOf } from "../../src/controllers/rolebasedgroup/scaling.ts";
import { groupStatus } from "../../src/controllers/rolebasedgroup/status.ts";
import type { ScalingProgression } from "../../src/planner/index.ts";
import { drawnAgo, drawnAtMs, drawnPods } from "./drawn-pods.ts";
import type { RoleBasedGroupOptions } from "./role-based-group-scenario.ts";
import { groupOf } from "./role-based-group-scenario.ts";

/** Marks of its pods as `drawnPods` reads them, and what else is seen of the role. */
type Seen = string | readonly [pods: string, seen: Partial<ObservedWorkload>];

export interface Given extends Omit<RoleBasedGroupOptions, "roles"> {
  readonly pods: Readonly<Record<string, Seen>>;
  readonly roles?: RoleBasedGroupOptions["roles"];
  readonly status?: RoleBasedGroupStatus;
  readonly waiting?: ReadonlyMap<string, readonly string[]>;
  readonly observed?: Partial<Observed>;
  /** Sizes that roles are to grow to. */
  readonly wanted?: Readonly<Record<string, number>>;
  readonly progression?: ScalingProgression;
}

function workload(name: string, seen: Seen): ObservedWorkload {
  const [drawing, more] = typeof seen === "string" ? [seen, {}] : seen;
  const pods = drawnPods(`chat-${name}`, drawing).map(({ pod, ordinal }) => ({
    pod,
    ordinal,
    revision: pod.metadata.labels?.["grove.io/pod-template-hash"] ?? "",
    health: podHealth(pod, 0, drawnAtMs),
  }));
  return {
    ...nothingThere,
    exists: true,
    templateRevision: "v2",
    cursor: 0,
    isStatusCurrent: true,
    units: pods.map(unitOfPod),
    size: pods.length,
    pods,
    causes: causesOf(pods),
    ...more,
  };
}

export function observed({ pods, status, observed: more, ...options }: Given): Observed {
  const sizes = Object.fromEntries(
    Object.entries(pods).map(([role, seen]) => {
      const drawing = typeof seen === "string" ? seen : seen[0];
      return [role, options.sizes?.[role] ?? drawing.split(" ").length];
    }),
  );
  const drawn = groupOf({ ...options, sizes });
  const group = { ...drawn, ...(status === undefined ? {} : { status }) };
  const spec = withDefaults(group.spec);
  const roles = spec.roles.map((role): ObservedRole => {
    const seen = workload(role.name, pods[role.name] ?? "");
    const wanted = options.wanted?.[role.name] ?? role.replicas;
    return { group, role, wanted, nowMs: drawnAtMs, workload: {} as never, seen };
  });
  const isPaused = options.annotations?.["lockstep.dev/paused"] === "true";
  const scaling = scalingOf(
    options.progression === undefined
      ? []
      : [
          {
            name: "pair",
            roles: ["prefill", "decode"],
            progression: options.progression,
            maxSkewPercent: 25,
          },
        ],
    roles.map((each) => ({ ...each, role: { ...each.role, replicas: each.wanted } })),
  );
  const seen = {
    nowMs: drawnAtMs,
    group,
    spec,
    problems: [],
    isPaused,
    roles,
    scaling,
    revisions: [],
    ...more,
  };
  return seen as unknown as Observed;
}

const hashes = { prefill: "v2", decode: "v2" };

export function said(given: Given): RoleBasedGroupStatus {
  const seen = observed(given);
  const rollouts = planRollouts(seen, { name: "chat-v2", roleHashes: hashes });
  const target = {
    name: "chat-v2",
    roleHashes: hashes,
    object: { metadata: { creationTimestamp: drawnAgo(7_200) } },
  };
  const restarts = { records: [], messages: [], delayed: [] };
  const waiting = given.waiting ?? new Map();
  return groupStatus(seen, { target, rollouts, waiting, restarts } as unknown as GroupPlan);
}
