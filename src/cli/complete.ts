/** `lockstep __complete`: what may follow the words typed so far, one per line. Shells call it, and so does kubectl. */
import { Command } from "commander";
import { shellWord } from "../api/shell-word.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import type { Names } from "./complete-names.ts";
import { withNames } from "./complete-names.ts";
import { shells } from "./completion.ts";
import type { Io } from "./io.ts";
import { buildProgram, commandNames } from "./program.ts";

export function completeCommand(io: Io): Command {
  return new Command("__complete")
    .argument("[words...]")
    .option("--kubectl", "end as kubectl wants it of a plugin")
    .action(async (words: string[], { kubectl = false }: { readonly kubectl?: boolean }) => {
      // A shell shows nothing rather than an error in the middle of a line.
      const all = await candidates(words, io).catch(() => []);
      const prefix = words.at(-1) ?? "";
      const found = [...new Set(all)].filter((word) => word.startsWith(prefix) && isPlain(word));
      for (const word of found) io.print(word);
      if (kubectl) io.print(`:${found.every(isBeginning) ? noSpace | noFiles : noFiles}`);
    });
}

/** A shell would run what a name holds: bash when it completes it, others when the line is entered. */
const isPlain = (word: string): boolean => shellWord(word) === word;

/** More follows a kind, and a container. */
const isBeginning = (word: string): boolean => /[/=]$/.test(word);
/** Directives of the library that kubectl completes with. */
const noSpace = 2;
const noFiles = 4;

const rolloutVerbs = new Set(
  "status watch why history diff pause resume undo promote restart set plan".split(" "),
);
const objectVerbs = new Set(["get", "delete", "describe"]);

async function candidates(words: readonly string[], io: Io): Promise<readonly string[]> {
  const [verb = ""] = words;
  const prefix = words.at(-1) ?? "";
  if (words.length <= 1) return [...commandNames(), "help"];
  const ofFlag = valuesOf(words.at(-2) ?? "", words, io);
  if (ofFlag !== undefined) return ofFlag;
  if (prefix.startsWith("-")) return flagsOf(words, io);
  if (verb === "completion") return shells;
  if (verb === "help") return commandNames();
  if (verb === "list") return rolloutKinds.map(({ word }) => word);
  if (verb === "set" && words.length === 2) return ["image"];
  const before = positionals(words.slice(verb === "set" ? 2 : 1, -1));
  if (objectVerbs.has(verb)) return withNames(words, io, (names) => names.objects(before));
  if (!rolloutVerbs.has(verb)) return [];
  return withNames(words, io, (names) => rollouts(names, { verb, before, prefix }));
}

/** What a flag takes; undefined where the word before is no flag with a value. */
function valuesOf(
  flag: string,
  words: readonly string[],
  io: Io,
): Promise<readonly string[]> | readonly string[] | undefined {
  switch (flag) {
    case "-o":
    case "--output":
      return ["json", "yaml", "wide", "name"];
    case "-n":
    case "--namespace":
      return withNames(words, io, (names) => names.namespaces());
    case "--context":
      return withNames(words, io, (names) => names.contexts());
    case "--to-revision":
      return withNames(words, io, (names) => names.revisions(positionals(words.slice(1, -2))));
    default:
      return undefined;
  }
}

const withValue = new Set(
  "-n --namespace --context --kubeconfig -o --output --timeout --to-revision --image --set".split(
    " ",
  ),
);

/** Without flags and their values. */
export const positionals = (words: readonly string[]): readonly string[] =>
  words.filter((word, at) => !word.startsWith("-") && !withValue.has(words[at - 1] ?? ""));

interface Typed {
  readonly verb: string;
  readonly before: readonly string[];
  readonly prefix: string;
}

/** `status pcs/ch`, `status pcs ch`, `set image pcs/chat fro`. */
function rollouts(
  names: Names,
  { verb, before, prefix }: Typed,
): Promise<readonly string[]> | readonly string[] {
  const [first] = before;
  if (first === undefined) return names.rollouts(prefix, verb === "why");
  const isNamed = first.includes("/") || before.length > 1;
  if (!isNamed) return names.ofKind(first);
  if (verb === "set") return names.containers(before);
  return verb === "diff" ? names.revisions(before) : [];
}

async function flagsOf(words: readonly string[], io: Io): Promise<readonly string[]> {
  const program = await buildProgram(io, words);
  const [name, second] = words;
  const command = program.commands.find((each) => each.name() === name);
  const inner = command?.commands.find((each) => each.name() === second) ?? command;
  return ["--help", ...(inner?.options ?? []).flatMap(({ long }) => long ?? [])];
}
