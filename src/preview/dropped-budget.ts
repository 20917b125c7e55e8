/**
 * API servers whose gate MaxUnavailableStatefulSet is off drop that field of a StatefulSet, and an annotation stands
 * for it where Lockstep is the controller. The server of a copy has the field. Pure.
 */
import type { StatefulSet } from "../api/apps.ts";
import type { KubeObject } from "../api/object.ts";
import { readOverrides } from "../controllers/statefulset/annotations.ts";

/** A server that has the field gives it a value. */
function isDroppedIn(live: KubeObject): boolean {
  if (live["kind"] !== "StatefulSet") return false;
  const { type, rollingUpdate } = (live as unknown as StatefulSet).spec.updateStrategy ?? {};
  return type === "RollingUpdate" && rollingUpdate?.maxUnavailable === undefined;
}

/** Whether Lockstep is the controller: another one reports no conditions. */
const isReported = ({ status }: StatefulSet): boolean =>
  status?.conditions?.some(({ type }) => type === "Progressing") ?? false;

/** The object with the budget that counts in the cluster that `live` comes from. */
export function withBudgetOf(live: KubeObject | undefined, object: KubeObject): KubeObject {
  if (live === undefined || !isDroppedIn(live)) return object;
  const set = object as unknown as StatefulSet;
  const { type = "RollingUpdate", rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type !== "RollingUpdate") return object;
  const isOurs = isReported(live as unknown as StatefulSet);
  const maxUnavailable = isOurs ? readOverrides(set).maxUnavailable : undefined;
  const updateStrategy = { type, rollingUpdate: { ...rollingUpdate, maxUnavailable } };
  return { ...object, spec: { ...set.spec, updateStrategy } };
}

/** What is asked for and dropped. */
export function droppedSettings(live: KubeObject | undefined, object: KubeObject): string[] {
  if (live === undefined || !isDroppedIn(live)) return [];
  const { spec } = object as unknown as StatefulSet;
  if (spec.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) return [];
  return [
    "spec.updateStrategy.rollingUpdate.maxUnavailable: the API server of this cluster drops it " +
      "(its gate MaxUnavailableStatefulSet is off)",
  ];
}
