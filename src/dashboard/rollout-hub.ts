/** Follows every rollout of a cluster for the pages that look at them, and keeps what was seen. */
import type { KubeObject } from "../api/object.ts";
import { timeText } from "../api/time-text.ts";
import { Cache } from "../runtime/cache.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock, Timer } from "../runtime/clock.ts";
import { keyOf } from "../runtime/object-store.ts";
import { listedView } from "../rollouts/compose.ts";
import { FollowedRollout } from "../rollouts/follow.ts";
import type { RolloutKind } from "../rollouts/kind.ts";
import type { RolloutView } from "../rollouts/view.ts";
import type { Frame } from "./history.ts";
import { History } from "./history.ts";

export interface HubOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly kinds: readonly RolloutKind[];
  readonly namespace?: string | undefined;
  readonly onProblem: (problem: unknown) => void;
}

/** `podcliqueset/default/chat`. */
export type RolloutId = string;

/** What changed: one rollout, or `list`. */
export type Listener = (changed: RolloutId) => void;

interface Followed {
  readonly rollout: FollowedRollout;
  readonly history: History;
  readonly uid: string | undefined;
}

/** Pages see changes together: nobody can follow more than a few a second. */
const gatherMs = 150;
/** More are followed when somebody opens them. */
const followedAtOnce = 50;

export class RolloutHub {
  readonly #options: HubOptions;
  readonly #caches: ReadonlyMap<RolloutKind, Cache>;
  readonly #followed = new Map<RolloutId, Followed>();
  readonly #listeners = new Set<Listener>();
  readonly #changed = new Set<RolloutId>();
  #timer: Timer | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
    const { client, clock, namespace, onProblem } = options;
    this.#caches = new Map(
      options.kinds.map((kind) => {
        const selection = namespace === undefined ? {} : { namespace };
        const { resource } = kind;
        return [kind, new Cache({ client, clock, resource, selection, onProblem })];
      }),
    );
  }

  start(): void {
    for (const [kind, cache] of this.#caches) {
      cache.onChange(({ type, object }) => this.#see(kind, type, object));
      cache.start();
    }
  }

  stop(): void {
    this.#timer?.cancel();
    for (const cache of this.#caches.values()) cache.stop();
    for (const { rollout } of this.#followed.values()) rollout.stop();
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Every rollout that is not part of another, in the order of their names. */
  list(): readonly RolloutView[] {
    const nowMs = this.#options.clock.now();
    return [...this.#caches].flatMap(([kind, cache]) =>
      cache
        .list()
        .filter((object) => kind.isTopLevel(object))
        .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
        .map((object) => listedView(kind, object, nowMs)),
    );
  }

  /** Undefined where there is no such rollout. */
  async view(id: RolloutId): Promise<RolloutView | undefined> {
    const found = this.find(id);
    if (found === undefined) return undefined;
    if (!this.#followed.has(id)) await this.#follow(id, found.kind, found.object);
    return this.#followed.get(id)?.rollout.view();
  }

  frames(id: RolloutId): readonly Frame[] {
    return this.#followed.get(id)?.history.frames ?? [];
  }

  find(id: RolloutId): { readonly kind: RolloutKind; readonly object: KubeObject } | undefined {
    const [word, namespace, name] = id.split("/");
    for (const [kind, cache] of this.#caches) {
      const object = kind.word === word ? cache.get(`${namespace}/${name}`) : undefined;
      if (object !== undefined) return { kind, object };
    }
    return undefined;
  }

  #see(kind: RolloutKind, type: "added" | "updated" | "deleted", object: KubeObject): void {
    if (!kind.isTopLevel(object)) return;
    const id = idOf(kind, object);
    const followed = this.#followed.get(id);
    if (type === "deleted" || (followed !== undefined && followed.uid !== object.metadata.uid)) {
      followed?.rollout.stop();
      this.#followed.delete(id);
    }
    if (type === "added" && this.#followed.size < followedAtOnce) {
      this.#follow(id, kind, object).catch(this.#options.onProblem);
    }
    this.#announce("list");
  }

  async #follow(id: RolloutId, kind: RolloutKind, object: KubeObject): Promise<void> {
    const { client, clock } = this.#options;
    const history = new History();
    const onChange = (): void => this.#announce(id);
    const rollout = new FollowedRollout({ client, clock, kind, object, onChange });
    this.#followed.set(id, { rollout, history, uid: object.metadata.uid });
    await rollout.start();
    this.#announce(id);
  }

  #announce(changed: RolloutId): void {
    this.#changed.add(changed);
    this.#timer ??= this.#options.clock.after(gatherMs, () => this.#emit());
  }

  #emit(): void {
    this.#timer = undefined;
    const at = timeText(this.#options.clock.now());
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const each of changed) {
      const followed = this.#followed.get(each);
      const view = followed?.rollout.view();
      if (view !== undefined) followed?.history.see(view, at);
      for (const listener of this.#listeners) listener(each);
    }
  }
}

export const idOf = ({ word }: RolloutKind, { metadata }: KubeObject): RolloutId =>
  `${word}/${metadata.namespace}/${metadata.name}`;
