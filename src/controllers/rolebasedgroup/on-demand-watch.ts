/** Follows a kind that not every cluster serves, from the moment that a group needs it. */
import type { KubeObject } from "../../api/object.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { KeysOf, Watch } from "../../runtime/controller.ts";

export class OnDemandWatch<T extends KubeObject> {
  readonly #cache: Cache<T>;
  readonly #keys: KeysOf<T>;
  readonly #waiting = new Set<string>();
  #add: (key: string) => void = () => undefined;
  #isStarted = false;

  constructor(cache: Cache<T>, keys: KeysOf<T>) {
    this.#cache = cache;
    this.#keys = keys;
  }

  readonly watch: Watch = {
    follow: (add) => {
      this.#add = add;
      return this.#cache.onChange((change) => {
        for (const key of this.#keys(change.object)) add(key);
      });
    },
  };

  /** The key is reconciled again once the cluster serves the kind. */
  readonly need = (key: string): void => {
    if (this.#cache.hasSynced) return;
    this.#waiting.add(key);
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#cache.start();
    void this.#cache.whenSynced().then(() => {
      for (const waiting of this.#waiting) this.#add(waiting);
      this.#waiting.clear();
      return undefined;
    });
  };

  readonly stop = (): void => {
    if (this.#isStarted) this.#cache.stop();
  };
}
