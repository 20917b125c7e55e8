/** The server on real sockets: what the in-process transport cannot show. */
import { request } from "node:http";
import { request as tlsRequest } from "node:https";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../runtime/system-clock.ts";
import { laxConfigMaps, laxNamespaces, laxPods } from "../../../test/builders/served-resource.ts";
import type { ApiServer } from "../api-server.ts";
import { createApiServer } from "../api-server.ts";
import type { Listening, ListenOptions } from "./listener.ts";

let server: ApiServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function listening(options: ListenOptions = {}): Promise<Listening> {
  const resources = [laxNamespaces, laxConfigMaps, laxPods];
  server = createApiServer({ clock: systemClock(), resources });
  return server.listen(options);
}

const objects = "/api/v1/namespaces/default/configmaps";
const body = (value: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

test("objects are written and read as JSON, lists with their type first", async () => {
  const { url } = await listening();
  const created = await fetch(
    `${url}${objects}`,
    body({ metadata: { name: "a" }, data: { k: "v" } }),
  );
  expect(created.status).toBe(201);
  const list = await (await fetch(`${url}${objects}`)).text();
  expect(list).toMatch(
    /^\{"kind":"ConfigMapList","apiVersion":"v1","metadata":\{"resourceVersion":"\d+"\},"items":\[/,
  );
  expect(JSON.parse(list)).toMatchObject({
    items: [{ metadata: { name: "a" }, data: { k: "v" } }],
  });
});

const refusals: Record<string, { path: string; init?: RequestInit; status: number; text: string }> =
  {
    "an unknown path is plain text": {
      path: "/nowhere",
      status: 404,
      text: "404 page not found\n",
    },
    "an unknown group is plain text": {
      path: "/apis/a.b/v1",
      status: 404,
      text: "404 page not found\n",
    },
    "an unknown resource of a known group is a Status": {
      path: "/api/v1/unknowns",
      status: 404,
      text: "the server could not find the requested resource",
    },
    "what needs containers says that there are none": {
      path: "/api/v1/namespaces/default/pods/web-0/log",
      status: 404,
      text: "its events say what it does: kubectl describe pod web-0",
    },
    "protobuf that is none is refused": {
      path: objects,
      init: {
        method: "POST",
        headers: { "content-type": "application/vnd.kubernetes.protobuf" },
        body: "k8s",
      },
      status: 400,
      text: "provided data does not appear to be a protobuf message",
    },
    "unacceptable answers are refused": {
      path: objects,
      init: { headers: { accept: "text/html" } },
      status: 406,
      text: "NotAcceptable",
    },
    "deep JSON is refused": {
      path: objects,
      init: { ...body({}), body: `{"metadata":${"[".repeat(20_000)}${"]".repeat(20_000)}}` },
      status: 400,
      text: "BadRequest",
    },
    "a body beyond 3 MiB is refused": {
      path: objects,
      init: body({ data: "x".repeat(3 * 1024 * 1024) }),
      status: 413,
      text: "Request entity too large: limit is 3145728",
    },
    "a URL without end is refused": {
      path: `/api/${"x".repeat(17_000)}`,
      status: 414,
      text: "URL",
    },
  };

test.each(Object.entries(refusals))("%s", async (_rule, { path, init, status, text }) => {
  const { url } = await listening();
  const response = await fetch(`${url}${path}`, init);
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(text);
});

test("keys that mean something to JavaScript are just keys", async () => {
  const { url } = await listening();
  const init = {
    ...body({}),
    body: '{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}',
  };
  await fetch(`${url}${objects}`, init);
  const stored: unknown = await (await fetch(`${url}${objects}/a`)).json();
  expect(JSON.stringify(stored)).toContain('"data":{"__proto__":"x","constructor":"y"}');
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

test("only the right token gives access, except to health checks", async () => {
  const { url } = await listening({ token: "secret" });
  const status = async (path: string, authorization?: string): Promise<number> =>
    (await fetch(`${url}${path}`, authorization ? { headers: { authorization } } : {})).status;
  expect(await status("/version")).toBe(401);
  expect(await status("/version", "Bearer wrong")).toBe(401);
  expect(await status("/version", "Bearer secret")).toBe(200);
  expect(await status("/readyz")).toBe(200);
});

test("the word before the token may be written in any case", async () => {
  const { url } = await listening({ token: "secret" });
  const status = async (authorization: string): Promise<number> =>
    (await fetch(`${url}/version`, { headers: { authorization } })).status;
  expect(await status("bearer secret")).toBe(200);
  expect(await status("BEARER secret")).toBe(200);
  expect(await status("basic secret")).toBe(401);
  expect(await status("bearer")).toBe(401);
});

const manyKeys = Array.from({ length: 20_000 }, (_, index) => `key${index}: v\n`).join("");

test.each(["/healthz", "/livez", "/readyz"])(
  "anyone may ask for %s, and nothing that is sent along is read",
  async (path) => {
    const { url } = await listening({ token: "secret" });
    const headers = { "content-type": "application/yaml" };
    // Broken YAML, and far more than any body may have: neither matters.
    for (const sent of [manyKeys, "[", "x".repeat(5 * 1024 * 1024)]) {
      const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: sent });
      expect(`${answer.status} ${await answer.text()}`).toBe("200 ok");
    }
  },
);

test("a body without the token is not read", async () => {
  const { url } = await listening({ token: "secret" });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { "content-type": "application/yaml", "content-length": manyKeys.length };
    const asked = request(`${url}${objects}`, { method: "POST", headers }, (response) => {
      resolve(response.statusCode);
      asked.destroy();
    });
    // The body is never finished: an answer shows that nobody waited for it.
    asked.on("error", reject).write("a: ");
  });
  expect(status).toBe(401);
});

test("YAML of many keys is read in time that grows with their number", async () => {
  const { url } = await listening();
  const sent = `metadata: {name: a}\ndata:\n${manyKeys.replaceAll(/^/gm, "  ").trimEnd()}\n`;
  const headers = { "content-type": "application/yaml" };
  const answer = await fetch(`${url}${objects}`, { method: "POST", headers, body: sent });
  expect(answer.status).toBe(201);
}, 20_000);

test("YAML above half a mebibyte is refused, and JSON is proposed", async () => {
  const { url } = await listening();
  const headers = { "content-type": "application/yaml" };
  const sent = `# ${"x".repeat(600 * 1024)}`;
  const answer = await fetch(`${url}${objects}`, { method: "POST", headers, body: sent });
  expect(answer.status).toBe(413);
  expect(await answer.text()).toContain("limit of YAML is 524288, send JSON");
});

test("warnings end where clients could not read the headers any more", async () => {
  const { url } = await listening();
  const unknown = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`unknown${i}`, 1]));
  const init = body({ metadata: { name: "a" }, ...unknown });
  const answer = await fetch(`${url}${objects}`, init);
  expect(answer.status).toBe(201);
  expect((answer.headers.get("warning") ?? "").length).toBeLessThan(8192);
});

test("a client that trusts the certificate reaches the server over TLS", async () => {
  const { url, certificate } = await listening({ tls: true });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    tlsRequest(`${url}/version`, { ca: certificate, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(200);
});

test("a watch streams one event per line and ends when the server stops", async () => {
  const { url } = await listening();
  const lines = await new Promise<string[]>((resolve, reject) => {
    let text = "";
    request(`${url}${objects}?watch=1`, (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.includes("\n")) void server?.stop();
      });
      response.on("end", () => resolve(text.trim().split("\n")));
      void fetch(`${url}${objects}`, body({ metadata: { name: "a" } }));
    })
      .on("error", reject)
      .end();
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\{"type":"ADDED","object":\{"kind":"ConfigMap","apiVersion":"v1",/);
});

test("a watch ends when its client has closed its half of the connection", async () => {
  const { port } = await listening();
  const socket = connect(port, "127.0.0.1");
  const received = new Promise<string>((resolve, reject) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
      if (text.includes("200 OK")) socket.end();
    });
    socket.on("end", () => resolve(text)).on("error", reject);
  });
  socket.write(`GET ${objects}?watch=1 HTTP/1.1\r\nhost: x\r\n\r\n`);
  expect(await received).toContain("200 OK");
});

test("clients that never finish a request hold up nobody, and not the end of the server either", async () => {
  const { url, port } = await listening();
  const unfinished = [
    "",
    "GET /api",
    `GET ${objects} HTTP/1.1\r\nhost: x\r\nx-slow: `,
    `POST ${objects} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"a`,
    `POST ${objects} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{`,
  ];
  const slow = Array.from({ length: 300 }, (_, at) => {
    const socket = connect(port, "127.0.0.1");
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    const begun = new Promise<void>((resolve) =>
      socket.on("error", () => undefined).write(unfinished[at % 5] ?? "", () => resolve()),
    );
    return { begun, closed };
  });
  await Promise.all(slow.map(({ begun }) => begun));
  expect((await fetch(`${url}${objects}`)).status).toBe(200);
  await server?.stop();
  await Promise.all(slow.map(({ closed }) => closed));
});
