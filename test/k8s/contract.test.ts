/** The contract against a real kube-apiserver: what it answers is what we have to answer. */
import { contractSuite } from "../contract/suite.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";

/** The two controllers whose work belongs to the API: cascading deletion and namespaces. */
const controllers = ["garbage-collector-controller", "namespace-controller"];

contractSuite("a real kube-apiserver", () =>
  startControlPlane({ controllerManager: { controllers } }),
);
