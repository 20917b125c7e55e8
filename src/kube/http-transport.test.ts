/** What a bad network does to requests and watches: each ends, says why, and nothing half is taken for whole. */
import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { WatchEvent } from "../runtime/transport.ts";
import { fixedHeader } from "./credentials.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import { httpTransport } from "./http-transport.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A server that does to each connection, once something was asked, whatever a test says. */
async function through(
  answer: (socket: Socket, asked: string) => void,
  options: HttpTransportOptions = {},
) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("data", (asked) => answer(socket, String(asked)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const access = {
    server: new URL(`http://127.0.0.1:${port}`),
    tls: {},
    credentials: fixedHeader("Bearer x"),
    namespace: "default",
    origin: "a test",
  };
  const transport = httpTransport(access, options);
  cleanups.push(
    () => transport.close(),
    () => server.close(),
    () => sockets.forEach((socket) => socket.destroy()),
  );
  return transport;
}

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const get = { method: "GET", path: "/api/v1/pods" } as const;
const watch = { ...get, query: { watch: "true" } } as const;
const object = { metadata: { name: "a", resourceVersion: "1" } };
const line = `${JSON.stringify({ type: "ADDED", object })}\n`;

/** One byte every few milliseconds, for ever. */
function drip(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 5);
  socket.once("close", () => clearInterval(timer));
}

const drops: Record<string, (socket: Socket) => void> = {
  "a body that comes in drops": (socket) => {
    socket.write(`${head}content-length: 999999\r\n\r\n`);
    drip(socket, "[");
  },
  "headers that come in drops": (socket) => {
    socket.write(`${head}x-slow: `);
    drip(socket, "x");
  },
};

test.each(Object.entries(drops))("%s: given up, and named", async (_what, answer) => {
  const transport = await through(answer, { answerLimitMs: 150 });
  await expect(transport.request(get)).rejects.toThrow(
    "the answer from 127.0.0.1 took longer than 0.15 s",
  );
});

test("a server that says nothing is given up, and named", async () => {
  const transport = await through(() => undefined, { silenceLimitMs: 100 });
  await expect(transport.request(get)).rejects.toThrow("no answer from 127.0.0.1 for 0.1 s");
});

const halves: Record<string, readonly [text: string, problem: RegExp]> = {
  "a list that is cut off": [
    `${head}content-length: 99\r\n\r\n{"items":[]}`,
    /closed in the middle of an answer|aborted/,
  ],
  "a chunk that is cut off": [
    `${head}transfer-encoding: chunked\r\n\r\nff\r\n{"items":[]}`,
    /closed in the middle of an answer|aborted/,
  ],
  "something else than HTTP": ["SSH-2.0-OpenSSH_9.6\r\n", /Parse Error/],
  "nothing at all": ["", /socket hang up/],
  "a page that is no JSON": [`${head}content-length: 6\r\n\r\n<html>`, /JSON/],
};

test.each(Object.entries(halves))("%s is no answer", async (_what, [text, problem]) => {
  const transport = await through((socket) => socket.end(text));
  await expect(transport.request(get)).rejects.toThrow(problem);
});

test("a watch outlasts the limit of an answer, and ends in order when its server ends it", async () => {
  const transport = await through(
    (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      setTimeout(() => socket.end(`${chunk(line)}0\r\n\r\n`), 300);
    },
    { answerLimitMs: 100, silenceLimitMs: 100 },
  );
  const seen: WatchEvent[] = [];
  await transport.stream(watch, (event) => seen.push(event));
  expect(seen).toEqual([{ type: "ADDED", object }]);
});

const brokenWatches: Record<string, string> = {
  "a line that is no JSON": chunk("{]\n"),
  "a connection that is closed in the middle of a line": chunk(line.slice(0, 10)),
};

test.each(Object.entries(brokenWatches))(
  "a watch is broken by %s, and what came before counts",
  async (_what, text) => {
    const transport = await through((socket) =>
      socket.end(`${head}transfer-encoding: chunked\r\n\r\n${chunk(line)}${text}`),
    );
    const seen: WatchEvent[] = [];
    await expect(transport.stream(watch, (event) => seen.push(event))).rejects.toThrow(
      /JSON|closed in the middle of an answer|aborted/,
    );
    expect(seen).toHaveLength(1);
  },
);

test("however many watches are open, a request does not wait for one to end", async () => {
  let watches = 0;
  const transport = await through((socket, asked) => {
    const isWatch = asked.includes("watch=");
    if (isWatch) watches++;
    const rest = isWatch ? "transfer-encoding: chunked\r\n\r\n" : "content-length: 2\r\n\r\n{}";
    socket.write(`${head}${rest}`);
  });
  const stopping = new AbortController();
  const open = Array.from({ length: 100 }, () =>
    transport.stream({ ...watch, signal: stopping.signal }, () => undefined),
  );
  expect((await transport.request(get)).body).toEqual({});
  await expect.poll(() => watches).toBe(100);
  stopping.abort();
  await Promise.all(open);
});
