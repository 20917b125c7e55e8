/** `/metrics`, `/healthz` and `/readyz` for the cluster an operator runs in. */
import { createServer } from "node:http";
import type { Registry } from "prom-client";
import { UserError } from "../api/user-error.ts";

export interface HealthServer {
  close(): void;
}

export async function serveHealth(port: number, registry: Registry): Promise<HealthServer> {
  if (port === 0) return { close: () => undefined };
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0];
    if (path === "/healthz" || path === "/readyz") return void response.end("ok\n");
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
          problem: `cannot serve metrics on port ${port}: ${error.message}`,
          fix: "choose another port with --metrics-port, or 0 for none",
        }),
      ),
    );
    server.listen(port, resolve);
  });
  return { close: () => server.close() };
}
