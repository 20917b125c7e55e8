/**
 * Records what kube-controller-manager makes of odd pod templates: the template as the API server defaults it, and the
 * name of the revision. Run: `npx tsx scripts/record-revisions.ts`.
 */
import { writeFileSync } from "node:fs";
import { statefulSetResource } from "../src/api/apps.ts";
import { statefulSetOf } from "../test/builders/stateful-set-scenario.ts";
import { startStatefulSetManager } from "../test/control-plane/stateful-set-manager.ts";
import { oddTemplates } from "../test/k8s/odd-templates.ts";
import { startRealCluster, until } from "../test/k8s/real-cluster.ts";

const file = new URL("../test/recorded/revisions.json", import.meta.url);
const cluster = await startRealCluster();
const upstream = await startStatefulSetManager(cluster.plane);
const recorded: Record<string, unknown> = {};
for (const [name, template] of Object.entries(oddTemplates)) {
  await cluster.client.create(
    statefulSetResource,
    statefulSetOf({ name, replicas: 0, spec: { template } }),
  );
  const revision = await until(`${name} is recorded`, async () => {
    const { status } = await cluster.set(name);
    return status?.updateRevision;
  });
  recorded[name] = { revision, template: (await cluster.set(name)).spec.template };
}
writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
await upstream.stop();
await cluster.stop();
