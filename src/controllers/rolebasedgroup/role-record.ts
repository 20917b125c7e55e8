/** Where the rollout of a role stands that has no workload object: kept on the headless service of the role. Pure. */
import type { KubeObject } from "../../api/object.ts";
import { serviceName } from "../../api/rbg/names.ts";
import { serviceResource } from "../../api/service.ts";
import type { PatchWrite } from "../engine/write.ts";
import { patchOf } from "../engine/write.ts";
import type { GroupReaders } from "./caches.ts";
import type { RolePlace } from "./role-workload.ts";

export interface RoleRecord {
  /** What the pods at or above the cursor are to be made from. */
  readonly revision: string;
  readonly cursor: number;
  /** What the pods below the cursor were made from. */
  readonly previous: string;
}

/** On the service of a role. */
export const recordAnnotation = "lockstep.dev/role-rollout";

export const serviceOf = (
  readers: Pick<GroupReaders, "services">,
  { group, role }: RolePlace,
): KubeObject | undefined => {
  const { namespace, name = "" } = group.metadata;
  return readers.services.get({ namespace, name: serviceName(name, role.name) });
};

/** Undefined where the role was not started, or where somebody wrote something else there. */
export function readRecord(service: KubeObject | undefined): RoleRecord | undefined {
  const text = service?.metadata.annotations?.[recordAnnotation];
  const [revision, cursor, previous] = text?.split(" ") ?? [];
  if (revision === undefined || previous === undefined || !/^\d+$/.test(cursor ?? "")) {
    return undefined;
  }
  return { revision, cursor: Number(cursor), previous };
}

const textOf = ({ revision, cursor, previous }: RoleRecord): string =>
  `${revision} ${cursor} ${previous}`;

/** None where it is recorded already. The service may not have changed since: a cursor never rises by a stale view. */
export function recordWrites(service: KubeObject, record: RoleRecord): readonly PatchWrite[] {
  const text = textOf(record);
  const { uid, resourceVersion, annotations } = service.metadata;
  if (annotations?.[recordAnnotation] === text) return [];
  const body = { metadata: { uid, resourceVersion, annotations: { [recordAnnotation]: text } } };
  return [patchOf(serviceResource, service, { patch: { type: "merge", body } })];
}

/** A new revision keeps what was rolled out completely before; one that was not is abandoned. */
export function nextRecord(
  before: RoleRecord | undefined,
  { revision, cursor }: Pick<RoleRecord, "revision" | "cursor">,
): RoleRecord {
  if (before === undefined) return { revision, cursor, previous: revision };
  if (before.revision === revision) return { ...before, cursor };
  const previous = before.cursor === 0 ? before.revision : before.previous;
  return { revision, cursor, previous };
}
