/** Writes that the API server refused: remembered for the status, since it is written before anything is done. */
import type { KubeObject } from "../../api/object.ts";
import { ApiError } from "../../api/status.ts";
import { workloadName } from "../../api/rbg/names.ts";
import type { Failure } from "../engine/reconcile.ts";
import type { RolePlace } from "./role-workload.ts";

export interface Refusal {
  readonly message: string;
  /** The object itself is wrong: no time and no other object can help. */
  readonly isFinal: boolean;
}

/** Invalid, forbidden (a quota, a webhook) or malformed; what passes by itself is no refusal. */
const refusing = new Set([400, 403, 422]);

/** The last refusal of a group, until its writes are performed or its spec is another one. */
export class Refusals {
  #latest: (Refusal & { readonly generation: number | undefined }) | undefined;

  of({ metadata }: KubeObject): Refusal | undefined {
    return this.#latest?.generation === metadata.generation ? this.#latest : undefined;
  }

  acted({ metadata }: KubeObject, failure: Failure | undefined): void {
    if (failure === undefined) this.#latest = undefined;
    const { cause, message } = failure ?? {};
    if (message === undefined || !(cause instanceof ApiError) || !refusing.has(cause.code)) return;
    this.#latest = { message, isFinal: cause.code !== 403, generation: metadata.generation };
  }
}

/** What was refused of this role: its workload or one of its pods is named in the refusal. */
export function refusalOf(
  { group, role }: RolePlace,
  refusal: Refusal | undefined,
): Refusal | undefined {
  const name = workloadName(group.metadata.name ?? "", role.name);
  const names = new RegExp(`"${name.replaceAll(".", "\\.")}(-\\d+)?"`);
  return refusal !== undefined && names.test(refusal.message) ? refusal : undefined;
}
