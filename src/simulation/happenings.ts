/** What people, nodes and clocks do in a run, one step at a time. */
import type { KubeObject, ObjectKey } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { podResource } from "../api/pod.ts";
import { ApiError, isConflict, isNotFound } from "../api/status.ts";
import type { Operators } from "./operators.ts";
import type { EditName, MomentFault, Step } from "./script.ts";
import { faultTexts, isEdit } from "./script.ts";
import type { Simulated, SimulatedKind, Template } from "./simulated-kind.ts";
import { between, pick, templatesOf, tooLarge, withTag } from "./simulated-kind.ts";
import type { SimulatedWorld } from "./world.ts";

export interface HappeningsOptions {
  readonly kind: SimulatedKind;
  readonly original: Simulated;
  readonly world: SimulatedWorld;
  readonly operators: Operators;
  readonly pods: ReadonlyMap<string, Pod>;
  readonly note: (text: string) => void;
}

const longestHoldMs = 10_000;
const longestNodeLossMs = 400_000;
/** Long enough for everything that belonged to the object to be gone. */
export const recreateAfterMs = 12_000;
const attempts = 20;

export class Happenings {
  readonly key: ObjectKey;
  rollouts = 0;
  readonly #options: HappeningsOptions;
  readonly #lost = new Set<string>();
  #templates: readonly Template[];
  #before: readonly Template[];
  #version = 1;
  #isDeleted = false;
  #isPaused = false;

  constructor(options: HappeningsOptions) {
    const { kind, original } = options;
    this.#options = options;
    this.key = { namespace: "default", name: original.metadata.name ?? "" };
    this.#templates = templatesOf(kind, original);
    this.#before = this.#templates;
  }

  /** It is going to be created again. */
  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  async happen({ what, value }: Step): Promise<void> {
    const detail = isEdit(what) ? await this.#edit(what, value) : await this.#fault(what, value);
    this.#options.note(`${faultTexts[what]}${detail === "" ? "" : `: ${detail}`}`);
  }

  /** Whatever stood in the way is gone, and a healthy image is asked for; the object has to be there. */
  async heal(): Promise<void> {
    const { operators, kind, world, original, note } = this.#options;
    operators.reconnect();
    for (const node of this.#lost) world.cluster.recoverNode(node);
    const healthy = templatesOf(kind, original);
    const tag = `v${++this.#version}`;
    this.rollouts++;
    await this.#change((object) => {
      let index = 0;
      const next = kind.templates?.(object, (pod) => withTag(tag)(healthy[index++] ?? pod));
      return kind.moving(next ?? object);
    });
    note(`faults end, everything heals${kind.templates === undefined ? "" : `: ${tag}`}`);
  }

  async #edit(what: EditName, value: number): Promise<string> {
    const { kind } = this.#options;
    switch (what) {
      case "replicas":
      case "partition":
      case "strategy":
        return this.#change((object) => kind[what](object, value));
      case "pause":
        this.#isPaused = !this.#isPaused;
        return this.#change((object) => kind.paused(object, this.#isPaused));
      case "undo":
        return this.#setTemplates(this.#before);
      case "delete":
        return this.#recreate();
      case "unschedulable":
        return this.#setTemplates(this.#templates.map(tooLarge));
      case "image":
      case "neverReady":
      case "broken":
      case "slowStart":
        return this.#setImage(what, value);
    }
  }

  async #setImage(what: string, value: number): Promise<string> {
    const { kind, world } = this.#options;
    if (kind.surroundings !== undefined) {
      this.rollouts++;
      await kind.surroundings(world.client, value);
      return "";
    }
    const version = ++this.#version;
    const tags: Record<string, string> = {
      image: `v${version}`,
      neverReady: `never-ready-v${version}`,
      broken: `broken-v${version}`,
      slowStart: `slow-v${version}`,
    };
    const tag = tags[what] ?? `v${version}`;
    const only = value < 0.3 ? 0 : undefined;
    const next = this.#templates.map((pod, index) =>
      only === undefined || index === only ? withTag(tag)(pod) : pod,
    );
    const refused = await this.#setTemplates(next);
    return `${only === undefined ? tag : `${tag}, of the first component only`}${refused}`;
  }

  async #setTemplates(next: readonly Template[]): Promise<string> {
    const { kind } = this.#options;
    if (kind.templates === undefined) return "";
    this.rollouts++;
    this.#before = this.#templates;
    this.#templates = next;
    return this.#change((object) => {
      let index = 0;
      return kind.templates?.(object, (pod) => next[index++] ?? pod) ?? object;
    });
  }

  /** People write the whole object again; where somebody was faster they try again. Says what was refused. */
  async #change(next: (object: Simulated) => Simulated): Promise<string> {
    const { kind, world } = this.#options;
    for (let attempt = 0; attempt < attempts; attempt++) {
      try {
        const object = await world.client.get<Simulated>(kind.resource, this.key);
        await world.client.update(kind.resource, next(object));
        return "";
      } catch (error) {
        if (isConflict(error)) continue;
        if (isNotFound(error)) return " (the object is not there)";
        if (error instanceof ApiError) return ` (refused: ${error.message})`;
        throw error;
      }
    }
    throw new Error(`no change of ${this.key.name} in ${attempts} attempts`);
  }

  async #recreate(): Promise<string> {
    const { kind, world, original } = this.#options;
    if (this.#isDeleted) return "is deleted already";
    this.#isDeleted = true;
    await world.client.delete(kind.resource, this.key);
    world.clock.after(recreateAfterMs, () => void this.#create(original));
    return "";
  }

  async #create(original: Simulated): Promise<void> {
    const { kind, world } = this.#options;
    let index = 0;
    const object = kind.templates?.(original, (pod) => this.#templates[index++] ?? pod) ?? original;
    await world.client.create<KubeObject>(kind.resource, object);
    this.#isDeleted = false;
  }

  async #fault(what: MomentFault, value: number): Promise<string> {
    const { world, operators, kind } = this.#options;
    switch (what) {
      case "outOfStep": {
        const plural = pick(kind.watched, (value * 13) % 1);
        operators.hold(plural, value * longestHoldMs);
        return plural;
      }
      case "lostLeader":
        return `${(operators.cutOffLeader(value) / 1000).toFixed(1)} s`;
      case "clockJump":
        world.clock.stepWallClock(between(-3_600_000, 3_600_000, value));
        return "";
      case "nodeLoss":
        return this.#loseNode(value);
      case "eviction":
      case "podLoss":
        return this.#losePod(what, value);
    }
  }

  #loseNode(value: number): string {
    const { cluster, clock } = this.#options.world;
    const nodes = cluster.nodes.list().map(({ metadata }) => metadata.name ?? "");
    if (nodes.length === 0) return "there is none";
    const name = pick(nodes.toSorted(), (value * 7) % 1);
    cluster.failNode(name);
    this.#lost.add(name);
    clock.after(value * longestNodeLossMs, () => cluster.recoverNode(name));
    return name;
  }

  async #losePod(what: "eviction" | "podLoss", value: number): Promise<string> {
    const { pods, world } = this.#options;
    const names = [...pods.keys()].toSorted();
    if (names.length === 0) return "there is none";
    const name = pick(names, value);
    const { namespace } = this.key;
    const metadata = { name, namespace: namespace ?? "" };
    try {
      if (what === "podLoss") await world.client.delete(podResource, metadata);
      else await world.client.create(podResource, eviction(metadata), { subresource: "eviction" });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
    return name;
  }
}

const eviction = (metadata: KubeObject["metadata"]): KubeObject => ({
  apiVersion: "policy/v1",
  kind: "Eviction",
  metadata,
});
