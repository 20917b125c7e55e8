/** Understands the objects named on a command line: `pods`, `pod web-0`, `pod/web-0 sts/db`, `pods,services`, `all`. */
import { groupResource } from "../api/resource.ts";
import { UserError } from "../api/user-error.ts";
import type { DiscoveredResource } from "./resources.ts";
import { findResource, resourcesInCategory } from "./resources.ts";

export interface Selection {
  readonly resource: DiscoveredResource;
  /** Undefined selects every object of the resource. */
  readonly name?: string;
}

export function selectObjects(
  known: readonly DiscoveredResource[],
  words: readonly string[],
): Selection[] {
  const [first, ...names] = words;
  if (first === undefined) {
    throw new UserError({
      problem: "no resource was named",
      fix: "say which, for example `pods`, `pod/web-0` or `statefulset web`",
    });
  }
  if (first.includes("/")) return words.map((word) => slashed(known, word));
  const resources = first.split(",").flatMap((name) => named(known, name));
  if (names.length === 0) return resources.map((resource) => ({ resource }));
  const mixed = names.find((name) => name.includes("/"));
  if (mixed !== undefined) {
    throw new UserError({
      problem: `"${first}" and "${mixed}" cannot be mixed`,
      fix: "write either KIND NAME... or KIND/NAME...",
    });
  }
  return resources.flatMap((resource) => names.map((name) => ({ resource, name })));
}

function slashed(known: readonly DiscoveredResource[], word: string): Selection {
  const [kind = "", name = "", ...more] = word.split("/");
  if (kind === "" || name === "" || more.length > 0) {
    throw new UserError({ problem: `"${word}" names no object`, fix: "write KIND/NAME" });
  }
  return { resource: findResource(known, kind), name };
}

function named(known: readonly DiscoveredResource[], name: string): DiscoveredResource[] {
  const category = resourcesInCategory(known, name);
  return category.length > 0 ? category : [findResource(known, name)];
}

/** `pod/`, `statefulset.apps/`: what kubectl puts before a name where several kinds are mixed. */
export function kindPrefix({ resource }: Selection): string {
  const { group } = resource;
  return `${groupResource({ group, plural: resource.kind.toLowerCase() })}/`;
}
