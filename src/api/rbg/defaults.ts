/** A RoleBasedGroup with every default filled in and every shape normalized: what controllers work from. */
import type { PodTemplate } from "../apps.ts";
import type { IntOrPercent } from "../int-or-percent.ts";
import type { Coordination, ScalingCoordination } from "./coordination.ts";
import { coordinationsOf, isAffinity, scalingsOf } from "./coordination.ts";
import { mergeTemplate } from "./merge-template.ts";
import type { PodGroupPolicy, RoleBasedGroupSpec, RoleSpec } from "./rolebasedgroup.ts";
import type { ServicePort, TemplatePatch } from "./schema/fields.ts";

export type WorkloadKind = "StatefulSet" | "Deployment" | "LeaderWorkerSet" | "Pod";

export type RestartPolicy = NonNullable<RoleSpec["restartPolicy"]>;

export interface DefaultedRole {
  readonly name: string;
  readonly replicas: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** How a role is updated that no coordination updates. */
  readonly rollingUpdate: {
    readonly partition: IntOrPercent;
    readonly maxUnavailable: IntOrPercent;
    readonly maxSurge: IntOrPercent;
    readonly paused: boolean;
  };
  readonly restartPolicy: RestartPolicy;
  readonly dependencies: readonly string[];
  readonly workload: { readonly apiVersion: string; readonly kind: WorkloadKind };
  /** `templateRef` and `templatePatch` applied. */
  readonly template: PodTemplate;
  readonly leaderWorkerSet: {
    readonly size: number;
    readonly patchLeaderTemplate?: TemplatePatch;
    readonly patchWorkerTemplate?: TemplatePatch;
  };
  readonly servicePorts: readonly ServicePort[];
  readonly hasScalingAdapter: boolean;
  readonly minReadySeconds: number;
}

export interface DefaultedGroupSpec {
  readonly roles: readonly DefaultedRole[];
  readonly coordinations: readonly Coordination[];
  readonly scalings: readonly ScalingCoordination[];
  readonly podGroupPolicy?: PodGroupPolicy;
}

export function withDefaults(spec: RoleBasedGroupSpec): DefaultedGroupSpec {
  const coordinations = coordinationsOf(spec);
  // Each batch needs a label value of its own, which no template of a StatefulSet can give.
  const placedTogether = new Set(coordinations.filter(isAffinity).flatMap(({ roles }) => roles));
  const templates = new Map(
    (spec.roleTemplates ?? []).map(({ name, template }) => [name, template]),
  );
  return {
    roles: spec.roles.map((role) => defaultedRole(role, templates, placedTogether)),
    coordinations,
    scalings: scalingsOf(spec),
    ...(spec.podGroupPolicy === undefined ? {} : { podGroupPolicy: spec.podGroupPolicy }),
  };
}

const noTemplate: PodTemplate = {};

function defaultedRole(
  role: RoleSpec,
  templates: ReadonlyMap<string, PodTemplate>,
  placedTogether: ReadonlySet<string>,
): DefaultedRole {
  const workload = workloadOf(role, placedTogether);
  const written = role.template ?? templates.get(role.templateRef?.name ?? "") ?? noTemplate;
  return {
    ...plainFields(role),
    rollingUpdate: rollingUpdateOf(role),
    restartPolicy: role.restartPolicy ?? defaultRestartPolicy(workload.kind),
    workload,
    template: mergeTemplate(written, role.templatePatch),
    leaderWorkerSet: { ...role.leaderWorkerSet, size: role.leaderWorkerSet?.size ?? 1 },
    hasScalingAdapter: role.scalingAdapter?.enable ?? false,
  };
}

function plainFields(role: RoleSpec) {
  const { name, replicas = 1, labels = {}, annotations = {}, dependencies = [] } = role;
  const { servicePorts = [], minReadySeconds = 0 } = role;
  return { name, replicas, labels, annotations, dependencies, servicePorts, minReadySeconds };
}

function workloadOf(
  { name, workload = {} }: RoleSpec,
  placedTogether: ReadonlySet<string>,
): DefaultedRole["workload"] {
  if (placedTogether.has(name)) return { apiVersion: "v1", kind: "Pod" };
  const { apiVersion = "apps/v1", kind = "StatefulSet" } = workload;
  return { apiVersion, kind: kind as WorkloadKind };
}

function rollingUpdateOf({ rolloutStrategy }: RoleSpec): DefaultedRole["rollingUpdate"] {
  const { partition, maxUnavailable, maxSurge, paused } = rolloutStrategy?.rollingUpdate ?? {};
  return {
    partition: partition ?? 0,
    maxUnavailable: maxUnavailable ?? 1,
    maxSurge: maxSurge ?? 0,
    paused: paused ?? false,
  };
}

const defaultRestartPolicy = (kind: WorkloadKind): RestartPolicy =>
  kind === "LeaderWorkerSet" ? "RecreateRoleInstanceOnPodRestart" : "None";
