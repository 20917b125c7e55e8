/** What a controller remembers between two reconciles of an object, forgotten when that object is gone. */
import type { KubeObject } from "../../api/object.ts";
import { keyOf } from "../../runtime/object-store.ts";

interface Kept<T> {
  readonly uid: string | undefined;
  readonly value: T;
}

/** By key and uid: an object that takes the name of a deleted one starts without memories. */
export class PerOwner<T> {
  readonly #create: () => T;
  readonly #onForget: (value: T) => void;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(create: () => T, onForget: (value: T) => void = () => undefined) {
    this.#create = create;
    this.#onForget = onForget;
  }

  of(owner: KubeObject): T {
    const key = keyOf(owner);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.uid === owner.metadata.uid) return kept.value;
    this.forget(key);
    const value = this.#create();
    this.#kept.set(key, { uid: owner.metadata.uid, value });
    return value;
  }

  /** What is kept under a key, whichever object it was of. */
  peek(key: string): T | undefined {
    return this.#kept.get(key)?.value;
  }

  forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#onForget(kept.value);
  }

  get size(): number {
    return this.#kept.size;
  }
}

/** All memories of one controller; the engine forgets an owner in all of them at once. */
export class OwnerMemory {
  readonly #all: PerOwner<unknown>[] = [];

  perOwner<T>(create: () => T, onForget?: (value: T) => void): PerOwner<T> {
    const memory = new PerOwner(create, onForget);
    this.#all.push(memory as unknown as PerOwner<unknown>);
    return memory;
  }

  forget(key: string): void {
    for (const memory of this.#all) memory.forget(key);
  }
}
