/** Our own server on a socket, as the contract sees it. */
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { ServerUnderTest } from "./suite.ts";

export async function startEmbedded(): Promise<ServerUnderTest> {
  const token = "contract";
  const server = createApiServer({ clock: systemClock(), resources: builtinResources() });
  const { url, certificate } = await server.listen({ token, tls: true });
  return { url, ca: certificate, token, stop: () => server.stop() };
}
