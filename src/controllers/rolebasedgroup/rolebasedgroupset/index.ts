/** The RoleBasedGroupSet controller: as many groups as asked for, all of one template, changed one after the other. */
import { isConflict } from "../../../api/status.ts";
import { rbgKinds } from "../../../api/rbg/definitions.ts";
import { roleBasedGroupResource } from "../../../api/rbg/rolebasedgroup.ts";
import type {
  RoleBasedGroupSet,
  RoleBasedGroupSetStatus,
} from "../../../api/rbg/rolebasedgroupset.ts";
import { roleBasedGroupSetResource } from "../../../api/rbg/rolebasedgroupset.ts";
import type { KubeObject } from "../../../api/object.ts";
import { watch } from "../../../runtime/controller.ts";
import type { ControlledKind, KindOptions } from "../../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../../engine/controlled-kind.ts";
import { defineKind, ownerAccess, statusAccess } from "../../engine/kind-definition.ts";
import { controllerOf } from "../../engine/ownership.ts";
import type { Kind, KindTools } from "../../engine/reconcile.ts";
import type { SetCaches } from "../set-caches.ts";
import { setCacheDefinitions } from "../set-caches.ts";
import { groupSetTooLarge } from "../size.ts";
import type { GroupSetReaders, Observed } from "./observe.ts";
import { observe } from "./observe.ts";
import type { GroupSetPlan } from "./plan.ts";
import { plan } from "./plan.ts";
import { groupSetStatus } from "./status.ts";

type GroupSetCaches = Pick<SetCaches, "groups" | "groupSets">;
type SetTools = KindTools<RoleBasedGroupSet, RoleBasedGroupSetStatus>;

const reasons = { created: "Created", deleted: "Deleted", updating: "Updating" } as const;

function groupSetController(
  options: KindOptions & { readonly caches: GroupSetCaches },
): ControlledKind {
  const { caches } = options;
  const tools: SetTools = kindTools(options, {
    resource: roleBasedGroupSetResource,
    reasons,
    isUrgent: (set: RoleBasedGroupSet, status: RoleBasedGroupSetStatus) =>
      set.status?.observedGeneration !== status.observedGeneration ||
      set.status?.readyReplicas !== status.readyReplicas,
  });
  return controlledKind(options, {
    name: "rolebasedgroupset",
    caches,
    tools,
    kind: groupSetReconciler(caches, tools),
    watches: [watch(caches.groupSets), watch(caches.groups, setsOf)],
    workers: 2,
  });
}

function setsOf(group: KubeObject): readonly string[] {
  const owner = controllerOf(group);
  if (owner?.kind !== roleBasedGroupSetResource.kind) return [];
  return [`${group.metadata.namespace}/${owner.name}`];
}

export function groupSetReconciler(
  readers: GroupSetReaders,
  { clock }: SetTools,
): Kind<RoleBasedGroupSet, RoleBasedGroupSetStatus, Observed, GroupSetPlan> {
  return {
    resource: roleBasedGroupSetResource,
    reports: "afterActing",
    observe: (key) => observe(readers, key, clock.now()),
    objectOf: ({ set }) => set,
    adoption: {
      goesOn: false,
      reason: "Adopted",
      orphansOf: ({ ownership }) => {
        const orphan = (object: KubeObject) => ({ resource: roleBasedGroupResource, object });
        return { adopt: ownership.adopt.map(orphan), release: ownership.release.map(orphan) };
      },
    },
    tooLarge: ({ set }) => groupSetTooLarge(set),
    plan,
    status: groupSetStatus,
    failureEvent: (_observed, { decision }, { cause, message }) =>
      isConflict(cause)
        ? undefined
        : {
            type: "Warning",
            reason: "FailedStep",
            message: `${decision.reason.message}, but that failed: ${message}`,
          },
    nameConflicts: {
      reason: "NameConflict",
      remedy: "delete or rename it, or give the set another name",
      isOrphan: () => false,
    },
  };
}

const { groups, groupSets } = setCacheDefinitions;

export const roleBasedGroupSetKind = defineKind<GroupSetCaches>({
  name: "rolebasedgroupset",
  resource: roleBasedGroupSetResource,
  customKinds: rbgKinds,
  caches: { groups, groupSets },
  access: [
    statusAccess(roleBasedGroupSetResource),
    ownerAccess(roleBasedGroupSetResource),
    { resource: roleBasedGroupResource, verbs: ["create", "update", "patch", "delete"] },
  ],
  controller: groupSetController,
});
