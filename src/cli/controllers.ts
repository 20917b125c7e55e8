/** Chooses and starts the controllers, for `up` and `operator` alike. */
import { UserError } from "../api/user-error.ts";
import type { ControlledKind } from "../controllers/engine/controlled-kind.ts";
import type { KindDefinition, StartOptions } from "../controllers/engine/kind-definition.ts";
import { startKinds } from "../controllers/engine/kind-definition.ts";
import { kinds } from "../controllers/kinds.ts";

export type RunningController = ControlledKind;

export interface ControllerContext extends StartOptions {
  /** `assist` beside a cluster that runs its own StatefulSet controller. */
  readonly statefulSetMode: "full" | "assist";
}

const kindsByName: ReadonlyMap<string, KindDefinition> = new Map(
  kinds.map((kind) => [kind.name, kind]),
);

/** `all`, `none`, or names separated by commas. */
export function chooseControllers(list: string): string[] {
  const all = [...kindsByName.keys()].toSorted();
  if (list === "all") return all;
  if (list === "none") return [];
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const unknown = names.find((name) => !kindsByName.has(name));
  if (unknown === undefined) return [...new Set(names)];
  throw new UserError({
    problem: `--controllers: there is no controller "${unknown}"`,
    fix: `choose from ${all.join(", ")}, or say all or none`,
  });
}

export function startControllers(
  names: readonly string[],
  context: ControllerContext,
): Promise<RunningController[]> {
  const chosen = names.flatMap((name) => kindsByName.get(name) ?? []);
  return startKinds(chosen, { ...context, modes: { statefulset: context.statefulSetMode } });
}
