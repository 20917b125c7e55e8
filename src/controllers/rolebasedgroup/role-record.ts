/** Where the rollout of a role stands that has no workload object: kept on the headless service of the role. Pure. */
import type { KubeObject } from "../../api/object.ts";
import { labelValueProblems } from "../../api/label-syntax.ts";
import { serviceName } from "../../api/rbg/names.ts";
import { serviceResource } from "../../api/service.ts";
import { mostParts } from "../../api/size-limit.ts";
import type { PatchWrite } from "../engine/write.ts";
import { patchOf } from "../engine/write.ts";
import type { GroupReaders } from "./caches.ts";
import type { DesiredWorkload, RolePlace } from "./role-workload.ts";

export interface RoleRecord {
  /** What the pods at or above the cursor are to be made from. */
  readonly revision: string;
  readonly cursor: number;
  /** What the pods below the cursor were made from. */
  readonly previous: string;
  /** How many pods it is to have now, where roles are scaled together. */
  readonly size?: number;
  /** Ordinals below the cursor whose pods are to be made from the revision all the same. */
  readonly ahead?: readonly number[];
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
  const [revision, cursor, previous, size, ahead] = text?.split(" ") ?? [];
  if (!isRevision(revision) || !isRevision(previous) || !isCount(cursor)) return undefined;
  const scaled = isCount(size) ? { size: Number(size) } : {};
  const ordinals = ahead?.split(",") ?? [];
  const isEarly = ordinals.length > 0 && ordinals.length <= mostParts && ordinals.every(isCount);
  const early = isEarly ? { ahead: ordinals.map(Number) } : {};
  return { revision, cursor: Number(cursor), previous, ...scaled, ...early };
}

/** Pods carry it in a label. */
const isRevision = (text: string | undefined): text is string =>
  text !== undefined && labelValueProblems(text).length === 0;

const isCount = (text: string | undefined): boolean =>
  /^\d{1,9}$/.test(text ?? "") && Number(text) <= mostParts;

/** A version that knows less of it reads the words that it knows. */
function textOf({ revision, cursor, previous, size, ahead }: RoleRecord): string {
  const early = ahead === undefined ? [] : [ahead.join(",")];
  const sized = size === undefined && early.length === 0 ? [] : [size ?? "-"];
  return [revision, cursor, previous, ...sized, ...early].join(" ");
}

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
  {
    revision,
    cursor,
    ahead,
    scaledTo,
  }: Pick<DesiredWorkload, "revision" | "cursor" | "ahead" | "scaledTo">,
): RoleRecord {
  const more = {
    ...(scaledTo === undefined ? {} : { size: scaledTo }),
    ...(ahead.length === 0 ? {} : { ahead }),
  };
  if (before === undefined) return { revision, cursor, previous: revision, ...more };
  const isSame = before.revision === revision;
  const previous = isSame || before.cursor > 0 ? before.previous : before.revision;
  return { revision, cursor, previous, ...more };
}
