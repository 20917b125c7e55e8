/** The embedded cluster runs its controllers itself, and says so where every command looks for an operator. */
import { namespaceResource } from "../api/namespace.ts";
import { microTimeText } from "../api/time-text.ts";
import { defaultLeaseNamespace, leaseName, scopeAnnotations } from "../rollouts/operator.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { lastHolderAnnotation, leaseResource } from "../runtime/leader.ts";

const holder = "lockstep-up";

/** The longest that a lease can have: it ends with the cluster. */
const forEverSeconds = 2_147_483_647;

/** Without `renewTime`: nobody renews it, and the time of this cluster may be far ahead of who reads it. */
export async function holdLease(
  client: Client,
  clock: Clock,
  controllers: readonly string[],
): Promise<void> {
  const namespace = defaultLeaseNamespace;
  await client.create(namespaceResource, { metadata: { name: namespace } });
  const scope = scopeAnnotations({ controllers, statefulSetMode: "full", namespaces: [] });
  const annotations = { ...scope, [lastHolderAnnotation]: holder };
  const spec = {
    holderIdentity: holder,
    leaseDurationSeconds: forEverSeconds,
    acquireTime: microTimeText(clock.now()),
  };
  await client.create(leaseResource, {
    metadata: { namespace, name: leaseName, annotations },
    spec,
  });
}
