/** Workloads of a size that the operator refuses, and that no copy could play: refused before anything is played. */
import type { KubeObject } from "../api/object.ts";
import { mostParts } from "../api/size-limit.ts";
import { UserError } from "../api/user-error.ts";
import type { Components } from "./components.ts";

export function requirePlayable({ kind, metadata }: KubeObject, count: number, what: string): void {
  // What is no number is refused by the server, in its own words.
  if (!(count > mostParts)) return;
  throw new UserError({
    problem:
      `${String(kind)} ${metadata.name} would ask for ${count} ${what}, at most ${mostParts} are possible: ` +
      "the operator would refuse it, too",
    fix: "plan it with fewer replicas",
  });
}

/** The same components, where all their pods together can be played. */
export function playable(workload: KubeObject, components: Components): Components {
  const pods = components.all.map(({ desired, podsPerUnit }) => desired * podsPerUnit);
  requirePlayable(
    workload,
    pods.reduce((sum, each) => sum + each, 0),
    "pods",
  );
  return components;
}
