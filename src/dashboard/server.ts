/** The dashboard's own server: pages for everybody on this machine, data and actions only with the token. */
import { timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { DashboardApi } from "./api.ts";

export interface DashboardServerOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly api: DashboardApi;
}

export interface DashboardServer {
  /** With the token in the fragment, which browsers keep to themselves. */
  readonly url: string;
  close(): Promise<void>;
}

/** Nothing from anywhere else, nothing inline, nobody may frame it. */
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

const script = "text/javascript; charset=utf-8";

const files: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/connection.js": ["connection.js", script],
  "/drawing.js": ["drawing.js", script],
  "/dashboard.js": ["dashboard.js", script],
  "/dashboard.css": ["dashboard.css", "text/css; charset=utf-8"],
};

export async function serveDashboard(options: DashboardServerOptions): Promise<DashboardServer> {
  const server = createServer((request, response) => {
    handle(options, request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (!response.headersSent) sendJson(response, 500, { message });
      else response.end();
    });
  });
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}/#${options.token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, { host, port }: DashboardServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}

async function handle(
  options: DashboardServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  const url = new URL(request.url ?? "/", "http://dashboard");
  // A name that resolves to this machine must not make a page of its own out of ours.
  if (!isOwnHost(request, options)) return sendJson(response, 421, { message: "another host" });
  const file = files[url.pathname];
  if (file !== undefined && request.method === "GET") return sendFile(response, file);
  if (!url.pathname.startsWith("/api/")) return sendJson(response, 404, { message: "not found" });
  if (!isAuthorized(request, options.token)) {
    return sendJson(response, 401, { message: "open the address that lockstep printed" });
  }
  if (url.pathname === "/api/stream") return stream(options.api, request, response, url);
  const body = request.method === "POST" ? await readJson(request) : undefined;
  const answer = await options.api.answer({
    method: request.method ?? "GET",
    path: url.pathname.slice("/api/".length),
    query: url.searchParams,
    body,
  });
  return sendJson(response, answer.status, answer.body);
}

function isOwnHost({ headers }: IncomingMessage, { host }: DashboardServerOptions): boolean {
  const isLocal = host === "127.0.0.1" || host === "::1" || host === "localhost";
  if (!isLocal) return true;
  const name = (headers.host ?? "").replace(/:\d+$/, "");
  return ["127.0.0.1", "localhost", "[::1]"].includes(name);
}

function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  const [scheme = "", given = ""] = (headers.authorization ?? "").split(" ");
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return scheme.toLowerCase() === "bearer" && a.length === b.length && timingSafeEqual(a, b);
}

function sendFile(response: ServerResponse, [name, type]: readonly [string, string]): void {
  const path = fileURLToPath(new URL(`./page/${name}`, import.meta.url));
  response.writeHead(200, { "content-type": type }).end(readFileSync(path));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const mostBytes = 64 * 1024;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw new Error("the request is too long");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as unknown;
}

/** Server-sent events: the list, and the rollout that the page shows. */
async function stream(
  api: DashboardApi,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (event: string, data: unknown): void =>
    void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const end = await api.follow(url.searchParams.get("rollout") ?? undefined, send);
  request.once("close", end);
}
