/** Makes an object what it should be with as few writes as possible: none where it is so already. */
import type { KubeObject, ObjectKey, OwnerReference } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { isSameJson } from "../../api/same-json.ts";
import { isAlreadyExists, isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";

export const keyOfObject = ({ metadata }: KubeObject): ObjectKey => ({
  namespace: metadata.namespace,
  name: metadata.name ?? "",
});

export function controllerReferenceTo(
  resource: Resource,
  { metadata }: KubeObject,
): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Whether `actual` already says everything that `wanted` says; what others added does not matter. */
export function includes(actual: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) {
    return isSameJson(actual, wanted);
  }
  if (typeof actual !== "object" || actual === null) return Object.keys(wanted).length === 0;
  const have = actual as Record<string, unknown>;
  return Object.entries(wanted).every(
    ([key, value]) => value === undefined || includes(have[key], value),
  );
}

/** True when it was created; a namesake that appeared meanwhile is looked at in the next pass. */
export async function createChild(
  client: Client,
  resource: Resource,
  object: KubeObject,
): Promise<boolean> {
  try {
    await client.create(resource, object);
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) throw new NameTakenError(resource, object, error);
    throw error;
  }
}

/** The server has an object of this name that no cache shows as ours: an older one has yet to go, or a stranger. */
export class NameTakenError extends Error {
  readonly resource: Resource;
  readonly key: ObjectKey;

  constructor(resource: Resource, object: KubeObject, cause: unknown) {
    const key = keyOfObject(object);
    super(`${resource.kind} ${key.namespace}/${key.name} exists already`, { cause });
    this.resource = resource;
    this.key = key;
  }
}

/** Deletes exactly this incarnation; one that is gone is what was wanted. */
export async function deleteChild(
  client: Client,
  resource: Resource,
  object: KubeObject,
): Promise<void> {
  try {
    await client.delete(resource, keyOfObject(object), { uid: object.metadata.uid });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
