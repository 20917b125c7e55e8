/** The Client over any Transport: builds the paths and turns refusals into ApiError. */
import type { KubeList, KubeObject, ObjectKey } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import type { Status } from "../api/status.ts";
import { ApiError } from "../api/status.ts";
import type {
  Client,
  DeleteOptions,
  ListOptions,
  Patch,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
import { requireWhole } from "./partial-object.ts";
import { nameRequest } from "./request-name.ts";
import type { Transport, TransportRequest, WatchEvent } from "./transport.ts";

const patchContentTypes: Record<Patch["type"], string> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

type Ask = <T>(request: TransportRequest) => Promise<T>;

export function restClient(transport: Transport): Client {
  async function ask<T>(request: TransportRequest): Promise<T> {
    const response = await named(request, () => transport.request(request));
    if (response.status >= 400) {
      throw nameRequest(new ApiError(asStatus(response.status, response.body)), request);
    }
    return response.body as T;
  }
  return { ...reads(ask, transport), ...writes(ask), ...deletes(ask) };
}

async function named<T>(request: TransportRequest, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw nameRequest(error, request);
  }
}

function reads(ask: Ask, transport: Transport): Pick<Client, "get" | "list" | "watch"> {
  return {
    get: <T extends KubeObject>(resource: Resource, key: ObjectKey, subresource?: string) =>
      ask<T>({ method: "GET", path: objectPath(resource, key, subresource) }),

    list: <T extends KubeObject>(resource: Resource, options: ListOptions = {}) =>
      ask<KubeList<T>>({
        method: "GET",
        path: collectionPath(resource, options.namespace),
        query: selectionQuery(options),
      }),

    watch: <T extends KubeObject>(
      resource: Resource,
      options: WatchOptions,
      onEvent: (event: WatchEvent<T>) => void,
    ) => {
      const path = collectionPath(resource, options.namespace);
      const { signal } = options;
      const request = { method: "GET", path, query: watchQuery(options), signal } as const;
      return named(request, () =>
        transport.stream(request, onEvent as (event: WatchEvent) => void),
      );
    },
  };
}

function writes(ask: Ask): Pick<Client, "create" | "update" | "patch"> {
  return {
    create: async <T extends KubeObject>(
      resource: Resource,
      object: T,
      options: WriteOptions = {},
    ) =>
      ask<T>({
        method: "POST",
        path: createPath(resource, object, options.subresource),
        query: writeQuery(options),
        body: requireWhole(object),
        isCanonical: resource.isKeptAsBytes,
      }),

    update: async <T extends KubeObject>(
      resource: Resource,
      object: T,
      options: WriteOptions = {},
    ) =>
      ask<T>({
        method: "PUT",
        path: objectPath(resource, keyOf(object), options.subresource),
        query: writeQuery(options),
        body: requireWhole(object),
        isCanonical: resource.isKeptAsBytes,
      }),

    patch: <T extends KubeObject>(
      resource: Resource,
      key: ObjectKey,
      patch: Patch,
      options: WriteOptions = {},
    ) =>
      ask<T>({
        method: "PATCH",
        path: objectPath(resource, key, options.subresource),
        query: writeQuery(options),
        contentType: patchContentTypes[patch.type],
        body: patch.type === "json" ? patch.operations : patch.body,
      }),
  };
}

function deletes(ask: Ask): Pick<Client, "delete" | "deleteCollection"> {
  return {
    async delete(resource, key, options = {}) {
      const path = objectPath(resource, key);
      const { isTimely = false } = options;
      await ask({
        method: "DELETE",
        path,
        body: deleteBody(options),
        ...(isTimely && { isTimely }),
      });
    },

    async deleteCollection(resource, selection, options = {}) {
      const path = collectionPath(resource, selection.namespace);
      const query = selectionQuery(selection);
      await ask({ method: "DELETE", path, query, body: deleteBody(options) });
    },
  };
}

export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === "" ? "/api" : `/apis/${resource.group}`;
  const scope =
    resource.namespaced && namespace !== undefined
      ? `/namespaces/${encodeURIComponent(namespace)}`
      : "";
  return `${root}/${resource.version}${scope}/${resource.plural}`;
}

export function objectPath(resource: Resource, key: ObjectKey, subresource?: string): string {
  const path = `${collectionPath(resource, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function createPath(resource: Resource, object: KubeObject, subresource?: string): string {
  if (subresource === undefined) return collectionPath(resource, object.metadata.namespace);
  return objectPath(resource, keyOf(object), subresource);
}

function keyOf(object: KubeObject): ObjectKey {
  return { namespace: object.metadata.namespace, name: object.metadata.name ?? "" };
}

function selectionQuery(options: ListOptions): Record<string, string> {
  return defined({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit?.toString(),
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  });
}

function watchQuery(options: WatchOptions): Record<string, string> {
  return defined({
    watch: "true",
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    allowWatchBookmarks: options.allowWatchBookmarks === true ? "true" : undefined,
    sendInitialEvents: options.sendInitialEvents?.toString(),
    resourceVersionMatch: options.sendInitialEvents === undefined ? undefined : "NotOlderThan",
    timeoutSeconds: options.timeoutSeconds?.toString(),
  });
}

function writeQuery(options: WriteOptions): Record<string, string> {
  return defined({
    dryRun: options.dryRun === true ? "All" : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  });
}

function deleteBody(options: DeleteOptions): unknown {
  const preconditions = defined({ uid: options.uid, resourceVersion: options.resourceVersion });
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    ...(options.propagationPolicy === undefined
      ? {}
      : { propagationPolicy: options.propagationPolicy }),
    ...(options.gracePeriodSeconds === undefined
      ? {}
      : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(options.dryRun === true ? { dryRun: ["All"] } : {}),
  };
}

function defined(values: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => {
    return entry[1] !== undefined;
  });
  return Object.fromEntries(entries);
}

function asStatus(code: number, body: unknown): Status {
  if (typeof body === "object" && body !== null && "kind" in body && body.kind === "Status") {
    return body as Status;
  }
  const message = typeof body === "string" && body !== "" ? body.trim() : `HTTP status ${code}`;
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code };
}
