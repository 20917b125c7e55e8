/** Reads an object and everything that its view is made of, once, through any client. */
import type { KubeObject } from "../api/object.ts";
import { groupResource } from "../api/resource.ts";
import type { Resource } from "../api/resource.ts";
import { ApiError } from "../api/status.ts";
import type { Client } from "../runtime/client.ts";
import { eventResource } from "../runtime/event-recorder.ts";
import type { Loaded } from "./compose.ts";
import type { RolloutKind } from "./kind.ts";

export async function loadRollout(
  client: Client,
  kind: RolloutKind,
  object: KubeObject,
  nowMs: number,
): Promise<Loaded> {
  const { namespace, uid } = object.metadata;
  const gaps: string[] = [];
  const list = async (
    resource: Resource,
    selection: { readonly labelSelector?: string; readonly fieldSelector?: string },
  ): Promise<readonly KubeObject[] | undefined> => {
    try {
      return (await client.list(resource, { namespace, ...selection })).items;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      gaps.push(mayNotList(resource, namespace));
      return undefined;
    }
  };
  const queries = Object.entries(kind.related(object));
  const [events, ...lists] = await Promise.all([
    list(eventResource, { fieldSelector: `involvedObject.uid=${uid}` }),
    ...queries.map(([, { resource, labelSelector }]) => list(resource, { labelSelector })),
  ]);
  // What may not be read is not there, which is something else than empty.
  const related = Object.fromEntries(
    queries.flatMap(([name], at) => {
      const objects = lists[at];
      return objects === undefined ? [] : [[name, objects] as const];
    }),
  );
  return { object, related, nowMs, events: events ?? [], gaps };
}

/** Which permission is missing, in words that an administrator can act on. */
export const mayNotList = (resource: Resource, namespace: string | undefined): string =>
  `you may not list ${groupResource(resource)} in namespace ${namespace ?? "(all)"}: ` +
  `ask for the verbs get, list and watch on it`;
