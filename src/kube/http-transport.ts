/** The Transport over HTTP: keep-alive connections, JSON bodies, watches split into lines. */
import http from "node:http";
import https from "node:https";
import { canonicalJson } from "../api/canonical-json.ts";
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
  /** Closes idle connections; requests in flight end with an error. */
  close(): void;
}

export interface HttpTransportOptions {
  readonly userAgent?: string;
  /** A connection that is silent for this long in the middle of a request counts as dead; watches may be silent. */
  readonly silenceLimitMs?: number;
  /** So long may an answer take in all: one that comes in drops would hold up its object for ever. Watches may last. */
  readonly answerLimitMs?: number;
}

const defaultSilenceLimitMs = 60_000;
/** API servers give up after half of it. */
const defaultAnswerLimitMs = 120_000;

export function httpTransport(
  access: ClusterAccess,
  {
    userAgent = "lockstep",
    silenceLimitMs = defaultSilenceLimitMs,
    answerLimitMs = defaultAnswerLimitMs,
  }: HttpTransportOptions = {},
): HttpTransport {
  const requests = agentFor(access, { timeout: silenceLimitMs, maxSockets: 64 });
  // A watch keeps its connection: however many there are, none may wait for another, and no request for them.
  const streams = agentFor(access, { timeout: silenceLimitMs });
  const address = addressOf(access.server);
  const fixedHeaders = headerLines({
    host: access.server.host,
    "user-agent": userAgent,
    ...access.headers,
  });
  const prefix = access.server.pathname.replace(/\/$/, "");
  const { request: start } = access.server.protocol === "https:" ? https : http;

  async function open(request: TransportRequest, isStream: boolean) {
    const credential = await access.credentials.current();
    const body = bodyOf(request);
    const outgoing = start({
      agent: isStream ? streams : requests,
      ...address,
      method: request.method,
      path: prefix + request.path + queryString(request.query),
      headers: [...fixedHeaders, ...headerLines(requestHeaders(request, body, credential))],
      signal: request.signal,
      timeout: silenceLimitMs,
      ...certificateOf(credential),
    });
    limitAnswer(outgoing, { silenceLimitMs, answerLimitMs, isStream });
    return answerTo(outgoing, body);
  }

  async function openFresh(request: TransportRequest, isStream = false) {
    const first = await open(request, isStream);
    if (first.statusCode !== 401) return first;
    first.resume();
    access.credentials.invalidate();
    return open(request, isStream);
  }

  return {
    async request(request) {
      const incoming = await openFresh(request);
      return respond(incoming, await readAll(incoming));
    },
    async stream(request, onEvent) {
      const incoming = await openFresh(request, true);
      if (incoming.statusCode !== 200) {
        throw new ApiError(statusOf(respond(incoming, await readAll(incoming))));
      }
      // From here on silence is normal; the watcher knows how long it may last.
      incoming.setTimeout(0);
      await readEvents(incoming, onEvent, request.signal);
    },
    close: () => {
      requests.destroy();
      streams.destroy();
    },
  };
}

const answerTo = (
  outgoing: http.ClientRequest,
  body: string | undefined,
): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });

interface AnswerLimits {
  readonly silenceLimitMs: number;
  readonly answerLimitMs: number;
  readonly isStream: boolean;
}

function limitAnswer(
  outgoing: http.ClientRequest,
  { silenceLimitMs, answerLimitMs, isStream }: AnswerLimits,
): void {
  outgoing.on("timeout", () => {
    outgoing.destroy(new Error(`no answer from ${outgoing.host} for ${silenceLimitMs / 1000} s`));
  });
  let answer: http.IncomingMessage | undefined;
  const timer = setTimeout(() => {
    const problem = `the answer from ${outgoing.host} took longer than ${answerLimitMs / 1000} s`;
    (answer ?? outgoing).destroy(new Error(problem));
  }, answerLimitMs);
  outgoing.on("close", () => clearTimeout(timer));
  outgoing.on("response", (incoming) => {
    answer = incoming;
    if (isStream && incoming.statusCode === 200) clearTimeout(timer);
  });
}

function bodyOf({ body, isCanonical }: TransportRequest): string | undefined {
  if (body === undefined) return undefined;
  return isCanonical === true ? canonicalJson(body) : JSON.stringify(body);
}

/** Connections of one agent differ only in the certificate that a plugin may have returned. */
function agentFor(access: ClusterAccess, limits: http.AgentOptions): http.Agent {
  const options = { keepAlive: true, keepAliveMsecs: 15_000, ...limits };
  if (access.server.protocol !== "https:") return new http.Agent(options);
  const agent = new https.Agent({ ...options, ...access.tls });
  // The default name of Node.js contains every certificate, and is computed several times per request.
  agent.getName = ({ cert } = {}) => (cert === access.tls.cert ? "" : String(cert));
  return agent;
}

const certificateOf = ({ clientCertificate, clientKey }: Credential): https.RequestOptions =>
  clientCertificate === undefined ? {} : { cert: clientCertificate, key: clientKey };

function addressOf(server: URL): { host: string; port: string | number } {
  const standardPort = server.protocol === "https:" ? 443 : 80;
  return {
    host: server.hostname.replace(/^\[|\]$/g, ""),
    port: server.port === "" ? standardPort : server.port,
  };
}

/** Name, value, name, value: as sent over the wire, so that headers need no further processing. */
function headerLines(headers: NonNullable<ClusterAccess["headers"]>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [name, value] : value.flatMap((each) => [name, each]),
  );
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

function queryString(query: TransportRequest["query"] = {}): string {
  for (const _name in query) return `?${new URLSearchParams(query).toString()}`;
  return "";
}

/** Uses events, because an async iterator costs more than reading most answers. */
function readAll(incoming: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    incoming.on("error", reject);
    incoming.on("close", () => incoming.complete || reject(cutOff()));
  });
}

/** Has no effect after another error. */
const cutOff = (): Error => new Error("the connection was closed in the middle of an answer");

function respond(incoming: http.IncomingMessage, text: string): TransportResponse {
  const isJson = (incoming.headers["content-type"] ?? "").includes("json");
  return {
    status: incoming.statusCode ?? 0,
    warnings: warningsOf(incoming),
    body: isJson && text !== "" ? (JSON.parse(text) as unknown) : text,
    ...retryAfter(incoming),
  };
}

/** In seconds; the form with a date is for browsers. */
function retryAfter({ headers }: http.IncomingMessage): { retryAfterSeconds?: number } {
  const text = headers["retry-after"] ?? "";
  return /^[0-9]{1,9}$/.test(text) ? { retryAfterSeconds: Number(text) } : {};
}

/** `299 - "text"`, quotes escaped; one header line may contain several, joined by commas in Node.js. */
export function warningsOf(incoming: Pick<http.IncomingMessage, "headers">): string[] {
  const header = incoming.headers["warning"];
  if (typeof header !== "string") return [];
  const quoted = /299 \S+ "((?:[^"\\]|\\.)*)"/g;
  return [...header.matchAll(quoted)].map((match) => (match[1] ?? "").replace(/\\(.)/g, "$1"));
}

function statusOf({ status, body, retryAfterSeconds }: TransportResponse): Status {
  if (typeof body === "object" && body !== null) return body as Status;
  const message = typeof body === "string" && body !== "" ? body.trim() : `HTTP status ${status}`;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    code: status,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  };
}

function readEvents(
  incoming: http.IncomingMessage,
  onEvent: (event: WatchEvent) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  let rest = "";
  const take = (chunk: string): void => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") onEvent(JSON.parse(line) as WatchEvent);
  };
  incoming.setEncoding("utf8");
  return new Promise((resolve, reject) => {
    incoming.on("data", (chunk: string) => {
      try {
        take(chunk);
      } catch (error) {
        incoming.destroy(error as Error);
      }
    });
    const fail = (error: Error): void => (signal?.aborted === true ? resolve() : reject(error));
    incoming.on("end", resolve);
    incoming.on("error", fail);
    incoming.on("close", () => incoming.complete || fail(cutOff()));
  });
}
