/** What ResourceClaims are made from: a template in the set, or an object in some namespace. */
import type { PodCliqueSetTemplate } from "../../api/grove/podcliqueset.ts";
import type { ResourceClaimTemplate } from "../../api/resource-claim.ts";
import { resourceClaimTemplateResource } from "../../api/resource-claim.ts";
import type { Client } from "../../runtime/client.ts";
import type { WantedClaim } from "./claim-sharing.ts";
import { lookUp } from "../engine/live-reads.ts";

export type OwnTemplates = PodCliqueSetTemplate["resourceClaimTemplates"];

/** Where a template is that the set does not hold itself: beside the set unless it says otherwise. */
export const namespaceOf = (
  given: string | undefined,
  own: string | undefined,
): string | undefined => (given === undefined || given === "" ? own : given);

/** Those of the set are found by name, others are read once. */
export class ClaimTemplates {
  readonly #client: Client;
  readonly #own: OwnTemplates;
  readonly #namespace: string | undefined;
  readonly #read = new Map<string, unknown>();

  constructor(client: Client, own: OwnTemplates, namespace: string | undefined) {
    this.#client = client;
    this.#own = own;
    this.#namespace = namespace;
  }

  /** Undefined where there is no such template. */
  async specOf({ name, namespace: given }: WantedClaim["template"]): Promise<unknown> {
    const own = this.#own?.find((template) => template.name === name);
    if (own !== undefined) return own.templateSpec.spec;
    const namespace = namespaceOf(given, this.#namespace);
    const text = `${namespace}/${name}`;
    if (!this.#read.has(text)) this.#read.set(text, await this.#specAt(namespace, name));
    return this.#read.get(text);
  }

  async #specAt(namespace: string | undefined, name: string): Promise<unknown> {
    const key = { namespace, name };
    const found = await lookUp<ResourceClaimTemplate>(
      this.#client,
      resourceClaimTemplateResource,
      key,
    );
    return found?.spec.spec;
  }
}
