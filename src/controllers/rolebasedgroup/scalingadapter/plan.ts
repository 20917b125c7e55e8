/** What a scaling adapter does to its role, and what it says about it. Pure. */
import type { ObjectKey } from "../../../api/object.ts";
import { isTerminating, olderFirst } from "../../../api/object.ts";
import type { RoleBasedGroup, RoleSpec } from "../../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../../api/rbg/rolebasedgroup.ts";
import type { ScalingAdapter } from "../../../api/rbg/scaling-adapter.ts";
import { scalingAdapterResource } from "../../../api/rbg/scaling-adapter.ts";
import type { Reader } from "../../../runtime/reader.ts";
import type { Planned } from "../../engine/reconcile.ts";
import type { PatchWrite } from "../../engine/write.ts";
import { patchOf } from "../../engine/write.ts";
import { selectorOf } from "../pod-template.ts";
import { targetIndex, targetKey } from "../caches.ts";

export interface AdapterReaders {
  readonly groups: Reader<RoleBasedGroup>;
  readonly adapters: Reader<ScalingAdapter>;
}

/** Whether the adapter has a role to scale. */
export type Binding =
  | { readonly kind: "bound"; readonly role: RoleSpec; readonly index: number }
  | { readonly kind: "unbound"; readonly reason: string; readonly message: string };

export interface Observed {
  readonly nowMs: number;
  readonly adapter: ScalingAdapter;
  readonly group: RoleBasedGroup | undefined;
  readonly binding: Binding;
}

export interface AdapterPlan extends Planned {
  /** The size that the role is given in this reconcile. */
  readonly scales?: { readonly from: number; readonly to: number };
}

export function observe(
  { groups, adapters }: AdapterReaders,
  key: ObjectKey,
  nowMs: number,
): Observed | undefined {
  const adapter = adapters.get(key);
  if (adapter === undefined) return undefined;
  const target = targetKey(adapter);
  const group = groups.get(target);
  const others = adapters.byIndex(targetIndex, target);
  return { nowMs, adapter, group, binding: bindingOf(adapter, group, others) };
}

function bindingOf(
  adapter: ScalingAdapter,
  group: RoleBasedGroup | undefined,
  others: readonly ScalingAdapter[],
): Binding {
  const { name, role: roleName } = adapter.spec.scaleTargetRef;
  const unbound = (reason: string, message: string): Binding => ({
    kind: "unbound",
    reason,
    message,
  });
  if (group === undefined || isTerminating(group)) {
    return unbound("GroupNotFound", `there is no RoleBasedGroup ${name} in this namespace`);
  }
  const index = group.spec.roles.findIndex((each) => each.name === roleName);
  const role = group.spec.roles[index];
  if (role === undefined) {
    const roles = group.spec.roles.map((each) => each.name).join(", ");
    return unbound("RoleNotFound", `RoleBasedGroup ${name} has no role ${roleName}, only ${roles}`);
  }
  const first = others
    .filter(({ spec }) => spec.scaleTargetRef.role === roleName)
    .toSorted(olderFirst)[0];
  if (first !== undefined && first.metadata.uid !== adapter.metadata.uid) {
    const message = `${first.metadata.name} scales this role already: delete one of the two`;
    return unbound("RoleTaken", message);
  }
  return { kind: "bound", role, index };
}

/** A new adapter takes the size of its role; from then on the role takes the adapter's. */
export function plan({ adapter, group, binding }: Observed): AdapterPlan {
  if (binding.kind === "unbound" || group === undefined) return { phases: [] };
  const { replicas: size = 1 } = binding.role;
  const { replicas } = adapter.spec;
  if (replicas === undefined) return { phases: [adoptSize(adapter, size)] };
  if (replicas === size) return { phases: [] };
  return {
    phases: [resize(group, binding, replicas)],
    scales: { from: size, to: replicas },
  };
}

function adoptSize(adapter: ScalingAdapter, replicas: number): PatchWrite {
  const { resourceVersion } = adapter.metadata;
  const body = { metadata: { resourceVersion }, spec: { replicas } };
  const patch = { type: "merge", body } as const;
  return patchOf(scalingAdapterResource, adapter, { patch, ifGone: "skip" });
}

/** The rest of the role belongs to whoever wrote it; the test fails where the roles were put in another order. */
function resize(
  group: RoleBasedGroup,
  { role, index }: { readonly role: RoleSpec; readonly index: number },
  replicas: number,
): PatchWrite {
  const at = `/spec/roles/${index}`;
  const operations = [
    { op: "test", path: "/metadata/resourceVersion", value: group.metadata.resourceVersion },
    { op: "test", path: `${at}/name`, value: role.name },
    { op: "add", path: `${at}/replicas`, value: replicas },
  ];
  const patch = { type: "json", operations } as const;
  return patchOf(roleBasedGroupResource, group, { patch, ifGone: "skip" });
}

/** `a=b,c=d`: what an autoscaler finds the pods of the role by. */
export function selectorTextOf(group: RoleBasedGroup, role: string): string {
  return Object.entries(selectorOf(group, role))
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",");
}
