/** Follows every rollout of a cluster for the pages that look at them, and keeps what was seen. */
import type { KubeObject } from "../api/object.ts";
import { groupResource } from "../api/resource.ts";
import { isForbidden } from "../api/status.ts";
import { timeText } from "../api/time-text.ts";
import { Cache } from "../runtime/cache.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock, Timer } from "../runtime/clock.ts";
import { keyOf } from "../runtime/object-store.ts";
import { listedView, rolloutView } from "../rollouts/compose.ts";
import { FollowedRollout } from "../rollouts/follow.ts";
import type { RolloutKind } from "../rollouts/kind.ts";
import { OperatorWatch } from "../rollouts/operator-watch.ts";
import type { RolloutView } from "../rollouts/view.ts";
import type { Frame } from "./history.ts";
import { History } from "./history.ts";
import type { Followed } from "./page-view.ts";

export interface HubOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly kinds: readonly RolloutKind[];
  readonly namespace?: string | undefined;
  /** The time that operators write into their lease; undefined where this process runs the controllers itself. */
  readonly leaseClock?: Clock | undefined;
  readonly onProblem: (problem: unknown) => void;
}

/** For a cluster whose controllers run in this process. */
const nobodyAbsent = {
  absent: undefined,
  start: () => Promise.resolve(),
  stop: () => undefined,
};

/** `podcliqueset/default/chat`. */
export type RolloutId = string;

/** What changed: the list, or one rollout, which may be gone. */
export type Change =
  /** Those that came, changed or went. */
  | { readonly kind: "list"; readonly ids: readonly RolloutId[] }
  | {
      readonly kind: "rollout";
      readonly id: RolloutId;
      readonly followed: Followed | undefined;
      /** None where cells and series are what they were. */
      readonly frames: readonly Frame[];
    };
export type Listener = (change: Change) => void;

interface Entry {
  readonly kind: RolloutKind;
  readonly rollout: FollowedRollout;
  readonly history: History;
  /** Seen but not sent yet. */
  readonly unsent: Frame[];
  readonly uid: string | undefined;
}

/** Pages see changes together: nobody can follow more than a few a second. */
const gatherMs = 150;
/** More are followed when somebody opens them. */
const followedAtOnce = 50;

export class RolloutHub {
  readonly #options: HubOptions;
  readonly #caches: ReadonlyMap<RolloutKind, Cache>;
  readonly #followed = new Map<RolloutId, Entry>();
  readonly #listeners = new Set<Listener>();
  readonly #changed = new Set<RolloutId>();
  readonly #changedInList = new Set<RolloutId>();
  /** Kinds that the server refused to list. */
  readonly #refused = new Set<RolloutKind>();
  readonly #operator: Pick<OperatorWatch, "absent" | "start" | "stop">;
  #wasAbsent = false;
  #timer: Timer | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
    const { client, clock, namespace } = options;
    const onChange = (): void => this.#hearOfOperator();
    this.#operator =
      options.leaseClock === undefined
        ? nobodyAbsent
        : new OperatorWatch({ client, clock: options.leaseClock, onChange });
    this.#caches = new Map(
      options.kinds.map((kind) => {
        const selection = namespace === undefined ? {} : { namespace };
        const { resource } = kind;
        const onProblem = (problem: unknown): void => this.#hearProblem(kind, problem);
        return [kind, new Cache({ client, clock, resource, selection, onProblem })];
      }),
    );
  }

  start(): void {
    void this.#operator.start().then(() => this.#hearOfOperator());
    for (const [kind, cache] of this.#caches) {
      cache.onChange(({ type, object }) => this.#see(kind, type, object));
      cache.start();
    }
  }

  stop(): void {
    this.#timer?.cancel();
    this.#operator.stop();
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
        .map((object) => listedView(kind, object, { nowMs, absent: this.#operator.absent })),
    );
  }

  /** Undefined where there is no such rollout any more. */
  listed(id: RolloutId): RolloutView | undefined {
    const found = this.find(id);
    if (found === undefined) return undefined;
    const { absent } = this.#operator;
    return listedView(found.kind, found.object, { nowMs: this.#options.clock.now(), absent });
  }

  /** What is not listed because the user may not, as sentences. */
  hidden(): readonly string[] {
    const { namespace } = this.#options;
    const place = namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
    return [...this.#refused]
      .filter((kind) => this.#caches.get(kind)?.hasSynced === false)
      .map(({ resource }) => `you may not list ${groupResource(resource)} ${place}`);
  }

  /** Undefined where there is no such rollout. */
  async followed(id: RolloutId): Promise<Followed | undefined> {
    const found = this.find(id);
    if (found === undefined) return undefined;
    if (!this.#followed.has(id)) await this.#follow(id, found.kind, found.object);
    const entry = this.#followed.get(id);
    return entry === undefined ? undefined : seenNow(entry);
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

  /** It concerns everything that is shown. */
  #hearOfOperator(): void {
    if (this.#operator.absent === undefined && !this.#wasAbsent) return;
    this.#wasAbsent = this.#operator.absent !== undefined;
    for (const [kind, cache] of this.#caches) {
      for (const object of cache.list()) {
        if (kind.isTopLevel(object)) this.#changedInList.add(idOf(kind, object));
      }
    }
    for (const id of this.#followed.keys()) this.#announce(id);
    this.#announce("list");
  }

  #hearProblem(kind: RolloutKind, problem: unknown): void {
    this.#options.onProblem(problem);
    if (!isForbidden(problem) || this.#refused.has(kind)) return;
    this.#refused.add(kind);
    this.#announce("list");
  }

  #see(kind: RolloutKind, type: "added" | "updated" | "deleted", object: KubeObject): void {
    if (!kind.isTopLevel(object)) return;
    const id = idOf(kind, object);
    const followed = this.#followed.get(id);
    if (type === "deleted" || (followed !== undefined && followed.uid !== object.metadata.uid)) {
      followed?.rollout.stop();
      this.#followed.delete(id);
      this.#announce(id);
    }
    if (type === "added" && this.#followed.size < followedAtOnce) {
      this.#follow(id, kind, object).catch(this.#options.onProblem);
    }
    this.#changedInList.add(id);
    this.#announce("list");
  }

  async #follow(id: RolloutId, kind: RolloutKind, object: KubeObject): Promise<void> {
    const { client, clock } = this.#options;
    const history = new History();
    const onChange = (): void => {
      if (kind.isMomentary === true) this.#record(id);
      this.#announce(id);
    };
    const operator = this.#operator;
    const rollout = new FollowedRollout({ client, clock, kind, object, operator, onChange });
    this.#followed.set(id, { kind, rollout, history, unsent: [], uid: object.metadata.uid });
    await rollout.start();
    this.#announce(id);
  }

  #announce(changed: RolloutId): void {
    this.#changed.add(changed);
    this.#timer ??= this.#options.clock.after(gatherMs, () => this.#emit());
  }

  #emit(): void {
    this.#timer = undefined;
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const id of changed) {
      this.#attempt(() => {
        const change = id === "list" ? this.#changeOfList() : this.#changeOf(id);
        for (const listener of this.#listeners) this.#attempt(() => listener(change));
      });
    }
  }

  /** What one rollout makes a page throw concerns neither other pages nor this process. */
  #attempt(task: () => void): void {
    try {
      task();
    } catch (problem) {
      this.#options.onProblem(problem);
    }
  }

  #changeOfList(): Change {
    const ids = [...this.#changedInList];
    this.#changedInList.clear();
    return { kind: "list", ids };
  }

  #changeOf(id: RolloutId): Change {
    const followed = this.#record(id);
    const frames = this.#followed.get(id)?.unsent.splice(0) ?? [];
    return { kind: "rollout", id, followed, frames };
  }

  /** Puts what is there now into the past. */
  #record(id: RolloutId): Followed | undefined {
    const entry = this.#followed.get(id);
    const followed = entry === undefined ? undefined : seenNow(entry);
    if (entry === undefined || followed === undefined) return undefined;
    const frame = entry.history.see(followed.view, timeText(this.#options.clock.now()));
    if (frame !== undefined) entry.unsent.push(frame);
    return followed;
  }
}

function seenNow({ kind, rollout, history }: Entry): Followed | undefined {
  const loaded = rollout.loaded();
  if (loaded === undefined) return undefined;
  const view = rolloutView(kind, loaded);
  return { kind, loaded, view, isComingUp: history.isComingUp(view.createdAt, loaded.nowMs) };
}

export const idOf = ({ word }: RolloutKind, { metadata }: KubeObject): RolloutId =>
  `${word}/${metadata.namespace}/${metadata.name}`;
