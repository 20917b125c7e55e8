/** Whether an object is there to stay, asked of the server: what a deleted owner makes, the collector takes at once. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { isNotFound } from "../api/status.ts";
import type { Client } from "../runtime/client.ts";
import { keyOfObject } from "./child-writes.ts";

export async function isStillThere(
  client: Client,
  resource: Resource,
  object: KubeObject,
): Promise<boolean> {
  try {
    const { metadata } = await client.get(resource, keyOfObject(object));
    return metadata.uid === object.metadata.uid && metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
