/** The resources served right now, built-in and custom, found by path and by kind. */
import { apiVersionOf } from "../api/resource.ts";
import type { ServedResource } from "./served-resource.ts";

export class Registry {
  readonly #byPath = new Map<string, ServedResource>();
  readonly #byKind = new Map<string, ServedResource>();
  readonly #listeners = new Set<() => void>();
  #served: readonly ServedResource[] = [];

  /** In the order of registration. */
  get served(): readonly ServedResource[] {
    return this.#served;
  }

  /** Adds a resource, or replaces the one at the same path. */
  register(resource: ServedResource): void {
    this.#byPath.set(pathOf(resource), resource);
    this.#byKind.set(kindKey(apiVersionOf(resource), resource.kind), resource);
    this.#changed();
  }

  unregister(resource: Pick<ServedResource, "group" | "version" | "plural" | "kind">): void {
    if (!this.#byPath.delete(pathOf(resource))) return;
    this.#byKind.delete(kindKey(apiVersionOf(resource), resource.kind));
    this.#changed();
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#byPath.get(pathOf({ group, version, plural }));
  }

  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.#byKind.get(kindKey(apiVersion, kind));
  }

  /** Calls back after every change of what is served. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #changed(): void {
    this.#served = [...this.#byPath.values()];
    for (const listener of this.#listeners) listener();
  }
}

function pathOf(resource: Pick<ServedResource, "group" | "version" | "plural">): string {
  return `${resource.group}/${resource.version}/${resource.plural}`;
}

function kindKey(apiVersion: string, kind: string): string {
  return `${apiVersion}/${kind}`;
}
