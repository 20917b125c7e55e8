/** Our definitions on our own server. */
import { startEmbedded } from "../contract/embedded-server.ts";
import { definitionSuite } from "./suite.ts";

definitionSuite("the embedded API server", startEmbedded);
