/** What replicas that are being updated still lack, clique by clique, in words. */
import type { CliqueState } from "../clique-state.ts";
import { isComplete } from "../clique-state.ts";
import type { ReplicaState } from "./replica-state.ts";

/** The cliques that are not whole on the target yet: `chat-0-frontend has 1 of 3 pods updated, 2 ready`. */
export function unfinished(
  replicas: readonly Pick<ReplicaState, "index" | "standalone" | "groups">[],
  updating: readonly number[],
): string[] {
  return replicas
    .filter(({ index }) => updating.includes(index))
    .flatMap(({ standalone, groups }) => [
      ...standalone,
      ...groups.flatMap((group) => [...group.replicas.values()].flat()),
    ])
    .filter((state) => state.object !== undefined && !isComplete(state))
    .map(describe);
}

function describe({ object, replicas, updated, ready, beyond }: CliqueState): string {
  const pods = replicas === 1 ? "pod" : "pods";
  const extra = beyond === 0 ? "" : `, ${beyond} extra`;
  const [shown, serving] = [updated, ready].map((count) => Math.min(count, replicas));
  const name = object?.metadata.name;
  return `${name} has ${shown} of ${replicas} ${pods} updated, ${serving} ready${extra}`;
}
