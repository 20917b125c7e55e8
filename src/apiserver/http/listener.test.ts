/** The server on real sockets: what the in-process transport cannot show. */
import { request } from "node:http";
import { request as tlsRequest } from "node:https";
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
    "protobuf is refused": {
      path: objects,
      init: {
        method: "POST",
        headers: { "content-type": "application/vnd.kubernetes.protobuf" },
        body: "k8s",
      },
      status: 415,
      text: "UnsupportedMediaType",
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
