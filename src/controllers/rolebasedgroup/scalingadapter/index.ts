/** The RoleBasedGroupScalingAdapter controller: gives one role of a group the size that an autoscaler asks for. */
import type { KubeObject } from "../../../api/object.ts";
import { rbgKinds } from "../../../api/rbg/definitions.ts";
import { roleBasedGroupResource } from "../../../api/rbg/rolebasedgroup.ts";
import type { ScalingAdapter, ScalingAdapterStatus } from "../../../api/rbg/scaling-adapter.ts";
import { scalingAdapterResource } from "../../../api/rbg/scaling-adapter.ts";
import { isConflict } from "../../../api/status.ts";
import { watch } from "../../../runtime/controller.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import type { ControlledKind, KindOptions } from "../../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../../engine/controlled-kind.ts";
import { defineKind, statusAccess } from "../../engine/kind-definition.ts";
import type { Kind, KindTools } from "../../engine/reconcile.ts";
import type { SetCaches } from "../set-caches.ts";
import { setCacheDefinitions } from "../set-caches.ts";
import { targetIndex, targetKey } from "../caches.ts";
import type { AdapterPlan, AdapterReaders, Observed } from "./plan.ts";
import { observe, plan } from "./plan.ts";
import { adapterStatus } from "./status.ts";

type AdapterCaches = Pick<SetCaches, "groups" | "adapters">;
type AdapterTools = KindTools<ScalingAdapter, ScalingAdapterStatus>;

const reasons = { created: "Created", deleted: "Deleted", updating: "Updating" } as const;

function scalingAdapterController(
  options: KindOptions & { readonly caches: AdapterCaches },
): ControlledKind {
  const { groups, adapters } = options.caches;
  const caches = { groups, adapters };
  const tools: AdapterTools = kindTools(options, {
    resource: scalingAdapterResource,
    reasons,
    // An autoscaler decides by these numbers.
    isUrgent: () => true,
  });
  const namesOf = (target: string): readonly string[] =>
    adapters.byIndex(targetIndex, target).map((adapter) => keyOf(adapter));
  return controlledKind(options, {
    name: "rolebasedgroupscalingadapter",
    caches,
    tools,
    kind: scalingAdapterReconciler(caches, tools),
    watches: [
      // Another adapter of the same role may be free to bind once this one is gone.
      watch(adapters, (adapter) => [keyOf(adapter), ...namesOf(targetKey(adapter))]),
      watch(groups, (group: KubeObject) => namesOf(keyOf(group))),
    ],
    workers: 2,
  });
}

export function scalingAdapterReconciler(
  readers: AdapterReaders,
  { clock, events }: AdapterTools,
): Kind<ScalingAdapter, ScalingAdapterStatus, Observed, AdapterPlan> {
  return {
    resource: scalingAdapterResource,
    reports: "afterActing",
    observe: (key) => observe(readers, key, clock.now()),
    objectOf: ({ adapter }) => adapter,
    plan,
    status: adapterStatus,
    failureEvent: (_observed, { scales }, { cause, message }) => {
      if (isConflict(cause)) return undefined;
      return { type: "Warning", reason: "SizeRefused", message: `${scales?.to} pods: ${message}` };
    },
    emit: ({ adapter, group }, { scales }, status) => {
      const isTaken = status?.conditions?.some(
        (each) => each.type === "Scaled" && each.status === "True",
      );
      if (scales === undefined || group === undefined || isTaken !== true) return;
      const { role } = adapter.spec.scaleTargetRef;
      const message = `role ${role} is scaled from ${scales.from} to ${scales.to} by ${adapter.metadata.name}`;
      events.record(group, { type: "Normal", reason: "ReplicasOverriddenByAdapter", message });
    },
  };
}

const { groups, adapters } = setCacheDefinitions;

export const scalingAdapterKind = defineKind<AdapterCaches>({
  name: "rolebasedgroupscalingadapter",
  resource: scalingAdapterResource,
  customKinds: rbgKinds,
  caches: { groups, adapters },
  access: [
    { resource: scalingAdapterResource, verbs: ["patch"] },
    statusAccess(scalingAdapterResource),
    { resource: roleBasedGroupResource, verbs: ["patch"] },
  ],
  controller: scalingAdapterController,
});
