/** Our definitions on a real kube-apiserver, which also says whether their rules are affordable. */
import { startControlPlane } from "../control-plane/control-plane.ts";
import { definitionSuite } from "../definitions/suite.ts";

definitionSuite("a real kube-apiserver", () => startControlPlane());
