/** `lockstep __complete`: what may follow the words typed so far, one per line. Shells call it. */
import { Command } from "commander";
import type { KubeObject } from "../api/object.ts";
import type { Client } from "../runtime/client.ts";
import type { RolloutKind } from "../rollouts/kind.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import { shells } from "./completion.ts";
import type { ConnectionFlags } from "./connect.ts";
import { connect } from "./connect.ts";
import type { Io } from "./io.ts";
import { buildProgram, commandNames } from "./program.ts";
import { kindNamed } from "./rollout-arguments.ts";

export function completeCommand(io: Io): Command {
  return new Command("__complete").argument("[words...]").action(async (words: string[]) => {
    // A shell shows nothing rather than an error in the middle of a line.
    const found = await candidates(words, io).catch(() => []);
    const prefix = words.at(-1) ?? "";
    for (const word of new Set(found)) if (word.startsWith(prefix)) io.print(word);
  });
}

const rolloutVerbs = [
  "status",
  "watch",
  "why",
  "history",
  "diff",
  "pause",
  "resume",
  "undo",
  "promote",
  "restart",
  "set",
];
/** Whoever waits longer for a completion types on. */
const longestMs = 2_000;

async function candidates(words: readonly string[], io: Io): Promise<readonly string[]> {
  const [verb = ""] = words;
  const prefix = words.at(-1) ?? "";
  const previous = words.at(-2) ?? "";
  if (words.length <= 1) return [...commandNames(), "help"];
  if (prefix.startsWith("-")) return flagsOf(words, io);
  if (/^(-o|--output)$/.test(previous)) return ["json", "yaml", "wide", "name"];
  if (/^(-n|--namespace)$/.test(previous)) return namesOf(clientFor(words, io), namespaces);
  if (verb === "completion") return shells;
  if (verb === "help") return commandNames();
  if (verb === "list") return rolloutKinds.map(({ word }) => word);
  if (verb === "set" && words.length === 2) return ["image"];
  return rolloutVerbs.includes(verb) ? objects(words, io) : [];
}

/** `status pcs/ch`, `status pcs ch`, `set image pcs/ch`. */
async function objects(words: readonly string[], io: Io): Promise<readonly string[]> {
  const [verb = ""] = words;
  const prefix = words.at(-1) ?? "";
  const before = words.slice(verb === "set" ? 2 : 1, -1).filter((word) => !word.startsWith("-"));
  const client = clientFor(words, io);
  if (before.length === 0 || prefix.includes("/")) return rollouts(client, prefix, verb);
  return namesOf(client, kindNamed(before.at(-1) ?? "").resource);
}

async function flagsOf(words: readonly string[], io: Io): Promise<readonly string[]> {
  const program = await buildProgram(io, words);
  const [name, second] = words;
  const command = program.commands.find((each) => each.name() === name);
  const inner = command?.commands.find((each) => each.name() === second) ?? command;
  return ["--help", ...(inner?.options ?? []).flatMap(({ long }) => long ?? [])];
}

interface NamedClient {
  readonly client: Client;
  readonly namespace: string;
}

/** The cluster that the flags typed so far choose. */
function clientFor(words: readonly string[], io: Io): NamedClient {
  const flag = (...names: readonly string[]): string | undefined => {
    const at = words.findLastIndex((word) => names.includes(word));
    return at < 0 || at >= words.length - 2 ? undefined : words[at + 1];
  };
  const chosen: ConnectionFlags = {
    namespace: flag("-n", "--namespace"),
    context: flag("--context"),
    kubeconfig: flag("--kubeconfig"),
  };
  const connection = connect(chosen, io);
  io.clock.after(longestMs, () => connection.close());
  return connection;
}

const namespaces = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

const namesOf = async (
  { client, namespace }: NamedClient,
  resource: RolloutKind["resource"],
): Promise<readonly string[]> => {
  const where = resource.namespaced ? { namespace } : {};
  const { items } = await client.list(resource, where);
  return items.map(({ metadata }: KubeObject) => metadata.name ?? "");
};

/** `pcs/` completes names under that very word; before the slash every rollout and every kind. */
async function rollouts(
  client: NamedClient,
  prefix: string,
  verb: string,
): Promise<readonly string[]> {
  const slash = prefix.indexOf("/");
  if (slash >= 0) {
    const word = prefix.slice(0, slash);
    const isPod = verb === "why" && ["pod", "po", "pods"].includes(word);
    const resource = isPod ? pods : kindNamed(word).resource;
    return (await namesOf(client, resource)).map((name) => `${word}/${name}`);
  }
  const all = await Promise.all(
    rolloutKinds.map(async (kind) => {
      const { items } = await client.client
        .list(kind.resource, { namespace: client.namespace })
        .catch(() => ({ items: [] as KubeObject[] }));
      return items
        .filter((item) => kind.isTopLevel(item))
        .map(({ metadata }) => `${kind.word}/${metadata.name}`);
    }),
  );
  return [
    ...all.flat(),
    ...rolloutKinds.map(({ word }) => `${word}/`),
    ...(verb === "why" ? ["pod/"] : []),
  ];
}

const pods = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
