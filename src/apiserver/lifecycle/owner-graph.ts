/** The graph of owners and dependents, updated from the store's changes. */
import type { KubeObject, OwnerReference } from "../../api/object.ts";
import type { Change } from "../store/store.ts";

export interface GraphNode {
  readonly collection: string;
  readonly key: string;
  readonly object: KubeObject;
}

export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  /** By the owner's uid: the uids of its dependents, in order of arrival. */
  readonly #dependents = new Map<string, Set<string>>();

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): readonly GraphNode[] {
    const found: GraphNode[] = [];
    for (const one of this.#dependents.get(uid) ?? []) {
      const node = this.#nodes.get(one);
      if (node !== undefined) found.push(node);
    }
    return found;
  }

  hasDependents(uid: string): boolean {
    return (this.#dependents.get(uid)?.size ?? 0) > 0;
  }

  apply({ type, collection, key, object, previous }: Change): void {
    const uid = object.metadata.uid ?? "";
    if (type === "DELETED") this.#nodes.delete(uid);
    else this.#nodes.set(uid, { collection, key, object });
    const isSame = type !== "DELETED" && ownersOf(previous) === ownersOf(object);
    if (isSame) return;
    const before = new Set(ownersOf(previous).map((owner) => owner.uid));
    const now = new Set((type === "DELETED" ? [] : ownersOf(object)).map((owner) => owner.uid));
    for (const owner of before) if (!now.has(owner)) this.#unlink(owner, uid);
    for (const owner of now) if (!before.has(owner)) this.#link(owner, uid);
  }

  #link(owner: string, uid: string): void {
    const dependents = this.#dependents.get(owner) ?? new Set();
    this.#dependents.set(owner, dependents.add(uid));
  }

  #unlink(owner: string, uid: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(uid);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }
}

const nobody: readonly OwnerReference[] = [];

export function ownersOf(object: KubeObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? nobody;
}
