/** Manifests that are an attack or an accident: one clear line, no stack trace, and nothing of the run is applied. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiServer } from "../../src/apiserver/api-server.ts";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { configMapResource } from "../../src/api/config-map.ts";
import { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { cliOf } from "../builders/cli.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { atLeastOne } from "../builders/must.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstep-manifests-"));
const clock = new VirtualClock();
let server: ApiServer;
beforeAll(() => {
  server = createApiServer({ clock, resources: builtinResources() });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const good = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good, namespace: default}\n";
const bad = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad, namespace: default}\n";
const tens = (name: string): string =>
  `[${Array.from({ length: 10 }, () => `*${name}`).join(",")}]`;

const manifests: Record<string, { readonly text: string; readonly want: RegExp }> = {
  "an alias bomb": {
    text: `${bad}data:\n  a: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefg"
      .split("")
      .map((name, index) => `  ${name}: &${name} ${tens("abcdefg"[index] ?? "")}`)
      .join("\n")}\n`,
    want: /aliases repeat more than/,
  },
  "a value that contains itself": {
    text: `${bad}data: &a {b: *a}\n`,
    want: /anchor 'a' value contains itself/,
  },
  "a numeric apiVersion": {
    text: bad.replace("apiVersion: v1", "apiVersion: 1"),
    want: /apiVersion: Invalid value: 1: must be text/,
  },
  "annotations that are text": {
    text: bad.replace("name: bad", "name: bad, annotations: hello"),
    want: /metadata\.annotations: Invalid value: "hello": must be a mapping/,
  },
  "a number that JSON lacks": { text: `${bad}data: {a: .nan}\n`, want: /unsupported value: NaN/ },
};

test.each(Object.entries(manifests))("%s", async (name, { text, want }) => {
  const file = join(folder, `${name.replaceAll(" ", "-")}.yaml`);
  writeFileSync(file, `${good}---\n${text}`);
  const { lockstep } = cliOf({ clock, transport: server.transport });
  const answer = await lockstep(`apply -f ${file}`);
  expect(answer.code).toBe(1);
  expect(answer.text).toMatch(want);
  expect(answer.text).toContain(file);
  expect(answer.text).not.toMatch(/^\s+at |undefined|\[object/m);
  expect((await server.client.list(configMapResource, { namespace: "default" })).items).toEqual([]);
});

test("nor can the status of a rollout, whose own colours stay", async () => {
  const world = await podCliqueSetScenario({ cliques: { front: {} } });
  await world.settled();
  await world.stopOperator();
  const { conditions = [] } = (await world.set()).status ?? {};
  const message = "\u001b[8mhidden\u001b[32mgreen";
  const body = { status: { conditions: conditions.map((each) => ({ ...each, message })) } };
  const key = { namespace: "default", name: "chat" };
  const options = { subresource: "status" };
  await world.client.patch(podCliqueSetResource, key, { type: "merge", body }, options);
  const printed: string[] = [];
  const { start } = cliOf(world);
  for (const line of ["list", "status pcs/chat", "why pcs/chat", "watch pcs/chat --once"]) {
    const running = await start(line, { isTerminal: true });
    await running.ended;
    printed.push(running.raw());
  }
  for (const text of atLeastOne(printed)) {
    expect(text).toContain(String.raw`\u001b[8mhidden\u001b[32mgreen`);
    expect(text).toContain("\u001b[32mHealthy");
    expect(text).not.toContain("\u001b[8m");
  }
});

test("what a cluster says cannot command the terminal", async () => {
  const { transport } = server;
  const message = "\u001b[2J\u001b[8mhidden\rgone";
  const path = "/api/v1/namespaces/default/events";
  const involvedObject = { kind: "Pod", name: "p", namespace: "default" };
  const body = { metadata: { name: "e" }, involvedObject, message, reason: "A\u009b31m" };
  expect((await transport.request({ method: "POST", path, body })).status).toBe(201);
  const { text } = await cliOf({ clock, transport }).lockstep("get events");
  expect(text).toContain(String.raw`\u001b[2J\u001b[8mhidden\u000dgone`);
});
