/** What commands that are printed to be typed have to name, so that they reach the cluster that this one reached. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../api/shell-word.ts";
import type { Io } from "./io.ts";

/** What follows the words of a command. */
export interface ClusterFlags {
  readonly lockstep: string;
  readonly kubectl: string;
}

/** `lockstep up` writes its kubeconfig here unless --kubeconfig names another file. */
export const localKubeconfig = join(".lockstep", "kubeconfig");

type Surroundings = Pick<Io, "environment" | "workingDirectory">;

/** The cluster that was started in this folder is used where no kubeconfig is named. */
export const isLocalUsed = (
  named: string | undefined,
  { environment, workingDirectory }: Surroundings,
): boolean =>
  named === undefined &&
  (environment["KUBECONFIG"] ?? "") === "" &&
  existsSync(join(workingDirectory, localKubeconfig));

export function clusterFlagsOf(words: readonly string[], io: Surroundings): ClusterFlags {
  const flags = ["kubeconfig", "context"].flatMap((name) => {
    const value = valueOf(`--${name}`, words);
    return value === undefined ? [] : [` --${name} ${shellWord(value)}`];
  });
  const lockstep = flags.join("");
  const isLocal = isLocalUsed(valueOf("--kubeconfig", words), io);
  // Only lockstep looks there by itself.
  return { lockstep, kubectl: `${isLocal ? ` --kubeconfig ${localKubeconfig}` : ""}${lockstep}` };
}

const beforeCommand = /^(--(kubeconfig|context|namespace)(=.*)?|-n)$/;

/** Whoever comes from kubectl may write them before the command. */
export function withFlagsLast(words: readonly string[]): readonly string[] {
  const [flag = "", value, ...others] = words;
  if (!beforeCommand.test(flag)) return words;
  if (flag.includes("=")) return [...withFlagsLast(words.slice(1)), flag];
  return value === undefined ? words : [...withFlagsLast(others), flag, value];
}

function valueOf(flag: string, words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[at];
  return word === flag ? words[at + 1] : word?.slice(flag.length + 1);
}
