/** kubectl rollout on the embedded cluster, whose Deployments and nodes are simulated. */
import { test, expect, vi } from "vitest";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { startCluster } from "../../src/sim/cluster.ts";
import type { ServerUnderTest } from "../contract/suite.ts";
import { findKubectl } from "./kubectl.ts";
import { kubectlSuite } from "./suite.ts";
import { rollouts } from "./topics/rollouts.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

async function startWithNodes(): Promise<ServerUnderTest> {
  const clock = systemClock(10);
  const token = "contract";
  const server = createApiServer({ clock, resources: builtinResources() });
  const { url, certificate } = await server.listen({ token, tls: true });
  const cluster = await startCluster({ client: server.client, clock, deployments: true });
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await server.stop();
  };
  return { url, ca: certificate, token, stop };
}

const found = [findKubectl()].filter((binary) => binary !== undefined);

test("there is one kubectl at most", () => expect(found.length).toBeLessThan(2));

for (const binary of found) {
  kubectlSuite("the embedded cluster", binary, startWithNodes, { rollouts });
}
