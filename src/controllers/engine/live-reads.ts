/** What the server itself says, asked where a cache may be late: before what could not be taken back. */
import type { KubeObject, ObjectKey } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import { keyOfObject } from "./child-writes.ts";

/** How soon to look again where something was found that the caches do not show. */
export const lookAgainMs = 1_000;

/** Undefined where nothing of this name is there. */
export async function lookUp<T extends KubeObject>(
  client: Client,
  resource: Resource,
  key: ObjectKey,
): Promise<T | undefined> {
  try {
    return await client.get<T>(resource, key);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether this very object is there to stay: what a deleted owner makes, the collector takes at once. */
export async function isStillThere(
  client: Client,
  resource: Resource,
  object: KubeObject,
): Promise<boolean> {
  const found = await lookUp(client, resource, keyOfObject(object));
  const { uid, deletionTimestamp } = found?.metadata ?? {};
  return uid === object.metadata.uid && deletionTimestamp === undefined;
}
