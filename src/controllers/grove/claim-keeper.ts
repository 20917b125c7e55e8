/** Remembers what the claims of each owner were looked at for; the server is asked when that changes. */
import type { ResourceClaim } from "../../api/resource-claim.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Watch } from "../../runtime/controller.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { claimsOf } from "./claim-sharing.ts";
import type { ClaimNeeds } from "./align-claims.ts";
import { lookAtClaims, notServed } from "./align-claims.ts";
import { controllerOf } from "../engine/ownership.ts";

interface Known {
  readonly text: string;
  /** Of the owner. */
  readonly kind: string;
  readonly names: ReadonlySet<string>;
  readonly lookAgainAtMs: number;
  readonly problem: string | undefined;
}

export interface ClaimKeeperOptions {
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** Wakes owners up; what is there is asked of the server. */
  readonly claims: Cache<ResourceClaim>;
}

export class ClaimKeeper {
  readonly #options: ClaimKeeperOptions;
  readonly #known = new Map<string, Known>();
  #isFollowing = false;

  constructor(options: ClaimKeeperOptions) {
    this.#options = options;
  }

  /** Brings an owner back whose claim was deleted by somebody else. */
  readonly watch: Watch = {
    follow: (add) =>
      this.#options.claims.onChange(({ type, object }) => {
        const owner = controllerOf(object);
        const key = `${object.metadata.namespace}/${owner?.name}`;
        const known = this.#known.get(key);
        if (type !== "deleted" || known === undefined || known.kind !== owner?.kind) return;
        if (!known.names.has(object.metadata.name ?? "")) return;
        this.#known.set(key, { ...known, lookAgainAtMs: 0 });
        add(key);
      }),
  };

  stop(): void {
    if (this.#isFollowing) this.#options.claims.stop();
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  /**
   * When to look again; undefined where nothing is shared. What goes wrong is told and tried again later, and holds
   * nothing else up: pods that wait for a claim start when it is there.
   */
  async keep(
    client: Client,
    key: string,
    needs: ClaimNeeds | undefined,
  ): Promise<number | undefined> {
    if (needs === undefined) return undefined;
    const nowMs = this.#options.clock.now();
    const text = JSON.stringify([needs.owner.metadata.uid, needs.indices, needs.leaving]);
    const known = this.#known.get(key);
    if (known?.text === text && nowMs < known.lookAgainAtMs) return known.lookAgainAtMs - nowMs;
    const { lookAgainMs, problem } = await lookAtClaims(
      { client, events: this.#options.events },
      needs,
    );
    const names = new Set(claimsOf(needs.level, needs.indices).map(({ name }) => name));
    const { kind } = needs.resource;
    this.#known.set(key, { text, kind, names, lookAgainAtMs: nowMs + lookAgainMs, problem });
    if (problem !== notServed) this.#follow();
    if (problem !== undefined && problem !== known?.problem) {
      const event = { type: "Warning", reason: "ResourceClaimFailed", message: problem } as const;
      this.#options.events.record(needs.owner, event);
    }
    return lookAgainMs;
  }

  #follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#options.claims.start();
  }
}
