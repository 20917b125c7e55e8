/** Removes the finalizer of a deleted claim once no pod uses it any more. */
import type { KubeObject } from "../../api/object.ts";
import type { Context } from "../context.ts";
import { claimFinalizer } from "../rest/admission.ts";
import { replace } from "../rest/update.ts";
import type { Change, Subscription } from "../store/store.ts";
import { keyOf } from "../store/store.ts";
import { WorkSet } from "./work-set.ts";

export function startClaimProtection(context: Context): Subscription {
  const users = new ClaimUsers();
  const work = new WorkSet(context, (key) => release(context, users, key));
  const subscription = context.store.subscribe((change) => {
    if (change.collection === "pods") for (const key of users.apply(change)) work.add(key);
    if (change.collection === "persistentvolumeclaims" && isTerminating(change.object)) {
      work.add(change.key);
    }
  });
  return {
    stop() {
      subscription.stop();
      work.stop();
    },
  };
}

/** By the key of a claim: the keys of the pods that use it. */
class ClaimUsers {
  readonly #users = new Map<string, Set<string>>();

  /** The claims that may be unused after the change. */
  apply({ type, key, object }: Change): readonly string[] {
    const claims = claimsOf(object);
    if (type !== "DELETED" && !isFinished(object)) {
      for (const claim of claims) {
        this.#users.set(claim, (this.#users.get(claim) ?? new Set()).add(key));
      }
      return [];
    }
    for (const claim of claims) {
      const users = this.#users.get(claim);
      users?.delete(key);
      if (users?.size === 0) this.#users.delete(claim);
    }
    return claims;
  }

  isUsed(claim: string): boolean {
    return this.#users.has(claim);
  }
}

function claimsOf(pod: KubeObject): readonly string[] {
  const { volumes = [] } = (pod["spec"] ?? {}) as {
    volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  return volumes.flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined
      ? []
      : [keyOf(pod.metadata.namespace, persistentVolumeClaim.claimName)],
  );
}

function isFinished(pod: KubeObject): boolean {
  const { phase } = (pod["status"] ?? {}) as { phase?: string };
  return phase === "Succeeded" || phase === "Failed";
}

function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function release(context: Context, users: ClaimUsers, key: string): void {
  const resource = context.registry.find("", "v1", "persistentvolumeclaims");
  const claim = context.store.collection("persistentvolumeclaims").get(key);
  if (resource === undefined || claim === undefined) return;
  const { metadata } = claim;
  if (!isTerminating(claim) || users.isUsed(key)) return;
  const finalizers = (metadata.finalizers ?? []).filter((one) => one !== claimFinalizer);
  const { finalizers: _finalizers, ...others } = metadata;
  const draft: KubeObject = {
    ...claim,
    metadata: finalizers.length > 0 ? { ...others, finalizers } : others,
  };
  const { namespace, name } = metadata;
  replace(context, { resource, namespace, name, subresource: undefined }, draft, false);
}
