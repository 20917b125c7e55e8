/** Records what each key wrote last, so that it is not reconciled again before the caches show those writes. */
import type { KubeObject, ObjectKey } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { groupResource } from "../api/resource.ts";
import { isConflict, isNotFound } from "../api/status.ts";
import type { Cache } from "./cache.ts";
import type { Client, DeleteOptions } from "./client.ts";
import { keyOf, keyText } from "./object-store.ts";
import { newerVersion } from "./resource-version.ts";

interface Deletion {
  readonly cache: Cache;
  readonly objectKey: string;
  readonly uid: string;
  /** Nothing holds it any more: the cache may still show it terminating. */
  readonly isGone?: boolean;
}

interface Marks {
  readonly versions: Map<Cache, string>;
  deletions: Deletion[];
}

export class Watermarks {
  readonly #caches: ReadonlyMap<string, Cache>;
  readonly #marks = new Map<string, Marks>();

  constructor(caches: readonly Cache[]) {
    this.#caches = new Map(caches.map((cache) => [groupResource(cache.resource), cache]));
  }

  /** Whether some cache does not show all writes of this key yet. */
  isBehind(key: string): boolean {
    const marks = this.#marks.get(key);
    if (marks === undefined) return false;
    for (const [cache, version] of marks.versions) {
      if (cache.hasSeen(version)) marks.versions.delete(cache);
    }
    marks.deletions = marks.deletions.filter((deletion) => !isDeletionSeen(deletion));
    if (marks.versions.size > 0 || marks.deletions.length > 0) return true;
    this.#marks.delete(key);
    return false;
  }

  /** Resolves when the caches show every write that was recorded for the key up to now. */
  async caughtUp(key: string): Promise<void> {
    const marks = this.#marks.get(key);
    if (marks === undefined) return;
    await Promise.all([
      ...[...marks.versions].map(([cache, version]) => cache.whenSeen(version)),
      ...marks.deletions.map((deletion) => whenDeletionSeen(deletion)),
    ]);
    // Also where the server lost its history and the version will never come.
    if (this.#marks.get(key) === marks) this.#marks.delete(key);
  }

  forget(key: string): void {
    this.#marks.delete(key);
  }

  /** A client whose writes count as writes of `key`. */
  clientFor(key: string, client: Client): Client {
    return {
      ...client,
      create: async (resource, object, options) =>
        this.#wrote(key, resource, await client.create(resource, object, options)),
      update: async (resource, object, options) =>
        this.#wrote(key, resource, await client.update(resource, object, options)),
      patch: async (resource, objectKey, patch, options) =>
        this.#wrote(key, resource, await client.patch(resource, objectKey, patch, options)),
      delete: (resource, objectKey, options) =>
        this.#delete(key, client, { resource, objectKey, options }),
    };
  }

  #wrote<T extends KubeObject>(key: string, resource: Resource, written: T): T {
    const cache = this.#caches.get(groupResource(resource));
    const version = written.metadata?.resourceVersion;
    // Answers of subresources such as binding are no objects and carry no version.
    if (cache === undefined || version === undefined) return written;
    if (!cache.covers(written.metadata.namespace)) return written;
    const { versions, deletions } = this.#marksOf(key);
    versions.set(cache, newerVersion(versions.get(cache) ?? "", version));
    const { uid = "" } = written.metadata;
    if (isReleased(written))
      deletions.push({ cache, objectKey: keyOf(written), uid, isGone: true });
    return written;
  }

  async #delete(
    key: string,
    client: Client,
    call: { resource: Resource; objectKey: ObjectKey; options?: DeleteOptions },
  ): Promise<void> {
    const cache = this.#caches.get(groupResource(call.resource));
    const objectKey = keyText(call.objectKey);
    const uid = call.options?.uid ?? cache?.get(objectKey)?.metadata.uid;
    const expect = (): void => {
      if (cache === undefined || uid === undefined) return;
      this.#marksOf(key).deletions.push({ cache, objectKey, uid });
    };
    try {
      await client.delete(call.resource, call.objectKey, call.options);
      expect();
    } catch (error) {
      // It is deleted already and only the cache does not show it yet.
      if (isNotFound(error) || (isConflict(error) && (await isTerminating(client, call, uid))))
        expect();
      throw error;
    }
  }

  #marksOf(key: string): Marks {
    const marks = this.#marks.get(key) ?? { versions: new Map(), deletions: [] };
    this.#marks.set(key, marks);
    return marks;
  }
}

/** Whether the object with this uid is deleted or terminating, by a live read. */
async function isTerminating(
  client: Client,
  { resource, objectKey }: { resource: Resource; objectKey: ObjectKey },
  uid: string | undefined,
): Promise<boolean> {
  try {
    const { metadata } = await client.get(resource, objectKey);
    return metadata.uid !== uid || metadata.deletionTimestamp !== undefined;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** The write took the last finalizer: the server deleted the object with it, under a version of its own. */
function isReleased({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata;
  return (
    deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0
  );
}

/** A delete is seen when the object is gone, replaced by another of the same name, or terminating. */
function isDeletionSeen({ cache, objectKey, uid, isGone = false }: Deletion): boolean {
  const object = cache.get(objectKey);
  if (object === undefined || object.metadata.uid !== uid) return true;
  return !isGone && object.metadata.deletionTimestamp !== undefined;
}

function whenDeletionSeen(deletion: Deletion): Promise<void> {
  if (isDeletionSeen(deletion)) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = deletion.cache.whenChanged(deletion.objectKey, () => {
      if (!isDeletionSeen(deletion)) return;
      stop();
      resolve();
    });
  });
}
