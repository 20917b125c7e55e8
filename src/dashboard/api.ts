/** What the page asks for: rollouts, one of them with its past, actions, plans, and what can be broken on `up`. */
import type { KubeObject } from "../api/object.ts";
import { ApiError } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock, Timer } from "../runtime/clock.ts";
import type { ImageChange, RolloutKind } from "../rollouts/kind.ts";
import { imageChange } from "../rollouts/steering/images.ts";
import { loadRollout } from "../rollouts/load.ts";
import { Access } from "./access.ts";
import type { ActionBody } from "./action-body.ts";
import { actionBody } from "./action-body.ts";
import type { Frame } from "./history.ts";
import type { Asked, Verb } from "./offers.ts";
import { steer, verbs } from "./offers.ts";
import type { Followed } from "./page-view.ts";
import { differencesOf, pageOf, summaryOf } from "./page-view.ts";
import type { Playground } from "./playground.ts";
import type { RolloutHub, RolloutId } from "./rollout-hub.ts";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly hub: RolloutHub;
  /** Whether anything may be changed at all. */
  readonly allowsActions: boolean;
  /** What users type for `lockstep`. */
  readonly invocation: string;
  /** What makes a command that users type reach this cluster, by its program. */
  readonly clusterFlags: Readonly<Record<string, string>>;
  /** Who signed in; undefined where everybody has the same token. */
  readonly user?: string;
  readonly playground?: Playground;
  /** Plays a change in a copy of the cluster. */
  readonly plan?: (
    target: { readonly kind: RolloutKind; readonly object: KubeObject },
    changes: readonly ImageChange[],
  ) => Promise<unknown>;
}

const tickMs = 1_000;

/** A plan plays a copy of the cluster, beside everything else that this process does. */
const mostPlans = 2;

export class DashboardApi {
  readonly #options: ApiOptions;
  readonly #access: Access;
  /** How to end the streams of pages that are open. */
  readonly #streams = new Set<() => void>();
  /** How many are being played. */
  #plans = 0;

  constructor(options: ApiOptions) {
    this.#options = options;
    this.#access = new Access(options.client, options.clock);
  }

  /** Whether a page is open. */
  get isFollowed(): boolean {
    return this.#streams.size > 0;
  }

  /** Pages that are open see nothing more. */
  endStreams(): void {
    for (const close of this.#streams) close();
  }

  async answer({ method, path, query, body }: Request): Promise<Answer> {
    if (method === "GET") return this.#show(path, query);
    if (method !== "POST" || !["plan", "act", "break"].includes(path)) {
      return refuse(404, "not found");
    }
    const given = readable(body);
    if (typeof given === "string") return refuse(400, given);
    if (path === "plan") return this.#plan(given);
    if (!this.#options.allowsActions) {
      return refuse(403, "this dashboard only looks: start it with --allow-actions");
    }
    return path === "act" ? this.#act(given) : this.#break(given);
  }

  async #show(path: string, query: URLSearchParams): Promise<Answer> {
    const id = query.get("rollout") ?? "";
    if (path === "features") return ok(this.#features());
    if (path === "rollout") return this.#rollout(id);
    if (path === "frames") return ok(this.#options.hub.frames(id));
    return path === "diff" ? this.#diff(id, query) : refuse(404, "not found");
  }

  /** Sends the list and one rollout with its past now, and whenever they change; the answer ends that. */
  async follow(
    id: RolloutId | undefined,
    send: (event: string, data: unknown) => void,
    close: () => void = () => undefined,
  ): Promise<() => void> {
    const { hub, playground } = this.#options;
    this.#streams.add(close);
    const sendHidden = (): void => send("hidden", hub.hidden());
    const sendListed = (ids: readonly RolloutId[]): void => {
      const listed = ids.map((each) => ({ id: each, view: hub.listed(each) }));
      const gone = listed.filter(({ view }) => view === undefined).map((each) => each.id);
      const changed = listed.flatMap(({ view }) => (view === undefined ? [] : [summaryOf(view)]));
      send("listed", { changed, gone });
      sendHidden();
    };
    const sendNodes = (): void => {
      if (playground !== undefined) send("nodes", playground.nodes());
    };
    const sendPage = async (followed: Followed | undefined): Promise<void> => {
      try {
        send("rollout", followed === undefined ? null : await this.#page(followed));
      } catch (error) {
        send("problem", error instanceof Error ? error.message : String(error));
      }
    };
    const sendList = (): void => send("list", hub.list().map(summaryOf));
    sendList();
    sendHidden();
    sendNodes();
    const past = new Set<Frame>();
    if (id !== undefined) {
      const followed = await hub.followed(id);
      for (const frame of hub.frames(id)) past.add(frame);
      send("past", [...past]);
      // It may have changed while that was awaited.
      sendList();
      void sendPage(followed);
    }
    const ticking = this.#tick(() => send("now", this.#options.clock.now()));
    // No change between the past and this: nothing is awaited in between.
    const unfollow = hub.onChange((change) => {
      if (change.kind === "list") sendListed(change.ids);
      if (change.kind === "rollout" && change.id === id) {
        for (const frame of change.frames) if (!past.has(frame)) send("frame", frame);
        void sendPage(change.followed);
      }
      sendNodes();
    });
    return () => {
      this.#streams.delete(close);
      ticking.cancel();
      unfollow();
    };
  }

  /** Ages on a page go on without any change, by the clock of the cluster. */
  #tick(task: () => void): Timer {
    const { clock } = this.#options;
    let timer = clock.after(tickMs, next);
    function next(): void {
      task();
      timer = clock.after(tickMs, next);
    }
    return { cancel: () => timer.cancel() };
  }

  #features() {
    const { allowsActions, playground, plan, user, invocation, clusterFlags } = this.#options;
    const canBreak = allowsActions && playground !== undefined;
    return {
      ...(user === undefined ? {} : { user }),
      invocation,
      clusterFlags,
      allowsActions,
      canBreak,
      canPlan: plan !== undefined,
      samples: canBreak ? playground.samples : [],
    };
  }

  async #page(followed: Followed) {
    const { kind, view } = followed;
    const denial = this.#options.allowsActions
      ? await this.#access.patches(kind.resource, view.object.namespace)
      : "this dashboard only looks: start it with --allow-actions to steer from here";
    return { ...pageOf(followed), denial };
  }

  async #rollout(id: RolloutId): Promise<Answer> {
    const followed = await this.#options.hub.followed(id);
    return followed === undefined
      ? refuse(404, `there is no ${id}`)
      : ok(await this.#page(followed));
  }

  async #diff(id: RolloutId, query: URLSearchParams): Promise<Answer> {
    const followed = await this.#options.hub.followed(id);
    const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
    const found = followed === undefined ? undefined : differencesOf(followed, [from, to]);
    return found === undefined ? refuse(404, `no revisions ${from} and ${to} of ${id}`) : ok(found);
  }

  async #plan({ rollout = "", images = [] }: ActionBody): Promise<Answer> {
    const found = this.#options.hub.find(rollout);
    if (found === undefined || this.#options.plan === undefined) {
      return refuse(404, `${rollout} cannot be planned`);
    }
    if (this.#plans >= mostPlans) {
      return refuse(429, `${mostPlans} plans are being played: ask again when they are done`);
    }
    this.#plans++;
    return explained(async () => ok(await this.#options.plan?.(found, changesOf(images)))).finally(
      () => {
        this.#plans--;
      },
    );
  }

  async #act({ rollout = "", verb = "", images = [], toRevision }: ActionBody): Promise<Answer> {
    const known = verbs.find((each) => each === verb);
    if (known === undefined) return refuse(404, `nothing is called ${verb}`);
    return explained(() =>
      this.#steer(rollout, known, {
        images: changesOf(images),
        ...(toRevision === undefined ? {} : { toRevision }),
      }),
    );
  }

  async #steer(rollout: RolloutId, verb: Verb, asked: Asked): Promise<Answer> {
    const found = this.#options.hub.find(rollout);
    if (found === undefined) return refuse(404, `there is no ${rollout}`);
    const { client, clock } = this.#options;
    const { kind, object } = found;
    const subject = await loadRollout(client, kind, object, clock.now());
    const answer = steer(kind, verb, subject, asked);
    if (answer.kind === "refused") return refuse(409, `${answer.problem}: ${answer.fix}`);
    if (answer.kind === "nothing") return ok({ message: `nothing to do: it ${answer.why}` });
    const { namespace, name = "" } = object.metadata;
    await client.patch(kind.resource, { namespace, name }, answer.patch);
    return ok({ message: answer.did, takeBack: answer.takeBack });
  }

  async #break(body: ActionBody): Promise<Answer> {
    const { playground } = this.#options;
    if (playground === undefined) return refuse(404, "only the embedded cluster can be broken");
    const { verb, node = "", namespace = "", name = "", rollout = "" } = body;
    if (verb === "pushBrokenImage") {
      const images = [{ container: "*", image: playground.brokenImage }];
      return explained(() => this.#steer(rollout, "setImage", { images }));
    }
    return explained(async () => {
      if (verb === "start") return ok(await playground.start(name));
      const message = await broken(playground, { verb, node, namespace, name });
      return message === undefined ? refuse(404, `nothing is called ${verb}`) : ok({ message });
    });
  }
}

async function broken(
  playground: Playground,
  { verb = "", node = "", namespace = "", name = "" }: ActionBody,
): Promise<string | undefined> {
  switch (verb) {
    case "crashPod":
      await playground.crashPod(namespace, name);
      return `${name} crashed`;
    case "cordon":
    case "uncordon":
      await playground.cordon(node, verb === "cordon");
      return `${node} ${verb}ed`;
    case "loseNode":
      playground.loseNode(node);
      return `${node} does not answer any more; when it has been silent for 40s, its pods count as down`;
    case "recoverNode":
      playground.recoverNode(node);
      return `${node} is back`;
    default:
      return undefined;
  }
}

const changesOf = (images: ActionBody["images"] = []): readonly ImageChange[] =>
  images.map(({ container, image }) => imageChange(container, image));

const ok = (body: unknown): Answer => ({ status: 200, body });
const refuse = (status: number, message: string): Answer => ({ status, body: { message } });

/** The body, or what is wrong with it. */
function readable(body: unknown): ActionBody | string {
  try {
    return actionBody(body ?? {});
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

/** What the API server refuses is said as it is: permissions are the user's own. */
async function explained(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof ApiError ? error.code : error instanceof UserError ? 409 : 500;
    return refuse(code, error instanceof Error ? error.message : String(error));
  }
}
