/** Reads `--controllers`, for `up` and `operator` alike. */
import { UserError } from "../api/user-error.ts";
import type { KindDefinition } from "../controllers/engine/kind-definition.ts";
import { kinds } from "../controllers/kinds.ts";

/** The kinds of `all`, of `none`, or of names separated by commas. */
export function chooseKinds(list: string): readonly KindDefinition[] {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const all = [...byName.keys()].toSorted();
  const names = list === "all" ? all : list === "none" ? [] : wordsOf(list);
  return [...new Set(names)].map((name) => {
    const kind = byName.get(name);
    if (kind !== undefined) return kind;
    throw new UserError({
      problem: `--controllers: there is no controller "${name}"`,
      fix: `choose from ${all.join(", ")}, or say all or none`,
    });
  });
}

const wordsOf = (list: string): string[] =>
  list
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
