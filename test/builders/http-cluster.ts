/** The embedded cluster behind real sockets, its clock hurried, with a network in between that a test can break. */
import { setTimeout as delay } from "node:timers/promises";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import { fixedHeader } from "../../src/kube/credentials.ts";
import type { HttpTransport } from "../../src/kube/http-transport.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { startCluster } from "../../src/sim/cluster.ts";
import { assertNone, checkedComplaints } from "./complaints.ts";
import { flakyProxy } from "./flaky-proxy.ts";
import type { StatefulSetWorld } from "./stateful-set-stage.ts";

const speed = 50;
const token = "over-http";
const lookEveryMs = 20;
const longestMs = 30_000;

/** Lockstep is its StatefulSet controller and reaches it through `proxy`; `stop` fails if there were problems. */
export async function startHttpCluster() {
  const complaints = checkedComplaints();
  const onProblem = (problem: unknown): void =>
    complaints.problem(problem, isConnectionError(problem));
  const clock = systemClock(speed);
  const server = createApiServer({ clock, resources: builtinResources() });
  const { url } = await server.listen({ token });
  const proxy = await flakyProxy(Number(new URL(url).port));
  const cluster = await startCluster({ client: server.client, clock });
  const operator = transportTo(`http://127.0.0.1:${proxy.port}`, 300);
  const controller = statefulSetController({
    client: restClient(operator),
    clock,
    mode: "full",
    onProblem,
    observer: { reconciled: (_key, { error }) => error !== undefined && onProblem(error) },
  });
  await controller.start();
  const people = transportTo(url);
  const client = restClient(people);
  const world: StatefulSetWorld = {
    client,
    hasKubelets: true,
    expectComplaint: (pattern) => complaints.tolerate(pattern),
    pass: () => delay(400),
    async until(what, look) {
      const endMs = clock.now() + longestMs * speed;
      for (;;) {
        const found = await look();
        if (found !== undefined && found !== false) return found;
        if (clock.now() > endMs) throw new Error(`${what}: not after ${longestMs / 1000} s`);
        await delay(lookEveryMs);
      }
    },
  };
  return {
    client,
    clock,
    proxy,
    world,
    async stop() {
      await controller.stop();
      operator.close();
      people.close();
      proxy.close();
      await cluster.stop();
      await server.stop();
      assertNone([complaints]);
    },
  };
}

/** Watches that are silent for long are opened again; neither a refusal nor a bug, which have names of their own. */
const isConnectionError = (problem: unknown): boolean =>
  problem instanceof Error && problem.name === "Error";

function transportTo(url: string, silenceLimitMs?: number): HttpTransport {
  const access = {
    server: new URL(url),
    tls: {},
    credentials: fixedHeader(`Bearer ${token}`),
    namespace: "default",
    origin: "a test",
  };
  return httpTransport(access, silenceLimitMs === undefined ? {} : { silenceLimitMs });
}
