/** What the RoleBasedGroup controller brings to the engine. */
import { labelKeys } from "../../api/rbg/labels.ts";
import type { RoleBasedGroup, RoleBasedGroupStatus } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { warningsOf } from "../../api/rbg/warnings.ts";
import { stillThere } from "../engine/live-reads.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { Kind, KindTools, Planned } from "../engine/reconcile.ts";
import { keyText } from "../../runtime/object-store.ts";
import type { GroupReaders } from "./caches.ts";
import { groupEvents } from "./events.ts";
import { orphansOf } from "./left-behind.ts";
import type { Observed } from "./observe.ts";
import { observe } from "./observe.ts";
import type { GroupPlan } from "./plan.ts";
import { plan } from "./plan.ts";
import { Refusals } from "./refusals.ts";
import { ReadyPods } from "./restarts.ts";
import { groupTooLarge } from "./size.ts";
import { figuresOf, groupStatus, rejectedStatus } from "./status.ts";

type GroupTools = KindTools<RoleBasedGroup, RoleBasedGroupStatus>;

interface PlannedGroup extends Planned {
  /** Undefined where the spec cannot be followed. */
  readonly plan: GroupPlan | undefined;
}

type GroupKind = Kind<RoleBasedGroup, RoleBasedGroupStatus, Observed, PlannedGroup>;

/** `needLeaders` is called with groups that have a role under LeaderWorkerSet. */
export function roleBasedGroupReconciler(
  readers: GroupReaders,
  tools: GroupTools,
  needLeaders: (key: string) => void = () => undefined,
): GroupKind {
  const warned = tools.memory.perOwner(() => new Set<string>());
  const memory = {
    readyPods: tools.memory.perOwner(() => new ReadyPods()),
    refusals: tools.memory.perOwner(() => new Refusals()),
  };
  return {
    resource: roleBasedGroupResource,
    reports: "beforeActing",
    nameConflicts: {
      reason: "NameTaken",
      remedy: "rename the role or the group, or delete the object",
      isOrphan: (found) =>
        controllerOf(found) === undefined && labelKeys.groupName in (found.metadata.labels ?? {}),
    },
    adoption: {
      orphansOf: (observed) => ({ adopt: orphansOf(readers, observed) }),
      goesOn: false,
      reason: "OrphansAdopted",
    },
    observe: (key) => {
      const observed = observe(readers, memory, { key, nowMs: tools.clock.now() });
      if (observed !== undefined && hasLeaders(observed)) needLeaders(keyText(key));
      return observed;
    },
    objectOf: ({ group }) => group,
    tooLarge: ({ spec }) => groupTooLarge(spec),
    figures: figuresOf,
    plan: (observed) => {
      if (observed.problems.length > 0) return { plan: undefined, phases: [] };
      const planned = plan(observed);
      return { ...planned, plan: planned };
    },
    guards: ({ group, revisions }) => {
      // Where every revision of a group is gone it was deleted, and the cache has yet to show it.
      const isKnown = group.status?.updateRevision !== undefined;
      return isKnown && revisions.length === 0 ? [stillThere(roleBasedGroupResource, group)] : [];
    },
    status: (observed, { plan: planned }) =>
      planned === undefined ? rejectedStatus(observed) : groupStatus(observed, planned),
    acted: ({ group }, failure) => memory.refusals.of(group).acted(group, failure),
    emit: (observed, { plan: planned }, status) => {
      const { group } = observed;
      if (status === undefined) return;
      for (const event of groupEvents(group, status)) tools.events.record(group, event);
      for (const message of planned?.restarts.messages ?? []) {
        tools.events.record(group, { type: "Warning", reason: "PodRestarted", message });
      }
      const known = warned.of(group);
      for (const warning of warningsFor(observed, planned)) {
        if (known.has(warning.message)) continue;
        known.add(warning.message);
        tools.events.record(group, { type: "Warning", ...warning });
      }
    },
  };
}

/** What the owner of a group should know and no status says: each once while the group exists. */
const warningsFor = ({ group, roles }: Observed, planned: GroupPlan | undefined) => [
  ...(planned?.restarts.delayed ?? []).map((message) => ({ reason: "PodRestarted", message })),
  ...warningsOf(group).map((message) => ({ reason: "SettingsWithoutEffect", message })),
  ...roles.flatMap(({ seen }) => seen.warnings),
];

/** Now, or in a revision that is kept: what it left behind has to be seen to be removed. */
const hasLeaders = ({ spec, revisions }: Observed): boolean =>
  [spec, ...revisions].some(({ roles }) =>
    roles.some(({ workload }) => workload.kind === "LeaderWorkerSet"),
  );
