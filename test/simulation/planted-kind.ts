/** Kinds with a planted fault: their controllers do not see what they are asked for, or forget a precondition. */
import type { KubeObject } from "../../src/api/object.ts";
import type { KindDefinition } from "../../src/controllers/engine/kind-definition.ts";
import { SharedCaches } from "../../src/controllers/engine/shared-caches.ts";
import type { Client } from "../../src/runtime/client.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import type { SimulatedKind } from "../../src/simulation/simulated-kind.ts";
import { simulatedKinds } from "../../src/simulation/kinds/index.ts";

/** The operator reads every object of the kind so. */
export const seenAs =
  (kind: string, change: (spec: Record<string, unknown>) => Record<string, unknown>) =>
  (client: Client): Client => {
    const see = <T extends KubeObject>(object: T): T =>
      object["spec"] !== undefined
        ? { ...object, spec: change(object["spec"] as Record<string, unknown>) }
        : object;
    const isMeant = (resource: { kind: string }): boolean => resource.kind === kind;
    return {
      ...client,
      get: async (resource, key, subresource) => {
        const object = await client.get(resource, key, subresource);
        return (isMeant(resource) ? see(object) : object) as never;
      },
      list: async (resource, options) => {
        const list = await client.list(resource, options);
        return (isMeant(resource) ? { ...list, items: list.items.map(see) } : list) as never;
      },
      watch: (resource, options, onEvent) =>
        client.watch(resource, options, (event) =>
          onEvent(
            (isMeant(resource) && event.type !== "ERROR"
              ? { ...event, object: see(event.object) }
              : event) as never,
          ),
        ),
    };
  };

export const withoutUid = (client: Client): Client => ({
  ...client,
  delete: (resource, key, { uid: _uid, ...options } = {}) => client.delete(resource, key, options),
});

export function planted(
  name: string,
  plant: (client: Client, clock: Clock) => Client,
): SimulatedKind {
  const kind = simulatedKinds.find((each) => each.name === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  const definitionOf = (definition: KindDefinition): KindDefinition => ({
    ...definition,
    controller(context: Parameters<KindDefinition["controller"]>[0]) {
      const { client: given, clock, onProblem = () => undefined } = context;
      const client = plant(given, clock);
      const caches = new SharedCaches({ client, clock, onProblem });
      return definition.controller({ ...context, client, caches });
    },
  });
  const [first, ...others] = kind.scenarioKinds;
  const scenarioKindOf = (each: typeof first): typeof first => ({
    ...each,
    definitions: each.definitions.map(definitionOf),
  });
  return { ...kind, scenarioKinds: [scenarioKindOf(first), ...others.map(scenarioKindOf)] };
}
