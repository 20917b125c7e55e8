/** Distinguishes a change of what an object should be from the echo of a status that was written to it. */
import { isSameJson } from "../../api/same-json.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Change } from "../../runtime/cache.ts";

/** Only its status differs: the controller that wrote it knows it already. */
export function isStatusEcho(change: Change<KubeObject>): boolean {
  if (change.type !== "updated") return false;
  const { old, object } = change;
  const [a, b] = [old.metadata, object.metadata];
  return (
    isSameGeneration(old, object) &&
    a.deletionTimestamp === b.deletionTimestamp &&
    isSameJson(a.labels, b.labels) &&
    isSameJson(a.annotations, b.annotations) &&
    isSameJson(a.finalizers, b.finalizers) &&
    isSameJson(a.ownerReferences, b.ownerReferences)
  );
}

/** The server counts the changes of a spec, for kinds whose status is written apart. */
const isSameGeneration = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.generation === b.metadata.generation &&
  (a.metadata.generation !== undefined || isSameJson(a["spec"], b["spec"]));
