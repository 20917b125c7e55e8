/** Deletes one object of a set unless it goes already, and remembers the request where no answer came. */
import type { KubeObject } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Resource } from "../../../api/resource.ts";
import type { Client } from "../../../runtime/client.ts";
import { keyOfObject } from "../../engine/child-writes.ts";
import type { UnconfirmedDeletes } from "../../engine/unconfirmed-deletes.ts";
import type { KnownRemains } from "./known-remains.ts";

export interface ActOptions {
  readonly client: Client;
  readonly deletes: UnconfirmedDeletes;
  readonly remains: KnownRemains;
  /** The set's key: whose deletes these are. */
  readonly owner: string;
}

export async function deleteOne(
  { client, deletes, owner }: ActOptions,
  resource: Resource,
  object: KubeObject,
): Promise<void> {
  if (isTerminating(object)) return;
  const uid = object.metadata.uid ?? "";
  await deletes.delete(client, owner, { resource, key: keyOfObject(object), uid });
}
