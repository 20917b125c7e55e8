/** `/metrics`, `/healthz` and `/readyz` for the cluster an operator runs in. */
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import { UserError } from "../api/user-error.ts";
import type { HealthCheck, OperatorHealth } from "./operator-health.ts";

export interface HealthServer {
  close(): void;
}

export interface HealthAddress {
  readonly host: string;
  /** 0 for none. */
  readonly port: number;
}

export async function serveHealth(
  { host, port }: HealthAddress,
  registry: Registry,
  health: OperatorHealth,
): Promise<HealthServer> {
  if (port === 0) return { close: () => undefined };
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0];
    if (path === "/healthz") return answer(response, health.healthy);
    if (path === "/readyz") return answer(response, health.ready);
    if (path !== "/metrics") return void response.writeHead(404).end("not found\n");
    return void registry
      .metrics()
      .then((text) => response.setHeader("content-type", registry.contentType).end(text))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new UserError({
          problem: `cannot serve metrics on ${host}:${port}: ${error.message}`,
          fix: "choose another port with --metrics-port (0 for none), or another address with --metrics-address",
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(response: ServerResponse, check: HealthCheck): void {
  const problem = check();
  if (problem !== undefined) response.writeHead(503);
  response.end(`${problem ?? "ok"}\n`);
}
