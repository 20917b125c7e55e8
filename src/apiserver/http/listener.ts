/** The server on a socket: loopback, http or https, a bearer token, and limits on what clients may send. */
import { timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import type { Method } from "../../runtime/transport.ts";
import { ApiError } from "../../api/status.ts";
import type { Clock } from "../../runtime/clock.ts";
import { entityTooLarge, failure, internalError, methodNotAllowed } from "../errors.ts";
import type { AnsweringServer } from "../in-process-transport.ts";
import { answerValue } from "../request.ts";
import type { Answer, ApiRequest } from "../request.ts";
import { selfSignedCertificate } from "./certificate.ts";
import { EventEncoder, encodeAnswer, encodedList } from "./encode.ts";
import { isYaml, maxBodyBytes, maxYamlBytes, parseBody, readBody } from "./read-body.ts";
import type { OpenStream } from "./watch-response.ts";
import { respondWithWatch } from "./watch-response.ts";

export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Clients must send it as a bearer token; without one, everyone on this machine has access. */
  readonly token?: string;
  readonly tls?: boolean;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** PEM of the certificate clients should trust, with tls. */
  readonly certificate: string | undefined;
  stop(): Promise<void>;
}

const maxUrlLength = 16 * 1024;
const limits = { maxHeaderSize: 32 * 1024, headersTimeout: 20_000, requestTimeout: 60_000 };

/** How long a connection may stay open without a request; clients keep theirs for about a minute. */
const idleMs = 75_000;

/** A watch without a timeout of its own ends after half an hour, as clients expect. */
const watchSeconds = 1800;

export async function listen(
  server: AnsweringServer,
  clock: Clock,
  options: ListenOptions = {},
): Promise<Listening> {
  const { host = "127.0.0.1", port = 0, tls = false } = options;
  const streams = new Set<OpenStream>();
  const encoder = new EventEncoder();
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    void respond({ server, options, streams, encoder }, message, response);
  };
  const identity = tls ? selfSignedCertificate(clock.now(), [host]) : undefined;
  const listener: Server =
    identity === undefined
      ? createServer({ ...limits, keepAliveTimeout: idleMs }, onRequest)
      : createTlsServer({ ...limits, ...identity, keepAliveTimeout: idleMs }, onRequest);
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(port, host, resolve);
  });
  const address = listener.address() as AddressInfo;
  const scheme = tls ? "https" : "http";
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    url: `${scheme}://${shownHost}:${address.port}`,
    port: address.port,
    certificate: identity?.cert,
    stop: () => stop(listener, streams),
  };
}

function stop(listener: Server, streams: ReadonlySet<OpenStream>): Promise<void> {
  return new Promise((resolve) => {
    listener.close(() => resolve());
    for (const stream of streams) stream.end();
    // All requests have been answered; the remaining connections are idle or were still sending.
    setImmediate(() => listener.closeAllConnections());
  });
}

interface Serving {
  readonly server: AnsweringServer;
  readonly options: ListenOptions;
  readonly streams: Set<OpenStream>;
  readonly encoder: EventEncoder;
}

async function respond(
  serving: Serving,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const answer = await answerTo(serving, message);
    if (answer.body.type !== "watch") return send(message, response, answer);
    const { plan } = answer.body;
    const timeoutSeconds = plan.timeoutSeconds ?? watchSeconds;
    const timed = { ...plan, timeoutSeconds };
    warn(response, answer);
    const stream = respondWithWatch(serving.server, response, timed, serving.encoder);
    serving.streams.add(stream);
    response.once("close", () => serving.streams.delete(stream));
  } catch (error) {
    const refused = error instanceof ApiError ? error : internalError(String(error));
    if (response.headersSent) response.destroy();
    else send(message, response, answerValue(refused.status, refused.status.code));
  }
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const openPaths = ["/healthz", "/livez", "/readyz"];

async function answerTo({ server, options }: Serving, message: IncomingMessage): Promise<Answer> {
  const target = message.url ?? "/";
  if (target.length > maxUrlLength) throw urlTooLong();
  const { path, query } = split(target);
  const { method = "GET" } = message;
  if (openPaths.includes(path)) {
    if (!methods.includes(method)) throw methodNotAllowed();
    // Anyone may ask, so nothing of what is sent along is read.
    return server.answer({ method: method as Method, path, query });
  }
  authenticate(message, options.token);
  if (!methods.includes(method)) throw methodNotAllowed();
  const bytes = await readBody(message);
  if (bytes === undefined) {
    throw entityTooLarge(`Request entity too large: limit is ${maxBodyBytes}`);
  }
  const contentType = message.headers["content-type"];
  if (bytes.length > maxYamlBytes && isYaml(contentType)) {
    throw entityTooLarge(`Request entity too large: limit of YAML is ${maxYamlBytes}, send JSON`);
  }
  const { accept } = message.headers;
  const head = { method: method as Method, path, query, contentType, accept };
  const request: ApiRequest = { ...head, ...parseBody(bytes, contentType) };
  return server.answer(request);
}

function split(target: string): Pick<ApiRequest, "path" | "query"> {
  const mark = target.indexOf("?");
  if (mark === -1) return { path: target, query: {} };
  // Of a parameter that is given twice the first counts.
  const parameters = [...new URLSearchParams(target.slice(mark + 1))].toReversed();
  const query = Object.fromEntries(parameters);
  return { path: target.slice(0, mark), query };
}

function authenticate({ headers }: IncomingMessage, token: string | undefined): void {
  if (token === undefined) return;
  const [scheme = "", presented = ""] = (headers.authorization ?? "").split(" ");
  const given = Buffer.from(scheme.toLowerCase() === "bearer" ? presented : "", "utf8");
  const wanted = Buffer.from(token, "utf8");
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw failure({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
}

function urlTooLong(): ApiError {
  const message = `the URL is longer than ${maxUrlLength} characters`;
  return failure({ code: 414, reason: "RequestURITooLong", message });
}

/** Longer lists are sent in chunks, as fast as the client reads them. */
const longList = 100;
const uncached = { "cache-control": "no-cache, private" };

function send(message: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const plain = isPretty(message.url ?? "") ? "pretty" : "json";
  const format = wantsYaml(message.headers.accept) ? "yaml" : plain;
  warn(response, answer);
  const { body } = answer;
  if (body.type === "list" && format === "json" && body.objects.length > longList) {
    response.writeHead(answer.status, { "content-type": "application/json", ...uncached });
    pipeline(Readable.from(encodedList(body)), response, () => undefined);
    return;
  }
  const { contentType, text } = encodeAnswer(answer, format);
  response.writeHead(answer.status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(text),
    ...uncached,
    // A body that was not read to its end cannot be followed by another request.
    ...(message.complete ? {} : { connection: "close" }),
  });
  // Text is sent in one write together with the headers; bytes would take two.
  response.end(text);
}

/** As on a real server, so that an answer's headers stay small enough for clients to read. */
const mostWarningCharacters = 4096;

function warn(response: ServerResponse, { warnings }: Answer): void {
  let room = mostWarningCharacters;
  const shown = [...new Set(warnings)].filter((warning) => (room -= warning.length) >= 0);
  if (shown.length === 0) return;
  response.setHeader(
    "warning",
    shown.map((warning) => `299 - ${quotedHeader(warning)}`),
  );
}

function isPretty(target: string): boolean {
  return /[?&]pretty=(?:true|1)(?:&|$)/.test(target);
}

function wantsYaml(accept: string | undefined): boolean {
  return accept !== undefined && /^\s*application\/yaml\b/.test(accept);
}

function quotedHeader(text: string): string {
  const safe = text.replaceAll(/[^\u0020-\u007e]/g, "?");
  return `"${safe.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
