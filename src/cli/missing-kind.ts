/** A command line that names a rollout without its kind, or a kind without a name: what was probably meant. */
import { podResource } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import { UserError } from "../api/user-error.ts";
import type { RolloutKind } from "../rollouts/kind.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import { nearest } from "../rollouts/nearest.ts";
import { inNamespace } from "../rollouts/commands.ts";
import type { Connection } from "./connect.ts";

const named = 5;

export async function missingKind(connection: Connection, word: string): Promise<UserError> {
  const all = await Promise.all(
    rolloutKinds.map(async (kind) =>
      (await namesOf(connection, kind.resource)).map((name) => ({
        name,
        typed: `${kind.word}/${name}`,
      })),
    ),
  );
  const rollouts = all.flat();
  const same = rollouts.filter(({ name }) => name === word).map(({ typed }) => typed);
  if (same.length > 0) return asked(word, `did you mean ${same.join(" or ")}?`);
  const pods = await namesOf(connection, podResource);
  if (pods.includes(word)) {
    return asked(word, `it is a pod: lockstep why pod/${word}${inNamespace(connection)}`);
  }
  const near = nearest(
    word,
    rollouts.map(({ name }) => name),
  );
  const meant = rollouts.find(({ name }) => name === near);
  if (meant !== undefined) return asked(word, `did you mean ${meant.typed}?`);
  return asked(word, "write KIND/NAME, for example podcliqueset/chat; `lockstep list` shows all");
}

const asked = (word: string, fix: string): UserError =>
  new UserError({ problem: `"${word}" names no rollout`, fix });

export async function missingName(connection: Connection, kind: RolloutKind): Promise<UserError> {
  const names = await namesOf(connection, kind.resource);
  const shown = [...names.slice(0, named), ...(names.length > named ? ["..."] : [])].join(", ");
  const fix =
    names.length === 0
      ? `there is none in namespace ${connection.namespace}; see \`lockstep list -A\``
      : `there are ${shown}: write ${kind.word}/${names[0]}`;
  return new UserError({ problem: `${kind.word} needs a name`, fix });
}

/** Empty where they may not be listed: the command line is wrong in any case. */
async function namesOf(
  { client, namespace }: Connection,
  resource: Resource,
): Promise<readonly string[]> {
  const { items } = await client.list(resource, { namespace }).catch(() => ({ items: [] }));
  return items.map(({ metadata }) => metadata.name ?? "").toSorted();
}
