/** The definitions of workloads.x-k8s.io on a real kube-apiserver: it says whether their rules are affordable. */
import { startControlPlane } from "../control-plane/control-plane.ts";
import { groupDefinitionSuite } from "../definitions/group-suite.ts";

groupDefinitionSuite("a real kube-apiserver", () => startControlPlane());
