/** One dashboard per signed-in user: everything is read and changed with the user's own token, never with another's. */
import { createHash } from "node:crypto";
import type { Clock, Timer } from "../runtime/clock.ts";
import type { DashboardApi } from "./api.ts";

/** What somebody sees, until `stop`. */
export interface Opened {
  readonly api: DashboardApi;
  stop(): void;
}

export interface SessionsOptions {
  readonly clock: Clock;
  /** The name of the user whose token it is; undefined where the cluster does not know it. */
  readonly identify: (token: string) => Promise<string | undefined>;
  readonly open: (token: string, user: string) => Opened;
}

/** How long a token is believed before the cluster is asked again: one may be revoked or run out. */
const believedMs = 60_000;
/** Watches of a user who went away end. */
const idleMs = 300_000;
const mostSessions = 50;

interface Session {
  readonly token: string;
  readonly opened: Opened;
  confirmedMs: number;
  usedMs: number;
}

export class TooManyUsers extends Error {
  constructor() {
    super("too many people are signed in: try again in a few minutes");
  }
}

export class Sessions {
  readonly #options: SessionsOptions;
  /** By a digest, so that looking one up takes as long for a wrong token as for a right one. */
  readonly #sessions = new Map<string, Session>();
  #timer: Timer;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#timer = options.clock.after(believedMs, () => this.#look());
  }

  /** Undefined for a token that the cluster does not know. */
  async apiFor(token: string): Promise<DashboardApi | undefined> {
    const id = createHash("sha256").update(token).digest("hex");
    const now = this.#options.clock.monotonic();
    const known = this.#sessions.get(id);
    if (known !== undefined && now - known.confirmedMs < believedMs) {
      known.usedMs = now;
      return known.opened.api;
    }
    const user = await this.#options.identify(token);
    if (user === undefined) {
      this.#end(id);
      return undefined;
    }
    return this.#confirmed(id, token, user).opened.api;
  }

  stop(): void {
    this.#timer.cancel();
    for (const id of this.#sessions.keys()) this.#end(id);
  }

  #confirmed(id: string, token: string, user: string): Session {
    const now = this.#options.clock.monotonic();
    // Two requests may have asked at the same time: the first one opened it.
    const session = this.#sessions.get(id);
    if (session !== undefined) return Object.assign(session, { confirmedMs: now, usedMs: now });
    if (this.#sessions.size >= mostSessions) throw new TooManyUsers();
    const opened = this.#options.open(token, user);
    const added = { token, opened, confirmedMs: now, usedMs: now };
    this.#sessions.set(id, added);
    return added;
  }

  /** Ends what nobody looks at, and what the cluster does not know any more, with the pages that are open. */
  #look(): void {
    const now = this.#options.clock.monotonic();
    for (const [id, session] of this.#sessions) {
      const isSeen = session.opened.api.isFollowed || now - session.usedMs < idleMs;
      if (isSeen) void this.#confirm(id, session);
      else this.#end(id);
    }
    this.#timer = this.#options.clock.after(believedMs, () => this.#look());
  }

  async #confirm(id: string, session: Session): Promise<void> {
    // A cluster that does not answer says nothing about a user.
    const user = await this.#options.identify(session.token).catch(() => "unknown");
    if (user === undefined) this.#end(id);
    else session.confirmedMs = this.#options.clock.monotonic();
  }

  #end(id: string): void {
    this.#sessions.get(id)?.opened.stop();
    this.#sessions.delete(id);
  }
}
