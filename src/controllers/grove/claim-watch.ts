/** Makes shared ResourceClaims, and reconciles their owner when somebody else deletes one. */
import type { ResourceClaim } from "../../api/resource-claim.ts";
import { resourceClaimResource, resourceClaimTemplateResource } from "../../api/resource-claim.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Watch } from "../../runtime/controller.ts";
import type { LiveAnswers } from "../engine/live-reads.ts";
import { controllerOf } from "../engine/ownership.ts";
import type { PerOwner } from "../engine/per-owner.ts";
import type { Planned } from "../engine/reconcile.ts";
import type { ClaimNeeds } from "./align-claims.ts";
import { claimsRead } from "./align-claims.ts";
import type { Access } from "../engine/kind-definition.ts";

interface ClaimWatchOptions {
  /** Of whose claims. */
  readonly ownerKind: string;
  readonly claims: Cache<ResourceClaim>;
  /** What was last read of the claims of each owner. */
  readonly answers: PerOwner<LiveAnswers>;
}

export class ClaimWatch {
  readonly #options: ClaimWatchOptions;
  #isStarted = false;

  constructor(options: ClaimWatchOptions) {
    this.#options = options;
  }

  readonly watch: Watch = {
    follow: (add) =>
      this.#options.claims.onChange(({ type, object }) => {
        const owner = controllerOf(object);
        if (type !== "deleted" || owner?.kind !== this.#options.ownerKind) return;
        const key = `${object.metadata.namespace}/${owner.name}`;
        if (this.#options.answers.peek(key)?.dropAbout(object.metadata.name ?? "")) add(key);
      }),
  };

  /** Claims come first: pods that wait for one start when it is there. */
  readonly first = <P extends Planned & { readonly claims: ClaimNeeds | undefined }>(
    planned: P,
  ): P => {
    if (planned.claims === undefined) return planned;
    return { ...planned, phases: [claimsRead(planned.claims, this.#start), ...planned.phases] };
  };

  /** Not before the first claim: not every cluster serves them, and few sets share anything. */
  readonly #start = (): void => {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#options.claims.start();
  };

  readonly stop = (): void => {
    if (this.#isStarted) this.#options.claims.stop();
  };
}

const why = "Devices that a PodCliqueSet shares; asked for only where one does.";

export const claimAccess: readonly Access[] = [
  { resource: resourceClaimResource, verbs: ["create", "patch", "delete"], why },
  { resource: resourceClaimTemplateResource, verbs: ["get"], why },
];
