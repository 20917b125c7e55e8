/** Replicas of which nothing is left to do: they are passed over until something they depend on changes. */
import type { Client } from "../../../runtime/client.ts";
import { isSameList } from "../../engine/memoize.ts";
import type { Observed } from "./observe.ts";
import type { Plan, ReplicaPlan } from "./plan.ts";
import type { ReplicaObjects } from "./replica-objects.ts";

export class SettledReplicas {
  readonly #settled = new WeakMap<ReplicaObjects, readonly unknown[]>();

  has(observed: Observed, plan: Plan, aimed: ReplicaPlan): boolean {
    const objects = observed.replicas.get(aimed.index);
    const inputs = objects === undefined ? undefined : this.#settled.get(objects);
    return inputs !== undefined && isSameList(inputs, inputsOf(observed, plan, aimed));
  }

  add(observed: Observed, plan: Plan, aimed: ReplicaPlan): void {
    const objects = observed.replicas.get(aimed.index);
    if (objects !== undefined) this.#settled.set(objects, inputsOf(observed, plan, aimed));
  }
}

/** All that decides what is done for a replica, besides its own objects. */
const inputsOf = (
  { spec, revisions, topologies }: Observed,
  { target }: Plan,
  { aim }: ReplicaPlan,
): readonly unknown[] => [aim, spec, target, revisions, topologies];

export interface NoticingClient {
  readonly client: Client;
  readonly hasWritten: () => boolean;
}

/** A client that knows whether anything was written through it. */
export function noticingWrites(client: Client): NoticingClient {
  let hasWritten = false;
  const noticed = <R>(write: () => R): R => {
    hasWritten = true;
    return write();
  };
  return {
    client: {
      ...client,
      create: (resource, object, options) =>
        noticed(() => client.create(resource, object, options)),
      update: (resource, object, options) =>
        noticed(() => client.update(resource, object, options)),
      patch: (resource, key, patch, options) =>
        noticed(() => client.patch(resource, key, patch, options)),
      delete: (resource, key, options) => noticed(() => client.delete(resource, key, options)),
    },
    hasWritten: () => hasWritten,
  };
}
