/** Reads an object and everything that its view is made of, once, through any client. */
import type { KubeObject } from "../api/object.ts";
import { groupResource } from "../api/resource.ts";
import type { Resource } from "../api/resource.ts";
import { ApiError, isForbidden } from "../api/status.ts";
import type { Client } from "../runtime/client.ts";
import { eventResource } from "../runtime/event-recorder.ts";
import type { Loaded } from "./compose.ts";
import type { RelatedQuery, RolloutKind } from "./kind.ts";

export async function loadRollout(
  client: Client,
  kind: RolloutKind,
  object: KubeObject,
  nowMs: number,
): Promise<Loaded> {
  const { namespace, uid } = object.metadata;
  const gaps: string[] = [];
  const unserved: Resource[] = [];
  const list = async ({
    resource,
    ...selection
  }: RelatedQuery): Promise<readonly KubeObject[] | undefined> => {
    try {
      return (await client.list(resource, { namespace, ...selection })).items;
    } catch (error) {
      if (isUnserved(error)) {
        unserved.push(resource);
        return [];
      }
      if (!isForbidden(error)) throw error;
      gaps.push(mayNotList(resource, namespace));
      return undefined;
    }
  };
  const queries = Object.entries(kind.related(object));
  const [events, ...lists] = await Promise.all([
    list({ resource: eventResource, fieldSelector: `involvedObject.uid=${uid}` }),
    ...queries.map(([, query]) => list(query)),
  ]);
  // What may not be read is not there, which is something else than empty.
  const related = Object.fromEntries(
    queries.flatMap(([name], at) => {
      const objects = lists[at];
      return objects === undefined ? [] : [[name, objects] as const];
    }),
  );
  return { object, related, nowMs, events: events ?? [], gaps, unserved };
}

/** The definition of the kind is gone, and all its objects with it: a list of what is served is never missing. */
export const isUnserved = (problem: unknown): boolean =>
  problem instanceof ApiError && problem.code === 404;

/** Which permission is missing, in words that an administrator can act on. */
export const mayNotList = (resource: Resource, namespace: string | undefined): string =>
  `you may not list ${groupResource(resource)} in namespace ${namespace ?? "(all)"}: ` +
  `ask for the verbs get, list and watch on it`;
