/** Reads into one frozen view of a group and everything that belongs to it. */
import type { ConfigMap } from "../../api/config-map.ts";
import { fieldErrorText } from "../../api/field-error.ts";
import type { KubeObject, ObjectKey } from "../../api/object.ts";
import type { DefaultedGroupSpec, WorkloadKind } from "../../api/rbg/defaults.ts";
import { isPaused } from "../../api/rbg/labels.ts";
import { discoveryName } from "../../api/rbg/names.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import type { ScalingAdapter } from "../../api/rbg/scaling-adapter.ts";
import { validateRoleBasedGroup } from "../../api/rbg/validate.ts";
import { keyText } from "../../runtime/object-store.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { PerOwner } from "../engine/per-owner.ts";
import type { GroupReaders } from "./caches.ts";
import { groupIndex, targetIndex } from "./caches.ts";
import type { GroupRevision } from "./group-revisions.ts";
import { sortRevisions } from "./group-revisions.ts";
import { defaultedSpec } from "./defaulted-spec.ts";
import { deploymentRole } from "./deployment-role.ts";
import type { Obsolete } from "./left-behind.ts";
import { obsoleteWorkloads } from "./left-behind.ts";
import { leaderWorkerRole } from "./leader-worker-role.ts";
import { podRole } from "./pod-role.ts";
import type { Refusal, Refusals } from "./refusals.ts";
import type { ReadyPods } from "./restarts.ts";
import type { ObservedWorkload, RolePlace, RoleWorkload } from "./role-workload.ts";
import { withAdapterSizes } from "./role-adapters.ts";
import type { Scaling } from "./scaling.ts";
import { scalingOf } from "./scaling.ts";
import { statefulSetRole } from "./stateful-set.ts";

export interface ObservedRole extends RolePlace {
  /** What the spec asks for; the role itself has fewer replicas while it grows together with others. */
  readonly wanted: number;
  readonly workload: RoleWorkload;
  readonly seen: ObservedWorkload;
}

export interface Observed {
  readonly nowMs: number;
  readonly group: RoleBasedGroup;
  readonly spec: DefaultedGroupSpec;
  /** Why the spec cannot be followed; nothing is changed then. */
  readonly problems: readonly string[];
  readonly isPaused: boolean;
  readonly roles: readonly ObservedRole[];
  readonly scaling: Scaling;
  /** What the API server refused when this group was reconciled last. */
  readonly refusal: Refusal | undefined;
  /** Uids of pods that restarted since they were last seen ready. */
  readonly restarted: ReadonlySet<string>;
  /** Oldest first. */
  readonly revisions: readonly GroupRevision[];
  readonly services: readonly KubeObject[];
  readonly configMap: ConfigMap | undefined;
  /** Of its roles, whoever made them. */
  readonly adapters: readonly ScalingAdapter[];
  readonly obsolete: readonly Obsolete[];
}

const problemsOf = memoizeByIdentity((group: RoleBasedGroup): readonly string[] => [
  ...validateRoleBasedGroup(group).map(fieldErrorText),
  ...defaultedSpec(group.spec).roles.flatMap(({ name, workload }, index) =>
    workloadOf(workload.kind) === undefined
      ? [
          `spec.roles[${index}].workload: ${name} is to be run by a ${workload.kind}, which this version cannot do: ` +
            "use apps/v1 StatefulSet",
        ]
      : [],
  ),
]);

/** What is kept of a group between two reconciles. */
interface GroupMemory {
  readonly readyPods: PerOwner<ReadyPods>;
  readonly refusals: PerOwner<Refusals>;
}

export function observe(
  readers: GroupReaders,
  memory: GroupMemory,
  { key, nowMs }: { readonly key: ObjectKey; readonly nowMs: number },
): Observed | undefined {
  const group = readers.groups.get(key);
  if (group === undefined) return undefined;
  const adapters = readers.adapters.byIndex(targetIndex, keyText(key));
  const spec = withAdapterSizes(defaultedSpec(group.spec), adapters);
  const { namespace, name = "", uid } = group.metadata;
  const ours = <T extends KubeObject>(objects: readonly T[]): readonly T[] =>
    objects.filter((object) => controllerOf(object)?.uid === uid);
  const index = keyText(key);
  const seenRoles = spec.roles.flatMap((role) => {
    const workload = workloadOf(role.workload.kind);
    const place = { group, role, nowMs };
    if (workload === undefined) return [];
    return [{ ...place, workload, seen: workload.observe(readers, place) }];
  });
  const scaling = scalingOf(spec.scalings, seenRoles);
  const roles = seenRoles.map((each) => sized(each, scaling));
  const configMap = readers.configMaps.get({ namespace, name: discoveryName(name) });
  return {
    nowMs,
    group,
    spec,
    problems: problemsOf(group),
    isPaused: isPaused(group),
    roles,
    scaling,
    refusal: memory.refusals.of(group).of(group),
    restarted: memory.readyPods.of(group).restarted(roles),
    revisions: sortRevisions(ours(readers.revisions.byIndex(groupIndex, index))),
    services: ours(readers.services.byIndex(groupIndex, index)),
    configMap: configMap !== undefined && ours([configMap]).length > 0 ? configMap : undefined,
    adapters,
    obsolete: obsoleteWorkloads(readers, { group, spec }),
  };
}

/** What roles can be run by. */
const workloads: Readonly<Partial<Record<WorkloadKind, RoleWorkload>>> = {
  StatefulSet: statefulSetRole,
  Deployment: deploymentRole,
  Pod: podRole,
  LeaderWorkerSet: leaderWorkerRole,
};

/** Undefined where this version of Lockstep cannot run it. */
const workloadOf = (kind: WorkloadKind): RoleWorkload | undefined => workloads[kind];

function sized(each: Omit<ObservedRole, "wanted">, { sizes }: Scaling): ObservedRole {
  const { role } = each;
  const size = sizes.get(role.name) ?? role.replicas;
  const isWhole = size === role.replicas;
  return { ...each, wanted: role.replicas, role: isWhole ? role : { ...role, replicas: size } };
}
