/** The contract against the embedded server. */
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { contractSuite } from "./suite.ts";

contractSuite("the embedded server", async () => {
  const server = createApiServer({ clock: systemClock(), resources: builtinResources() });
  const token = "contract";
  const { url, certificate } = await server.listen({ token, tls: true });
  return { url, token, ca: certificate, stop: () => server.stop() };
});
