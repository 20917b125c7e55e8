/** Reads kubeconfig files the way kubectl does: several files, the first one that defines a name wins. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve, sep } from "node:path";
import { readYaml } from "../api/read-yaml.ts";
import { UserError } from "../api/user-error.ts";

export interface Cluster {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
}

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
}

export interface User {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly exec?: ExecPlugin;
  readonly "auth-provider"?: { readonly name?: string };
  readonly as?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-uid"?: string;
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
}

export interface Context {
  readonly cluster: string;
  readonly user?: string;
  readonly namespace?: string;
}

export interface Kubeconfig {
  readonly currentContext?: string;
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly users: ReadonlyMap<string, User>;
  readonly contexts: ReadonlyMap<string, Context>;
}

interface RawKubeconfig {
  "current-context"?: string;
  clusters?: { name: string; cluster?: Cluster }[] | null;
  users?: { name: string; user?: User }[] | null;
  contexts?: { name: string; context?: Context }[] | null;
}

const clusterPaths = ["certificate-authority"] as const;
const userPaths = ["client-certificate", "client-key", "tokenFile"] as const;

/** The files kubectl would read: an explicit one alone, else `$KUBECONFIG`, else `~/.kube/config`. */
export function kubeconfigFiles(
  explicit: string | undefined,
  variable: string | undefined,
): string[] {
  if (explicit !== undefined && explicit !== "") return [explicit];
  const listed = (variable ?? "").split(delimiter).filter((file) => file !== "");
  return listed.length > 0 ? [...new Set(listed)] : [join(homedir(), ".kube", "config")];
}

/** Merges the files. A missing one is skipped unless `mustExist`, as kubectl does with `--kubeconfig`. */
export function loadKubeconfig(files: readonly string[], mustExist = false): Kubeconfig {
  const clusters = new Map<string, Cluster>();
  const users = new Map<string, User>();
  const contexts = new Map<string, Context>();
  let currentContext: string | undefined;
  for (const file of files) {
    const raw = readRaw(file, mustExist);
    if (raw === undefined) continue;
    rejectDuplicates(file, raw);
    const folder = dirname(resolve(file));
    currentContext = currentContext || raw["current-context"];
    for (const { name, cluster } of raw.clusters ?? []) {
      addFirst(clusters, name, absolutePaths(cluster ?? {}, clusterPaths, folder));
    }
    for (const { name, user } of raw.users ?? []) {
      addFirst(users, name, absoluteUser(user ?? {}, folder));
    }
    for (const { name, context } of raw.contexts ?? []) {
      if (context !== undefined) addFirst(contexts, name, context);
    }
  }
  return { currentContext: currentContext || undefined, clusters, users, contexts };
}

function readRaw(file: string, mustExist: boolean): RawKubeconfig | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (!mustExist && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new UserError({
      problem: `kubeconfig ${file} cannot be read: ${(error as Error).message}`,
      fix: "check the path and its permissions",
    });
  }
  return parseRaw(file, text);
}

function parseRaw(file: string, text: string): RawKubeconfig {
  const fix = "it should be a YAML document of kind Config with clusters, users and contexts";
  try {
    const value: unknown = readYaml(text) ?? {};
    if (typeof value === "object" && !Array.isArray(value)) return value as RawKubeconfig;
  } catch (error) {
    throw new UserError({ problem: `kubeconfig ${file}: ${(error as Error).message}`, fix });
  }
  throw new UserError({ problem: `kubeconfig ${file} holds no mapping`, fix });
}

/** Between files the first wins; within one file a duplicate name is an error, as in kubectl. */
function rejectDuplicates(file: string, raw: RawKubeconfig): void {
  for (const kind of ["clusters", "users", "contexts"] as const) {
    const names = (raw[kind] ?? []).map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice === undefined) continue;
    throw new UserError({
      problem: `kubeconfig ${file} has two entries named "${twice}" among its ${kind}`,
      fix: "remove or rename one of them",
    });
  }
}

/** Relative file names are relative to the folder of the kubeconfig that names them. */
function absolutePaths<T extends object>(entry: T, keys: readonly (keyof T)[], folder: string): T {
  const copy = { ...entry };
  for (const key of keys) {
    const path = copy[key];
    if (typeof path === "string" && path !== "") copy[key] = resolve(folder, path) as T[keyof T];
  }
  return copy;
}

/** A plugin named without a slash is looked up on the PATH; any other name is a file name like the others. */
function absoluteUser(user: User, folder: string): User {
  const entry = absolutePaths(user, userPaths, folder);
  if (entry.exec?.command?.includes(sep) !== true) return entry;
  return { ...entry, exec: absolutePaths(entry.exec, ["command"], folder) };
}

function addFirst<T>(entries: Map<string, T>, name: string, value: T): void {
  if (!entries.has(name)) entries.set(name, value);
}
