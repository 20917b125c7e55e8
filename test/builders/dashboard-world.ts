/** A small cluster on the real clock with a dashboard in front of it. */
import type { ApiServer } from "../../src/apiserver/api-server.ts";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { processIo } from "../../src/cli/io.ts";
import { playgroundOf } from "../../src/cli/playground.ts";
import type { LoginEntry } from "../../src/cli/run-dashboard.ts";
import { startDashboard } from "../../src/cli/run-dashboard.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { accessWithToken } from "../../src/kube/access.ts";
import { noCredentials } from "../../src/kube/credentials.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { startCluster } from "../../src/sim/cluster.ts";

export const token = "a-token-of-this-test";

interface WorldOptions {
  readonly allowsActions: boolean;
  /** Users sign in with a token of the API server, which listens for that. */
  readonly login?: boolean;
}

export async function dashboardWorld({ allowsActions, login = false }: WorldOptions) {
  const clock = systemClock(4);
  const server = createApiServer({ clock, resources: builtinResources() });
  const { client } = server;
  const onProblem = (): void => undefined;
  await installDefinitions(client);
  const cluster = await startCluster({ client, clock, nodes: 4, gangs: true, onProblem });
  const modes = { statefulset: "full" };
  const controllers = await startKinds(kinds, { client, clock, modes, onProblem });
  const entry = login
    ? await signingIn(server)
    : { client, token, playground: playgroundOf(server, cluster) };
  const io = { ...processIo(), clock, invocation: "lockstep" };
  const dashboard = await startDashboard({ io, host: "127.0.0.1", port: 0, allowsActions, entry });
  return {
    client,
    url: dashboard.url,
    origin: new URL(dashboard.url).origin,
    async stop() {
      await dashboard.stop();
      for (const part of [...controllers, cluster, server]) await part.stop();
    },
  };
}

/** The only token that the API server knows is the one of this test. */
async function signingIn(server: ApiServer): Promise<LoginEntry> {
  const { url } = await server.listen({ port: 0, tls: false, token });
  const access = {
    server: new URL(url),
    tls: {},
    credentials: noCredentials,
    namespace: "default",
    origin: "this test",
  };
  return {
    withToken: (given) => {
      const transport = httpTransport(accessWithToken(access, given));
      return { client: restClient(transport), close: () => transport.close() };
    },
  };
}
