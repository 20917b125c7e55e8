/** The definitions of workloads.x-k8s.io on our own server. */
import { startEmbedded } from "../contract/embedded-server.ts";
import { groupDefinitionSuite } from "./group-suite.ts";

groupDefinitionSuite("the embedded API server", startEmbedded);
