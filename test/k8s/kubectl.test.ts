/** The kubectl suite against a real kube-apiserver. */
import { startControlPlane } from "../control-plane/control-plane.ts";
import { findKubectl } from "../kubectl/kubectl.ts";
import { kubectlSuite } from "../kubectl/suite.ts";

const controllers = ["garbage-collector-controller", "namespace-controller"];
const binary = findKubectl();
if (binary === undefined)
  throw new Error("there is no kubectl: run npm run test:k8s, which builds one");

kubectlSuite("a real kube-apiserver", binary, () =>
  startControlPlane({ controllerManager: { controllers } }),
);
