/** An HTTP client that hides nothing: status codes, headers, bodies and watch lines as received. */
import type { IncomingMessage } from "node:http";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { ApiEndpoint } from "./endpoint.ts";
import type { Json } from "./json.ts";
import type { WatchStream } from "./watch-stream.ts";
import { watchStream } from "./watch-stream.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  /** The decoded body, or `{}` where it is not JSON. */
  readonly body: Json;
  /** Texts of the `Warning: 299` headers. */
  readonly warnings: readonly string[];
}

export interface Ask {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A value to encode as JSON, or text to send as it is. */
  readonly body?: unknown;
}

export type PatchType = "json" | "merge" | "strategic";

const patchTypes: Record<PatchType, string> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

export interface ContractClient {
  send(method: string, path: string, ask?: Ask): Promise<Answer>;
  get(path: string, query?: Ask["query"], headers?: Ask["headers"]): Promise<Answer>;
  post(path: string, body: unknown, query?: Ask["query"]): Promise<Answer>;
  put(path: string, body: unknown, query?: Ask["query"]): Promise<Answer>;
  patch(type: PatchType, path: string, body: unknown, query?: Ask["query"]): Promise<Answer>;
  delete(path: string, body?: unknown, query?: Ask["query"]): Promise<Answer>;
  watch(path: string, query?: Ask["query"], headers?: Ask["headers"]): Promise<WatchStream>;
  /** Ends idle connections and open watches. */
  close(): void;
}

export function contractClient(endpoint: ApiEndpoint): ContractClient {
  const agent = endpoint.url.startsWith("https:")
    ? new HttpsAgent({ keepAlive: true, ca: endpoint.ca })
    : new HttpAgent({ keepAlive: true });

  const send = async (method: string, path: string, ask: Ask = {}): Promise<Answer> =>
    readAnswer(await exchange(endpoint, agent, method, path, ask));

  return {
    send,
    get: (path, query, headers) => send("GET", path, { query, headers }),
    post: (path, body, query) => send("POST", path, { body, query }),
    put: (path, body, query) => send("PUT", path, { body, query }),
    patch: (type, path, body, query) =>
      send("PATCH", path, { body, query, headers: { "content-type": patchTypes[type] } }),
    delete: (path, body, query) => send("DELETE", path, { body, query }),
    async watch(path, query, headers) {
      const ask = { query: { watch: true, ...query }, headers };
      return watchStream(await exchange(endpoint, agent, "GET", path, ask));
    },
    close: () => agent.destroy(),
  };
}

function exchange(
  endpoint: ApiEndpoint,
  agent: HttpAgent | HttpsAgent,
  method: string,
  path: string,
  { query = {}, headers = {}, body }: Ask,
): Promise<IncomingMessage> {
  const target = new URL(endpoint.url + path);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value));
  const payload = typeof body === "string" ? body : JSON.stringify(body);
  const options = {
    method,
    agent,
    headers: {
      authorization: `Bearer ${endpoint.token}`,
      accept: "application/json",
      ...(payload === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
      ...headers,
    },
  };
  const request = target.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(target, options, resolve);
    sent.on("error", reject);
    sent.end(payload);
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    body: decoded(text),
    warnings: warningTexts(response.rawHeaders),
  };
}

function decoded(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

function warningTexts(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1 || name.toLowerCase() !== "warning") return [];
    const quoted = /^299 \S+ (".*")/.exec(rawHeaders[index + 1] ?? "");
    return quoted?.[1] === undefined ? [] : [JSON.parse(quoted[1]) as string];
  });
}
