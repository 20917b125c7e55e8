/** What the user's own credentials may change, asked of the API server itself. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { groupResource } from "../api/resource.ts";
import { ApiError } from "../api/status.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";

const reviewResource: Resource = {
  group: "authorization.k8s.io",
  version: "v1",
  plural: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
};

interface Review extends KubeObject {
  readonly spec: unknown;
  readonly status?: { readonly allowed?: boolean };
}

/** A sentence that says which permission is missing, or undefined. */
export type Denial = string | undefined;

/** Grants change seldom; a page asks whenever a pod changes. */
const keptMs = 30_000;

export class Access {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #answers = new Map<
    string,
    { readonly untilMs: number; readonly denial: Promise<Denial> }
  >();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Whether objects of this kind may be patched in this namespace. */
  patches(resource: Resource, namespace: string): Promise<Denial> {
    const key = `${groupResource(resource)}/${namespace}`;
    const kept = this.#answers.get(key);
    if (kept !== undefined && kept.untilMs > this.#clock.monotonic()) return kept.denial;
    const denial = this.#ask(resource, namespace);
    this.#answers.set(key, { untilMs: this.#clock.monotonic() + keptMs, denial });
    return denial;
  }

  async #ask(resource: Resource, namespace: string): Promise<Denial> {
    const { group, plural } = resource;
    const resourceAttributes = { namespace, verb: "patch", group, resource: plural };
    const review: Review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      metadata: {},
      spec: { resourceAttributes },
    };
    try {
      const { status } = await this.#client.create(reviewResource, review);
      return status?.allowed === true ? undefined : denialOf(resource, namespace);
    } catch (error) {
      // The embedded server has one user, who may do everything, and no such question.
      if (error instanceof ApiError && error.code === 404) return undefined;
      return `it is not known whether you may change it: ${(error as Error).message}`;
    }
  }
}

const denialOf = (resource: Resource, namespace: string): string =>
  `you may not patch ${groupResource(resource)} in namespace ${namespace}`;
