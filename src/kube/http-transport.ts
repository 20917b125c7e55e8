/** The Transport over HTTP: keep-alive connections, JSON bodies, watches split into lines. */
import http from "node:http";
import https from "node:https";
import type { Status } from "../api/status.ts";
import { ApiError } from "../api/status.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
  WatchEvent,
} from "../runtime/transport.ts";
import type { ClusterAccess } from "./access.ts";
import type { Credential } from "./credentials.ts";

export interface HttpTransport extends Transport {
  /** Closes idle connections; requests under way end with an error. */
  close(): void;
}

export interface HttpTransportOptions {
  readonly userAgent?: string;
  /** A connection that is silent for this long in the middle of a request is taken for dead; watches may be silent. */
  readonly silenceLimitMs?: number;
}

const defaultSilenceLimitMs = 60_000;

export function httpTransport(
  access: ClusterAccess,
  { userAgent = "lockstep", silenceLimitMs = defaultSilenceLimitMs }: HttpTransportOptions = {},
): HttpTransport {
  const secure = access.server.protocol === "https:";
  const options = { keepAlive: true, keepAliveMsecs: 15_000, maxSockets: 64, ...access.tls };
  const agent = secure ? new https.Agent(options) : new http.Agent(options);

  async function open(request: TransportRequest): Promise<http.IncomingMessage> {
    const credential = await access.credentials.current();
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const outgoing = (secure ? https : http).request({
      agent,
      ...addressOf(access.server),
      method: request.method,
      path: access.server.pathname.replace(/\/$/, "") + request.path + queryString(request.query),
      headers: {
        "user-agent": userAgent,
        ...access.headers,
        ...requestHeaders(request, body, credential),
      },
      signal: request.signal,
      ...(credential.clientCertificate === undefined
        ? {}
        : { cert: credential.clientCertificate, key: credential.clientKey }),
    });
    outgoing.setTimeout(silenceLimitMs, () => {
      const seconds = silenceLimitMs / 1000;
      outgoing.destroy(new Error(`no answer from ${access.server.host} for ${seconds} s`));
    });
    return new Promise((resolve, reject) => {
      outgoing.on("response", resolve);
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }

  async function openFresh(request: TransportRequest): Promise<http.IncomingMessage> {
    const first = await open(request);
    if (first.statusCode !== 401) return first;
    first.resume();
    access.credentials.invalidate();
    return open(request);
  }

  return {
    async request(request) {
      const incoming = await openFresh(request);
      return respond(incoming, await readAll(incoming));
    },
    async stream(request, onEvent) {
      const incoming = await openFresh(request);
      if (incoming.statusCode !== 200) {
        throw new ApiError(statusOf(respond(incoming, await readAll(incoming))));
      }
      // From here on silence is normal; whoever watches knows how long it may last.
      incoming.setTimeout(0);
      await readEvents(incoming, onEvent, request.signal);
    },
    close: () => agent.destroy(),
  };
}

function addressOf(server: URL): { host: string; port: string | number } {
  const standardPort = server.protocol === "https:" ? 443 : 80;
  return {
    host: server.hostname.replace(/^\[|\]$/g, ""),
    port: server.port === "" ? standardPort : server.port,
  };
}

function requestHeaders(
  request: TransportRequest,
  body: string | undefined,
  credential: Credential,
): Record<string, string> {
  const headers: Record<string, string> = { accept: request.accept ?? "application/json" };
  if (credential.authorization !== undefined) headers["authorization"] = credential.authorization;
  if (body === undefined) return headers;
  headers["content-type"] = request.contentType ?? "application/json";
  headers["content-length"] = Buffer.byteLength(body).toString();
  return headers;
}

function queryString(query: TransportRequest["query"]): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
}

async function readAll(incoming: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function respond(incoming: http.IncomingMessage, text: string): TransportResponse {
  const isJson = (incoming.headers["content-type"] ?? "").includes("json");
  return {
    status: incoming.statusCode ?? 0,
    warnings: warningsOf(incoming),
    body: isJson && text !== "" ? (JSON.parse(text) as unknown) : text,
  };
}

/** `299 - "text"`, quotes escaped; one header line may carry several, Node.js joins them by a comma. */
export function warningsOf(incoming: Pick<http.IncomingMessage, "headers">): string[] {
  const header = incoming.headers["warning"];
  if (typeof header !== "string") return [];
  const quoted = /299 \S+ "((?:[^"\\]|\\.)*)"/g;
  return [...header.matchAll(quoted)].map((match) => (match[1] ?? "").replace(/\\(.)/g, "$1"));
}

function statusOf({ status, body }: TransportResponse): Status {
  if (typeof body === "object" && body !== null) return body as Status;
  const message = typeof body === "string" && body !== "" ? body.trim() : `HTTP status ${status}`;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    code: status,
  };
}

async function readEvents(
  incoming: http.IncomingMessage,
  onEvent: (event: WatchEvent) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  incoming.setEncoding("utf8");
  let rest = "";
  const take = (chunk: string): void => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") onEvent(JSON.parse(line) as WatchEvent);
  };
  try {
    for await (const chunk of incoming) take(chunk as string);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}
