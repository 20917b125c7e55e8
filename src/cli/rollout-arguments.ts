/** Finds the rollout that a command line names, and says what is wrong where there is none. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { groupResource } from "../api/resource.ts";
import { shellWord } from "../api/shell-word.ts";
import { ApiError, isNotFound } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import type { RolloutKind } from "../rollouts/kind.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import { nearest } from "../rollouts/nearest.ts";
import type { Connection } from "./connect.ts";

export interface Target {
  readonly kind: RolloutKind;
  readonly object: KubeObject;
}

export interface NamedTarget {
  /** Empty where one word was given: a kind, or a name. */
  readonly kindWord: string;
  readonly name: string;
  /** What follows on the command line. */
  readonly rest: readonly string[];
}

export function parseTarget(words: readonly string[]): NamedTarget {
  const [first = "", second, ...others] = words;
  const parts = first.split("/");
  if (parts.length === 2 && parts[0] !== "" && parts[1] !== "") {
    const [kindWord = "", name = ""] = parts;
    return { kindWord, name, rest: words.slice(1) };
  }
  if (parts.length === 1 && first !== "") {
    // `CONTAINER=IMAGE` is no name.
    const isAlone = second === undefined || second.includes("=");
    return isAlone
      ? { kindWord: "", name: first, rest: words.slice(1) }
      : { kindWord: first, name: second, rest: others };
  }
  throw new UserError({
    problem: first === "" ? "no rollout was named" : `"${first}" names no rollout`,
    fix: "write KIND/NAME, for example podcliqueset/chat; `lockstep list` shows all",
  });
}

const namesOf = ({ resource, word, shortNames }: RolloutKind): readonly string[] => [
  word,
  resource.plural,
  groupResource(resource),
  `${word}.${resource.group}`,
  ...shortNames,
];

const findKind = (word: string): RolloutKind | undefined =>
  rolloutKinds.find((kind) => namesOf(kind).includes(word.toLowerCase()));

export const podWords = ["pod", "po", "pods"];

export function kindNamed(word: string): RolloutKind {
  const name = word.toLowerCase();
  const found = findKind(name);
  if (found !== undefined) return found;
  if (podWords.includes(name)) {
    const fix = "ask about a pod with `lockstep why pod/NAME`";
    throw new UserError({ problem: "a pod is no rollout, it is a part of one", fix });
  }
  const meant = nearest(name, rolloutKinds.flatMap(namesOf));
  const all = rolloutKinds.map((kind) =>
    [kind.word, ...kind.shortNames.map((short) => `(${short})`)].join(" "),
  );
  throw new UserError({
    problem: `Lockstep rolls out no kind "${word}"`,
    fix: meant === undefined ? `kinds are ${all.join(", ")}` : `did you mean ${meant}?`,
  });
}

export async function getTarget(
  connection: Connection,
  { kindWord, name }: Pick<NamedTarget, "kindWord" | "name">,
): Promise<Target> {
  if (kindWord === "") throw await incomplete(connection, name);
  const kind = kindNamed(kindWord);
  const { namespace } = connection;
  try {
    const object = await connection.client.get(kind.resource, { namespace, name });
    return { kind, object };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isNotFound(error) && isServed(error)) throw await notFound(connection, kind, name);
    throw explained(error, kind, "get", namespace);
  }
}

async function incomplete(connection: Connection, word: string): Promise<UserError> {
  const { missingKind, missingName } = await import("./missing-kind.ts");
  const kind = findKind(word);
  return kind === undefined ? missingKind(connection, word) : missingName(connection, kind);
}

/** The server names the object that it does not have; of a kind that it does not serve it names nothing. */
export const isServed = ({ status }: ApiError): boolean =>
  status.reason === "NotFound" && (status.details?.name ?? "") !== "";

/** What is missing, a kind or a permission, and how to have it. */
export function explained(
  error: unknown,
  kind: RolloutKind,
  verb: string,
  namespace: string | undefined,
): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 404 && !isServed(error)) {
    return new UserError({
      problem: `the cluster does not serve ${groupResource(kind.resource)}`,
      fix:
        kind.install === undefined ? "is it a Kubernetes cluster?" : `install it: ${kind.install}`,
    });
  }
  return error.code === 403 ? mayNot(error, kind.resource, verb, namespace) : error;
}

export function mayNot(
  error: ApiError,
  resource: Resource,
  verb: string,
  namespace: string | undefined,
): UserError {
  const name = groupResource(resource);
  const verbs = verb === "patch" ? "get,list,watch,patch" : "get,list,watch";
  const user = /User "([^"]+)"/.exec(error.message)?.[1] ?? "USER";
  const scope = namespace === undefined ? "cluster" : "";
  const place = namespace === undefined ? "" : ` -n ${namespace}`;
  // A role of its own for each user, kind and verb: one that is there already cannot be created.
  const role = `lockstep-${verb}-${resource.plural}-${user.replaceAll(/[^\w.@-]+/g, "-")}`;
  const create = `kubectl create ${scope}role ${role} --verb=${verbs} --resource=${name}${place}`;
  const bind =
    `kubectl create ${scope}rolebinding ${role} --${scope}role=${role} ` +
    `--user=${shellWord(user)}${place}`;
  return new UserError({
    problem: `you may not ${verb} ${name}${namespace === undefined ? "" : ` in namespace ${namespace}`}`,
    fix: `an administrator can allow it: ${create} && ${bind}`,
  });
}

async function notFound(
  { client, namespace }: Connection,
  kind: RolloutKind,
  name: string,
): Promise<UserError> {
  const names = async (where: string | undefined): Promise<readonly KubeObject[]> =>
    (await client.list(kind.resource, { namespace: where }).catch(() => ({ items: [] }))).items;
  const problem = `there is no ${kind.word} "${name}" in namespace ${namespace}`;
  const here = (await names(namespace)).map(({ metadata }) => metadata.name ?? "");
  const meant = nearest(name, here);
  if (meant !== undefined) return new UserError({ problem, fix: `did you mean ${meant}?` });
  const elsewhere = (await names(undefined)).find(({ metadata }) => metadata.name === name);
  if (elsewhere !== undefined) {
    return new UserError({
      problem,
      fix: `there is one in namespace ${elsewhere.metadata.namespace}: add -n ${elsewhere.metadata.namespace}`,
    });
  }
  const list = here.slice(0, 5).join(", ");
  const fix =
    here.length === 0
      ? "that namespace has none; `lockstep list -A` shows those of all namespaces"
      : `there are ${list}`;
  return new UserError({ problem, fix });
}
