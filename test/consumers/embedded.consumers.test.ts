/** The consumers against the embedded API server, over HTTP. */
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { fixedHeader } from "../../src/kube/credentials.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { describeOperator } from "./operator-suite.ts";
import { describeConsumers } from "./suite.ts";

async function start() {
  const token = "consumers";
  const server = createApiServer({ clock: systemClock(), resources: builtinResources() });
  const { url } = await server.listen({ token });
  await installDefinitions(server.client);
  const credentials = fixedHeader(`Bearer ${token}`);
  const access = {
    server: new URL(url),
    tls: {},
    credentials,
    namespace: "default",
    origin: "a test",
  };
  return {
    client: server.client,
    connection: { server: url, token },
    connect: () => httpTransport(access),
    stop: () => server.stop(),
  };
}

describeConsumers("embedded", start, { sequences: 200 });
describeOperator("embedded", start, { sequences: 200 });
