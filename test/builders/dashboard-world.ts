/** A small cluster on the real clock with a dashboard in front of it. */
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { processIo } from "../../src/cli/io.ts";
import { playgroundOf } from "../../src/cli/playground.ts";
import { startDashboard } from "../../src/cli/run-dashboard.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { startCluster } from "../../src/sim/cluster.ts";

export const token = "a-token-of-this-test";

export async function dashboardWorld(options: { readonly allowsActions: boolean }) {
  const clock = systemClock(4);
  const server = createApiServer({ clock, resources: builtinResources() });
  const { client } = server;
  const onProblem = (): void => undefined;
  await installDefinitions(client);
  const cluster = await startCluster({ client, clock, nodes: 4, gangs: true, onProblem });
  const modes = { statefulset: "full" };
  const controllers = await startKinds(kinds, { client, clock, modes, onProblem });
  const dashboard = await startDashboard({
    client,
    io: { ...processIo(), clock },
    host: "127.0.0.1",
    port: 0,
    token,
    ...options,
    playground: playgroundOf(server, cluster),
  });
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
