/** Reconciles CustomResourceDefinitions: writes their status, registers their resources, and cleans up after them. */
import { isSameJson } from "../../api/same-json.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Context } from "../context.ts";
import { collectionOf, timestamp } from "../context.ts";
import type { ServedResource } from "../served-resource.ts";
import type { Collection } from "../store/store.ts";
import { customResources } from "./custom-resource.ts";
import type { CustomResourceDefinition } from "./definition.ts";
import { cleanupFinalizer, isTrue } from "./definition.ts";
import { definitionResource } from "./definition-resource.ts";
import type { TakenNames } from "./definition-status.ts";
import { definitionStatus } from "./definition-status.ts";

export interface DefinitionService {
  stop(): void;
}

/**
 * Serves the existing definitions and follows later changes. Every change is reconciled synchronously with its
 * write, so a client that has created a definition can use it at once.
 */
export function serveDefinitions(context: Context): DefinitionService {
  context.registry.register(definitionResource);
  const reconciler = new DefinitionReconciler(context);
  const definitions = collectionOf(context, definitionResource);
  for (const { metadata } of definitions.list({})) reconciler.reconcile(metadata.name ?? "");
  const subscription = context.store.subscribe((change) => {
    if (change.collection === definitions.name) reconciler.reconcile(change.key);
    else if (change.type === "DELETED") reconciler.reconcile(change.collection);
  });
  return subscription;
}

interface Served {
  readonly generation: string;
  readonly resources: readonly ServedResource[];
}

class DefinitionReconciler {
  readonly #context: Context;
  readonly #definitions: Collection;
  readonly #served = new Map<string, Served>();
  readonly #waiting = new Set<string>();
  #isReconciling = false;

  constructor(context: Context) {
    this.#context = context;
    this.#definitions = collectionOf(context, definitionResource);
  }

  /** Writes made while reconciling come back as changes and are queued. */
  reconcile(name: string): void {
    this.#waiting.add(name);
    if (this.#isReconciling) return;
    this.#isReconciling = true;
    try {
      for (const next of this.#waiting) {
        this.#waiting.delete(next);
        this.#reconcileOne(next);
      }
    } finally {
      this.#isReconciling = false;
    }
  }

  #reconcileOne(name: string): void {
    const stored = this.#definitions.get(name) as CustomResourceDefinition | undefined;
    if (stored === undefined) {
      if (this.#served.has(name)) this.#withdraw(name);
      return;
    }
    const definition = this.#withStatus(name, stored);
    if (isTrue(definition, "Established")) this.#serve(name, definition);
    if (definition.metadata.deletionTimestamp !== undefined) this.#cleanUp(name, definition);
  }

  #withStatus(name: string, definition: CustomResourceDefinition): CustomResourceDefinition {
    const now = timestamp(this.#context);
    const status = definitionStatus(definition, this.#takenNames(name, definition), now);
    if (isSameJson(status, definition.status)) return definition;
    const metadata = { ...definition.metadata };
    return this.#definitions.put(name, {
      ...definition,
      metadata,
      status,
    }) as CustomResourceDefinition;
  }

  /** First come, first served: of two definitions the one that was accepted holds the name. */
  #takenNames(name: string, { spec }: CustomResourceDefinition): TakenNames {
    const others = this.#context.registry.served.filter(
      (resource) =>
        resource.group === spec.group && `${resource.plural}.${resource.group}` !== name,
    );
    return {
      resources: new Set(
        others.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]),
      ),
      kinds: new Set(others.flatMap(({ kind, listKind }) => [kind, listKind])),
    };
  }

  #serve(name: string, definition: CustomResourceDefinition): void {
    const { generation = 0, uid = "", deletionTimestamp = "" } = definition.metadata;
    const stamp = `${uid}/${generation}/${deletionTimestamp}`;
    const known = this.#served.get(name);
    if (known?.generation === stamp) return;
    const resources = customResources(definition);
    const paths = new Set(resources.map(({ version }) => version));
    for (const old of known?.resources ?? []) {
      if (!paths.has(old.version)) this.#context.registry.unregister(old);
    }
    for (const resource of resources) {
      this.#context.registry.register(resource);
      // The collection starts to keep changes now, not at the first request.
      collectionOf(this.#context, resource);
    }
    this.#served.set(name, { generation: stamp, resources });
  }

  #withdraw(name: string): void {
    for (const resource of this.#served.get(name)?.resources ?? [])
      this.#context.registry.unregister(resource);
    this.#served.delete(name);
    // The names are free again, and another definition may have waited for them.
    for (const { metadata } of this.#definitions.list({})) this.#waiting.add(metadata.name ?? "");
  }

  /** Deletes the objects, and removes the definition's finalizer once none is left. */
  #cleanUp(name: string, definition: CustomResourceDefinition): void {
    if (definition.metadata.finalizers?.includes(cleanupFinalizer) !== true) return;
    const [resource] = this.#served.get(name)?.resources ?? customResources(definition);
    const objects = resource && collectionOf(this.#context, resource);
    for (const object of objects?.list({}) ?? []) this.#deleteInstance(objects, object);
    if ((objects?.list({}) ?? []).length > 0) return;
    const finalizers = definition.metadata.finalizers.filter((one) => one !== cleanupFinalizer);
    if (finalizers.length === 0) this.#definitions.delete(name);
    else {
      const metadata = { ...definition.metadata, finalizers };
      this.#definitions.put(name, { ...definition, metadata });
    }
  }

  #deleteInstance(objects: Collection | undefined, object: KubeObject): void {
    const { namespace, name = "", finalizers = [], deletionTimestamp } = object.metadata;
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    if (finalizers.length === 0) {
      objects?.delete(key);
      return;
    }
    if (deletionTimestamp !== undefined) return;
    const metadata = {
      ...object.metadata,
      deletionTimestamp: timestamp(this.#context),
      deletionGracePeriodSeconds: 0,
      generation: (object.metadata.generation ?? 0) + 1,
    };
    objects?.put(key, { ...object, metadata });
  }
}
