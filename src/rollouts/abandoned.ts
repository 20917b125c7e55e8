/** Deletions that wait for a finalizer of ours which nobody removes: operator or definitions went first. Pure. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { parseTime } from "../api/time-text.ts";
import type { KindView } from "./kind.ts";
import { podsOf } from "./view.ts";

/** Named after the group of the kind: `grove.io/podclique.grove.io`. */
export const isOwnFinalizer = (finalizer: string, group: string): boolean =>
  finalizer.startsWith(`${group}/`) || finalizer.startsWith("lockstep.dev/");

/** An operator that is there removes them within moments. */
const patienceMs = 60_000;

interface Deleted {
  readonly object: KubeObject;
  readonly nowMs: number;
  readonly unserved?: readonly Resource[];
}

export function withAbandoned(view: KindView, { object, nowMs, unserved = [] }: Deleted): KindView {
  if (view.state !== "Deleting" || !isAbandoned(view, object, nowMs)) return view;
  const { finalizers = [] } = object.metadata;
  const message = `its deletion was requested, and nobody ends it: held by ${finalizers.join(", ")}`;
  const abandoned = unserved.length > 0 ? "NoDefinitions" : "NoOperator";
  return { ...view, abandoned, reason: { ...view.reason, message } };
}

/** While a pod of it terminates, the operator waits for that. */
function isAbandoned({ since, nodes }: KindView, object: KubeObject, nowMs: number): boolean {
  const { finalizers = [] } = object.metadata;
  const group = String(object["apiVersion"]).split("/")[0] ?? "";
  const requestedMs = parseTime(since ?? "") ?? nowMs;
  return (
    finalizers.length > 0 &&
    finalizers.every((finalizer) => isOwnFinalizer(finalizer, group)) &&
    nowMs - requestedMs >= patienceMs &&
    podsOf(nodes).every(({ health }) => health !== "terminating")
  );
}
