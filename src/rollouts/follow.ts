/** Follows a rollout live: lists and watches the object and what belongs to it, and says when anything changes. */
import type { KubeObject } from "../api/object.ts";
import { isForbidden } from "../api/status.ts";
import { Cache } from "../runtime/cache.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { eventResource } from "../runtime/event-recorder.ts";
import type { Selection } from "../runtime/reflector.ts";
import type { Resource } from "../api/resource.ts";
import type { Loaded } from "./compose.ts";
import { rolloutView } from "./compose.ts";
import type { RolloutKind } from "./kind.ts";
import { isUnserved, mayNotList } from "./load.ts";
import { OperatorWatch } from "./operator-watch.ts";
import type { RolloutView } from "./view.ts";

export interface FollowOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: RolloutKind;
  readonly object: KubeObject;
  /** Whether an operator is at work, where the caller follows that for many; otherwise it is followed here. */
  readonly operator?: Pick<OperatorWatch, "absent">;
  /** Something changed: ask for the view again. */
  readonly onChange: () => void;
}

export class FollowedRollout {
  readonly #options: FollowOptions;
  readonly #object: Cache;
  readonly #events: Cache;
  readonly #related: ReadonlyMap<string, Cache>;
  /** What may not be read. A cache of it never syncs, and nothing waits for it. */
  readonly #gaps = new Set<string>();
  readonly #unserved = new Set<Resource>();
  readonly #closed = new Set<Cache>();
  /** Undefined where the caller follows it. */
  readonly #ownOperator: OperatorWatch | undefined;
  #whenClosed: () => void = () => undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    const { client, clock, kind, object, onChange } = options;
    this.#ownOperator =
      options.operator === undefined ? new OperatorWatch({ client, clock, onChange }) : undefined;
    const { name, uid } = object.metadata;
    this.#object = this.#cache(kind.resource, { fieldSelector: `metadata.name=${name}` });
    this.#events = this.#cache(eventResource, { fieldSelector: `involvedObject.uid=${uid}` });
    this.#related = new Map(
      Object.entries(kind.related(object)).map(([query, { resource, ...selection }]) => [
        query,
        this.#cache(resource, selection),
      ]),
    );
  }

  /** Resolves when everything that may be read has been read once. */
  async start(): Promise<void> {
    for (const cache of this.#caches()) cache.start();
    await this.#ownOperator?.start();
    const isDone = (cache: Cache): boolean => cache.hasSynced || this.#closed.has(cache);
    for (const cache of this.#caches()) {
      while (!isDone(cache)) await Promise.race([cache.whenSynced(), this.#nextClosed()]);
    }
    for (const cache of this.#caches()) cache.onChange(() => this.#options.onChange());
  }

  stop(): void {
    this.#ownOperator?.stop();
    for (const cache of this.#caches()) cache.stop();
  }

  /** Undefined when the object is gone. */
  view(): RolloutView | undefined {
    const loaded = this.loaded();
    return loaded === undefined ? undefined : rolloutView(this.#options.kind, loaded);
  }

  /** What its view is made of. */
  loaded(): Loaded | undefined {
    const [object] = this.#object.list();
    if (object === undefined) return undefined;
    // Of a kind that is not served there are none; what may not be read is not there.
    const isKnown = ({ hasSynced, resource }: Cache): boolean =>
      hasSynced || this.#unserved.has(resource);
    const related = [...this.#related]
      .filter(([, cache]) => isKnown(cache))
      .map(([query, cache]) => [query, cache.list()] as const);
    return {
      object,
      related: Object.fromEntries(related),
      nowMs: this.#options.clock.now(),
      events: this.#events.list(),
      gaps: [...this.#gaps],
      unserved: this.#caches()
        .filter(({ hasSynced, resource }) => !hasSynced && this.#unserved.has(resource))
        .map(({ resource }) => resource),
      absent: (this.#options.operator ?? this.#ownOperator)?.absent,
    };
  }

  #caches(): readonly Cache[] {
    return [this.#object, this.#events, ...this.#related.values()];
  }

  #nextClosed(): Promise<void> {
    return new Promise((resolve) => (this.#whenClosed = resolve));
  }

  #cache(resource: Resource, selection: Selection): Cache {
    const { client, clock, object } = this.#options;
    const { namespace } = object.metadata;
    const cache: Cache = new Cache({
      client,
      clock,
      resource,
      selection: { namespace, ...selection },
      onProblem: (problem) => {
        if (isUnserved(problem)) this.#unserved.add(resource);
        else if (isForbidden(problem)) this.#gaps.add(mayNotList(resource, namespace));
        else return;
        this.#closed.add(cache);
        this.#whenClosed();
      },
    });
    return cache;
  }
}
