/** The kubectl suite about rollouts, with Kubernetes' own Deployment controller: ours has to look the same. */
import { clusterAccess } from "../../src/kube/access.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import { nodeResource } from "../../src/api/node.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { fakeNode, startControlPlane } from "../control-plane/control-plane.ts";
import { findKubectl } from "../kubectl/kubectl.ts";
import { kubectlSuite } from "../kubectl/suite.ts";
import { rollouts } from "../kubectl/topics/rollouts.ts";

const binary = findKubectl();
if (binary === undefined)
  throw new Error("there is no kubectl: run npm run test:k8s, which builds one");

async function startWithNodes() {
  const plane = await startControlPlane({
    controllerManager: true,
    scheduler: true,
    kwok: { startDelayMs: 200, stopDelayMs: 100 },
    qps: 500,
  });
  const transport = httpTransport(clusterAccess(loadKubeconfig([plane.kubeconfig], true)), {
    userAgent: "lockstep-test",
  });
  await restClient(transport).create(nodeResource, fakeNode("node-a") as never);
  transport.close();
  return plane;
}

kubectlSuite("Kubernetes' own controllers", binary, startWithNodes, { rollouts });
