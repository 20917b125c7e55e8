/**
 * Hostile requests and manifests neither kill nor hang the server, and leave nothing behind: two thousand of them here,
 * ten thousand in continuous integration, more with `LOCKSTEP_HOSTILE=1000000`, others with `LOCKSTEP_SEED=7`.
 */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { memoryStore } from "../../src/apiserver/store/memory-store.ts";
import { UserError } from "../../src/api/user-error.ts";
import { parseManifests } from "../../src/cli/manifests.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { Random } from "../../src/sim/random.ts";
import { seededRandom } from "../../src/sim/random.ts";
import type { HostileRequest } from "./hostile-requests.ts";
import { hostileObject, hostileRequest, samples, yamlText } from "./hostile-requests.ts";
import { hostileDefinition, mangled } from "./hostile-values.ts";

const total = Number(process.env["LOCKSTEP_HOSTILE"] ?? 2000);
const seed = Number(process.env["LOCKSTEP_SEED"] ?? 1);
const share = { requests: Math.ceil(total * 0.8), manifests: Math.ceil(total * 0.2) };

/** On a busy machine too; the attacks that this once found took minutes, or for ever. */
const longestMs = 10_000;

const slowMachineMs = 120_000;

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

function send(url: string, agent: Agent, hostile: HostileRequest): Promise<Answered> {
  const startedMs = performance.now();
  const { method, target, contentType, body } = hostile;
  const headers = {
    authorization: "Bearer hostile",
    "content-type": contentType,
    ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(new URL(url + target), { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      const finish = (): void => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, text, tookMs: performance.now() - startedMs });
      };
      // Nobody waits for a watch to end.
      if (target.includes("watch=1") && response.statusCode === 200) {
        finish();
        response.destroy();
        return;
      }
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", finish);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Bytes that are no HTTP, on a connection of their own. */
function sendBytes(port: number, random: Random): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.end(mangled(random, `POST /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n`));
    });
    socket.on("data", () => undefined);
    socket.on("close", () => resolve());
    socket.on("error", () => resolve());
    socket.setTimeout(1000, () => socket.destroy());
  });
}

const defectOfOurs =
  /Internal error occurred: (\w*Error|undefined|\[object)|call stack|is not a function/;

test(
  `${share.requests} hostile requests are answered, each in time, and leave nothing behind`,
  async () => {
    const random = seededRandom(seed);
    const store = memoryStore();
    const server = createApiServer({ clock: systemClock(), resources: builtinResources(), store });
    const { url, port } = await server.listen({ token: "hostile" });
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const ask: AskFor = (method, target, value, contentType = "application/json") => {
      const body = value === undefined ? undefined : JSON.stringify(value);
      return send(url, agent, { method, target, contentType, body });
    };
    const contents = (): string[] =>
      store
        .collections()
        .flatMap((one) =>
          one
            .list({})
            .map(({ metadata }) => `${one.name} ${metadata.namespace ?? ""}/${metadata.name}`),
        );
    // Every namespace gets an account of its own, a moment later.
    await expect.poll(() => contents().filter((one) => one.startsWith("serv")).length).toBe(4);
    const before = contents();
    await ask("POST", "/api/v1/namespaces", { metadata: { name: "hostile" } });
    await ask(
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      hostileDefinition(random, "as"),
    );
    const prototype = Object.getOwnPropertyNames(Object.prototype).toSorted();
    const seen = new Map<number, number>();
    const found: unknown[] = [];

    for (let count = 0; count < share.requests; count++) {
      const hostile = hostileRequest(random);
      const answered = await send(url, agent, hostile);
      const isDefect = defectOfOurs.test(answered.text) || answered.tookMs > longestMs;
      if (isDefect) found.push({ seed, count, hostile: shortened(hostile), answered });
      seen.set(answered.status, (seen.get(answered.status) ?? 0) + 1);
      if (count % 500 === 0) await sendBytes(port, random);
    }
    expect(found).toEqual([]);
    // A run in which all is refused, or all is taken, would test nothing.
    for (const status of [200, 201, 400, 404, 409, 415, 422])
      expect([...seen.keys()]).toContain(status);

    expect((await ask("GET", "/readyz")).text).toBe("ok");
    expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(prototype);
    await cleanUp(ask);
    await expect.poll(contents, { timeout: 20_000 }).toEqual(before);
    agent.destroy();
    await server.stop();
    await expect(ask("GET", "/readyz")).rejects.toThrow(/ECONNREFUSED/);
  },
  // A million requests take longer.
  slowMachineMs + share.requests * 10,
);

type AskFor = (
  method: string,
  target: string,
  value?: unknown,
  contentType?: string,
) => Promise<Answered>;

/** Finalizers and grace periods are part of what was sent, so they are taken away first. */
async function cleanUp(ask: AskFor, contentType = "application/merge-patch+json"): Promise<void> {
  for (const { path } of samples) {
    const { status, text } = await ask("GET", path);
    if (status !== 200) continue;
    const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
    for (const { metadata } of items) {
      const target = `${path}/${metadata.name}`;
      await ask("PATCH", target, { metadata: { finalizers: null } }, contentType);
      await ask("DELETE", `${target}?gracePeriodSeconds=0`);
    }
  }
  await ask("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions");
  await ask("DELETE", "/api/v1/namespaces/hostile");
}

test(
  `${share.manifests} hostile manifests are read or refused with a reason`,
  () => {
    const random = seededRandom(seed + 1);
    const found: unknown[] = [];
    for (let count = 0; count < share.manifests; count++) {
      const text = mangled(random, yamlText(hostileObject(random).object));
      const startedMs = performance.now();
      const problem = readProblem(text);
      const tookMs = performance.now() - startedMs;
      if (problem === undefined && tookMs < longestMs) continue;
      found.push({ seed, count, text: text.slice(0, 2000), problem, tookMs });
    }
    expect(found).toEqual([]);
  },
  slowMachineMs + share.manifests * 20,
);

/** A mistake of the user's is reported with the file; anything else is one of ours. */
function readProblem(text: string): unknown {
  try {
    parseManifests("hostile.yaml", text);
    return undefined;
  } catch (error) {
    const isReported = error instanceof UserError && error.message.startsWith("hostile.yaml");
    return isReported ? undefined : error;
  }
}

const shortened = (hostile: HostileRequest): HostileRequest => ({
  ...hostile,
  body: hostile.body?.slice(0, 2000),
});
