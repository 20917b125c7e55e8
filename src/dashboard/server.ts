/** The dashboard's own server: pages for everybody on this machine, data and actions only with the token. */
import { timingSafeEqual } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { DashboardApi } from "./api.ts";
import { TooManyUsers } from "./sessions.ts";

/** Who gets in. */
export type Door =
  /** Whoever has the address that was printed, with this token in it: all see and do the same. */
  | { readonly kind: "address"; readonly token: string; readonly api: DashboardApi }
  /** Whoever signs in with a token of the cluster, and gets what that token may have. */
  | {
      readonly kind: "login";
      readonly apiFor: (token: string) => Promise<DashboardApi | undefined>;
    };

export interface DashboardServerOptions {
  readonly host: string;
  readonly port: number;
  readonly door: Door;
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

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

const page = fileURLToPath(new URL("./page/", import.meta.url));

/** What is served, by its address: nothing that a request says becomes a path. */
const files = new Map(
  readdirSync(page)
    .filter((name) => extname(name).slice(1) in types)
    .map((name) => [name === "index.html" ? "/" : `/${name}`, name]),
);

export async function serveDashboard(options: DashboardServerOptions): Promise<DashboardServer> {
  const server = createServer((request, response) => {
    handle(options, request, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const status = error instanceof TooManyUsers ? 503 : 500;
      if (!response.headersSent) sendJson(response, status, { message });
      else response.end();
    });
  });
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}/${options.door.kind === "address" ? `#${options.door.token}` : ""}`,
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
  const url = addressOf(request);
  if (url === undefined) return sendJson(response, 400, { message: "the request has no address" });
  // A name that resolves to this machine must not make a page of its own out of ours.
  if (!isOwnHost(request, options)) return sendJson(response, 421, { message: "another host" });
  const file = files.get(url.pathname);
  if (file !== undefined && request.method === "GET") return sendFile(response, file);
  if (!url.pathname.startsWith("/api/")) return sendJson(response, 404, { message: "not found" });
  const api = await admitted(request, options.door);
  if (api === undefined) return sendJson(response, 401, refusals[options.door.kind]);
  if (isOtherSite(request)) return sendJson(response, 403, { message: "asked by another site" });
  if (url.pathname === "/api/stream") return stream(api, request, response, url);
  const body = request.method === "POST" ? await readJson(request) : undefined;
  if (body === tooLong) return sendJson(response, 413, { message: "the request is too long" });
  if (body === malformed) return sendJson(response, 400, { message: "the request is not JSON" });
  const answer = await api.answer({
    method: request.method ?? "GET",
    path: url.pathname.slice("/api/".length),
    query: url.searchParams,
    body,
  });
  return sendJson(response, answer.status, answer.body);
}

function addressOf({ url = "/" }: IncomingMessage): URL | undefined {
  return URL.canParse(url, "http://dashboard") ? new URL(url, "http://dashboard") : undefined;
}

function isOwnHost({ headers }: IncomingMessage, { host }: DashboardServerOptions): boolean {
  const isLocal = host === "127.0.0.1" || host === "::1" || host === "localhost";
  if (!isLocal) return true;
  const name = (headers.host ?? "").replace(/:\d+$/, "");
  return ["127.0.0.1", "localhost", "[::1]"].includes(name);
}

/** The token is what protects; a browser that says where a request comes from is believed besides. */
function isOtherSite({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  // What terminates TLS in front of the dashboard makes `https` of it.
  return origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
}

const refusals = {
  address: { message: "open the address that lockstep printed" },
  login: { message: "sign in with a token of the cluster", login: true },
} as const;

/** Longer than any token of a cluster, which are a few kilobytes. */
const longestToken = 16 * 1024;

async function admitted(
  { headers }: IncomingMessage,
  door: Door,
): Promise<DashboardApi | undefined> {
  const [scheme = "", given = ""] = (headers.authorization ?? "").split(" ");
  if (scheme.toLowerCase() !== "bearer" || given === "") return undefined;
  if (door.kind === "address") return isSame(given, door.token) ? door.api : undefined;
  return given.length > longestToken ? undefined : door.apiFor(given);
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function sendFile(response: ServerResponse, name: string): void {
  const type = types[extname(name).slice(1)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type }).end(readFileSync(join(page, name)));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const mostBytes = 64 * 1024;
const tooLong = Symbol("too long");
const malformed = Symbol("malformed");

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return tooLong;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as unknown;
  } catch {
    return malformed;
  }
}

/** A page that reads this much too slowly is cut off; it connects again by itself. */
const mostUnread = 16 * 1024 * 1024;

/** Server-sent events: the list, and the rollout that the page shows. */
async function stream(
  api: DashboardApi,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (event: string, data: unknown): void => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (response.writableLength > mostUnread) response.destroy();
  };
  let isClosed = false;
  request.once("close", () => (isClosed = true));
  const close = (): void => void response.end();
  const end = await api.follow(url.searchParams.get("rollout") ?? undefined, send, close);
  if (isClosed) end();
  else request.once("close", end);
}
