/** What the page asks for: rollouts, one of them with its past, actions, plans, and what can be broken on `up`. */
import type { KubeObject } from "../api/object.ts";
import { ApiError } from "../api/status.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ImageChange, RolloutKind, Steer, SteerSubject } from "../rollouts/kind.ts";
import { loadRollout } from "../rollouts/load.ts";
import type { RolloutView } from "../rollouts/view.ts";
import { explain } from "../rollouts/why.ts";
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

/** A node as the page draws it. */
export interface NodeSummary {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly gpus: number;
  readonly gpusTaken: number;
  readonly pods: number;
}

/** Only the embedded cluster can be broken. */
export interface Playground {
  nodes(): readonly NodeSummary[];
  crashPod(namespace: string, name: string): Promise<void>;
  cordon(node: string, isCordoned: boolean): Promise<void>;
  loseNode(node: string): void;
  recoverNode(node: string): void;
}

export interface ApiOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly hub: RolloutHub;
  /** Whether anything may be changed at all. */
  readonly allowsActions: boolean;
  readonly playground?: Playground;
  /** Plays a change in a copy of the cluster. */
  readonly plan?: (
    target: { readonly kind: RolloutKind; readonly object: KubeObject },
    changes: readonly ImageChange[],
  ) => Promise<unknown>;
}

const verbs = ["pause", "resume", "undo", "restart", "promote", "setImage"] as const;
type Verb = (typeof verbs)[number];

interface ActionBody {
  readonly rollout?: string;
  readonly verb?: string;
  readonly images?: readonly ImageChange[];
  readonly node?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export class DashboardApi {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  async answer({ method, path, query, body }: Request): Promise<Answer> {
    const id = query.get("rollout") ?? "";
    if (method === "GET" && path === "features") return ok(this.#features());
    if (method === "GET" && path === "rollout") return this.#rollout(id);
    if (method === "GET" && path === "frames") return ok(this.#options.hub.frames(id));
    if (method !== "POST") return refuse(404, "not found");
    const given = (body ?? {}) as ActionBody;
    if (path === "plan") return this.#plan(given);
    if (!this.#options.allowsActions) {
      return refuse(403, "this dashboard only looks: start it with --allow-actions");
    }
    if (path === "act") return this.#act(given);
    return path === "break" ? this.#break(given) : refuse(404, "not found");
  }

  /** Sends the list and one rollout now and whenever they change; the answer ends that. */
  async follow(
    id: RolloutId | undefined,
    send: (event: string, data: unknown) => void,
  ): Promise<() => void> {
    const { hub, playground } = this.#options;
    const sendRollout = async (): Promise<void> => {
      const view = id === undefined ? undefined : await hub.view(id);
      if (id !== undefined) send("rollout", view === undefined ? null : pageOf(view));
    };
    const sendList = (): void => {
      send("list", hub.list().map(summaryOf));
      if (playground !== undefined) send("nodes", playground.nodes());
    };
    sendList();
    await sendRollout();
    return hub.onChange((changed) => {
      if (changed === "list") sendList();
      else if (changed === id) {
        sendRollout().catch(() => undefined);
        if (playground !== undefined) send("nodes", playground.nodes());
      }
    });
  }

  #features() {
    const { allowsActions, playground, plan } = this.#options;
    return {
      allowsActions,
      canBreak: allowsActions && playground !== undefined,
      canPlan: plan !== undefined,
    };
  }

  async #rollout(id: RolloutId): Promise<Answer> {
    const view = await this.#options.hub.view(id);
    return view === undefined ? refuse(404, `there is no ${id}`) : ok(pageOf(view));
  }

  async #plan({ rollout = "", images = [] }: ActionBody): Promise<Answer> {
    const found = this.#options.hub.find(rollout);
    if (found === undefined || this.#options.plan === undefined) {
      return refuse(404, `${rollout} cannot be planned`);
    }
    return explained(async () => ok(await this.#options.plan?.(found, images)));
  }

  async #act({ rollout = "", verb = "", images = [] }: ActionBody): Promise<Answer> {
    const found = this.#options.hub.find(rollout);
    const known = verbs.find((each) => each === verb);
    if (found === undefined || known === undefined) return refuse(404, `no ${verb} of ${rollout}`);
    const { client, clock } = this.#options;
    return explained(async () => {
      const { kind, object } = found;
      const subject = await loadRollout(client, kind, object, clock.now());
      const steer = steerOf(kind, known, { subject, images });
      if (steer.kind === "refused") return refuse(409, `${steer.problem}: ${steer.fix}`);
      if (steer.kind === "nothing") return ok({ message: steer.why });
      const { namespace, name = "" } = object.metadata;
      await client.patch(kind.resource, { namespace, name }, steer.patch);
      return ok({ message: steer.did, takeBack: steer.takeBack });
    });
  }

  async #break(body: ActionBody): Promise<Answer> {
    const { playground } = this.#options;
    if (playground === undefined) return refuse(404, "only the embedded cluster can be broken");
    const { verb, node = "", namespace = "", name = "" } = body;
    return explained(async () => {
      if (verb === "crashPod") await playground.crashPod(namespace, name);
      else if (verb === "cordon" || verb === "uncordon") {
        await playground.cordon(node, verb === "cordon");
      } else if (verb === "loseNode") playground.loseNode(node);
      else if (verb === "recoverNode") playground.recoverNode(node);
      else return refuse(404, `nothing is called ${verb}`);
      return ok({ message: `${verb} ${node === "" ? name : node}` });
    });
  }
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const refuse = (status: number, message: string): Answer => ({ status, body: { message } });

/** What the API server refuses is said as it is: permissions are the user's own. */
async function explained(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof ApiError ? error.code : 500;
    return refuse(code, error instanceof Error ? error.message : String(error));
  }
}

function steerOf(
  { steering }: RolloutKind,
  verb: Verb,
  { subject, images }: { readonly subject: SteerSubject; readonly images: readonly ImageChange[] },
): Steer {
  switch (verb) {
    case "undo":
      return steering.undo(subject, undefined);
    case "promote":
      return steering.promote(subject, false);
    case "setImage":
      return steering.setImage(subject, images);
    case "pause":
    case "resume":
    case "restart":
      return steering[verb](subject);
    default:
      return verb satisfies never;
  }
}

const summaryOf = ({ object, state, reason, since, counts, progress }: RolloutView) => ({
  id: `${object.word}/${object.namespace}/${object.name}`,
  object,
  state,
  reason: reason.message,
  since,
  counts,
  progress,
});

/** The view with its explanation. */
const pageOf = (view: RolloutView) => ({ ...view, why: explain(view) });
