/** Names for completions, asked of the cluster that the flags on the line choose. */
import { namespaceResource } from "../api/namespace.ts";
import type { KubeObject } from "../api/object.ts";
import { podResource } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import { kubeconfigFiles, loadKubeconfig } from "../kube/kubeconfig.ts";
import { loadRollout } from "../rollouts/load.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import type { Connection, ConnectionFlags } from "./connect.ts";
import { connect } from "./connect.ts";
import type { Io } from "./io.ts";
import { discover, findResource } from "./resources.ts";
import { getTarget, kindNamed, parseTarget, podWords } from "./rollout-arguments.ts";

/** Whoever waits longer for a completion types on. */
const longestMs = 2_000;

/** What `ask` finds; nothing where that takes too long. */
export async function withNames(
  words: readonly string[],
  io: Io,
  ask: (names: Names) => Promise<readonly string[]> | readonly string[],
): Promise<readonly string[]> {
  const names = new Names(flagsIn(words), io);
  let giveUp: () => void = () => undefined;
  const late = new Promise<readonly string[]>((resolve) => (giveUp = () => resolve([])));
  const timer = io.clock.after(longestMs, giveUp);
  try {
    return await Promise.race([ask(names), late]);
  } finally {
    timer.cancel();
    names.close();
  }
}

/** The flags typed so far; the word that is being completed is none of them. */
function flagsIn(words: readonly string[]): ConnectionFlags {
  const valueOf = (...names: readonly string[]): string | undefined => {
    const at = words.findLastIndex((word) => names.includes(word));
    return at < 0 || at >= words.length - 2 ? undefined : words[at + 1];
  };
  return {
    namespace: valueOf("-n", "--namespace"),
    context: valueOf("--context"),
    kubeconfig: valueOf("--kubeconfig"),
  };
}

export class Names {
  readonly #flags: ConnectionFlags;
  readonly #io: Io;
  #connection: Connection | undefined;

  constructor(flags: ConnectionFlags, io: Io) {
    this.#flags = flags;
    this.#io = io;
  }

  close(): void {
    this.#connection?.close();
  }

  namespaces(): Promise<readonly string[]> {
    return this.#namesOf(namespaceResource);
  }

  contexts(): readonly string[] {
    const { KUBECONFIG } = this.#io.environment;
    const files = kubeconfigFiles(this.#flags.kubeconfig, KUBECONFIG);
    return [...loadKubeconfig(files).contexts.keys()];
  }

  /** `pcs/` completes names under that very word; before the slash every rollout and every kind. */
  async rollouts(prefix: string, withPods: boolean): Promise<readonly string[]> {
    const slash = prefix.indexOf("/");
    if (slash >= 0) {
      const word = prefix.slice(0, slash);
      const isPod = withPods && podWords.includes(word);
      const resource = isPod ? podResource : kindNamed(word).resource;
      return (await this.#namesOf(resource)).map((name) => `${word}/${name}`);
    }
    const named = await Promise.all(
      rolloutKinds.map(async (kind) => {
        const objects = await this.#list(kind.resource).catch(() => []);
        return objects
          .filter((object) => kind.isTopLevel(object))
          .map(({ metadata }) => `${kind.word}/${metadata.name}`);
      }),
    );
    const kinds = rolloutKinds.map(({ word }) => `${word}/`);
    return [...named.flat(), ...kinds, ...(withPods ? ["pod/"] : [])];
  }

  ofKind(word: string): Promise<readonly string[]> {
    return this.#namesOf(podWords.includes(word) ? podResource : kindNamed(word).resource);
  }

  async revisions(words: readonly string[]): Promise<readonly string[]> {
    const { kind, object } = await getTarget(this.#connected(), parseTarget(words));
    const loaded = await loadRollout(this.#connected().client, kind, object, 0);
    return kind.revisions(loaded).map(({ number }) => String(number));
  }

  /** `frontend/server=`, to be followed by an image. */
  async containers(words: readonly string[]): Promise<readonly string[]> {
    const { kind, object } = await getTarget(this.#connected(), parseTarget(words));
    return kind.steering.images(object).map(({ place }) => `${place}=`);
  }

  /** For `get`, `delete` and `describe`: what the cluster serves, then the names of the kind that was typed. */
  async objects([word]: readonly string[]): Promise<readonly string[]> {
    const known = await discover(this.#connected().transport);
    if (word !== undefined) return this.#namesOf(findResource(known, word));
    return known.filter(({ verbs }) => verbs.includes("list")).map(({ plural }) => plural);
  }

  #connected(): Connection {
    this.#connection ??= connect(this.#flags, this.#io);
    return this.#connection;
  }

  async #list(resource: Resource): Promise<readonly KubeObject[]> {
    const { client, namespace } = this.#connected();
    return (await client.list(resource, resource.namespaced ? { namespace } : {})).items;
  }

  async #namesOf(resource: Resource): Promise<readonly string[]> {
    return (await this.#list(resource)).map(({ metadata }) => metadata.name ?? "");
  }
}
