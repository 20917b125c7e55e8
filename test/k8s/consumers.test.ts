/** Consumers of PlacementDecisions on a real kube-apiserver: the planner's writes, and the controller's. */
import { vi } from "vitest";
import { managedClusterAddOnResource } from "../../src/api/ocm/addon.ts";
import { placementDecisionResource } from "../../src/api/ocm/placement.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { clusterAccess } from "../../src/kube/access.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { describeOperator } from "../consumers/operator-suite.ts";
import { describeConsumers } from "../consumers/suite.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { until } from "./real-cluster.ts";

// Thousands of clusters, and two hundred changes: minutes on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

async function start() {
  const plane = await startControlPlane();
  const access = clusterAccess(loadKubeconfig([plane.kubeconfig], true));
  const transport = httpTransport(access, { userAgent: "lockstep-test" });
  const client = restClient(transport);
  await installDefinitions(client);
  // Established says that a kind is served; its storage may still be on its way.
  for (const resource of [placementDecisionResource, managedClusterAddOnResource]) {
    await until(`${resource.plural} are served`, () =>
      client.list(resource).catch(() => undefined),
    );
  }
  return {
    client,
    connection: { kubeconfig: plane.kubeconfig },
    connect: () => httpTransport(access, { userAgent: "lockstep" }),
    async stop() {
      transport.close();
      await plane.stop();
    },
  };
}

describeConsumers("real", start, { sequences: 200 });
describeOperator("real", start, { sequences: 200 });
