/** Where metrics and probes can be reached, and from where they cannot. */
import { networkInterfaces } from "node:os";
import { Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import { freePorts } from "../../test/control-plane/free-ports.ts";
import type { HealthServer } from "./health-server.ts";
import { serveHealth } from "./health-server.ts";
import { metricsHost } from "./operator.ts";

const inPod = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };

const hosts: Record<string, [Parameters<typeof metricsHost>[0], Record<string, string>, string]> = {
  "on a machine only its own users reach it": [{}, {}, "127.0.0.1"],
  "in a pod kubelets and Prometheus do": [{}, inPod, "::"],
  "on a machine it can be opened": [{ metricsAddress: "0.0.0.0" }, {}, "0.0.0.0"],
  "in a pod it can be closed": [{ metricsAddress: "127.0.0.1" }, inPod, "127.0.0.1"],
};

test.each(Object.entries(hosts))("%s", (_sentence, [flags, environment, want]) => {
  expect(metricsHost(flags, { environment })).toBe(want);
});

let server: HealthServer | undefined;
afterEach(() => server?.close());

/** An address of this machine that is not loopback; a machine without any network has none. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

const reached = async (host: string, port: number): Promise<boolean> =>
  fetch(`http://${host}:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

test.each([
  ["127.0.0.1", false],
  ["0.0.0.0", true],
])("the port listens on %s alone", async (host, isOpen) => {
  const [port = 0] = await freePorts(1);
  const health = { healthy: () => undefined, ready: () => undefined };
  server = await serveHealth({ host, port }, new Registry(), health);
  expect(await reached("127.0.0.1", port)).toBe(true);
  expect(outside === undefined ? isOpen : await reached(outside, port)).toBe(isOpen);
});
