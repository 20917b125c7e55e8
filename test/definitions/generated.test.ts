/** Definitions in deploy/crds, tables of docs/api and roles in deploy/operator.yaml are generated, never edited. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stalePages } from "../../scripts/generate-api-docs.ts";
import { staleFiles } from "../../scripts/generate-crds.ts";
import { isStale } from "../../scripts/generate-rbac.ts";
import { customDefinitions, installDefinitions } from "../../src/cli/definitions.ts";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";

test("deploy/crds is what scripts/generate-crds.ts writes", () => {
  expect(staleFiles()).toEqual([]);
});

test("the field tables of docs/api are what scripts/generate-api-docs.ts writes", () => {
  expect(stalePages()).toEqual([]);
});

test("the first example of the PodCliqueSet page is a sample that is tested", () => {
  const root = join(import.meta.dirname, "../..");
  const page = readFileSync(join(root, "docs/api/podcliqueset.md"), "utf8");
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  expect(example).toBe(readFileSync(join(root, "deploy/samples/podcliqueset/whole.yaml"), "utf8"));
});

test("the roles of deploy/operator.yaml are what scripts/generate-rbac.ts writes", () => {
  expect(isStale()).toBe(false);
});

test("the definitions are small enough for kubectl apply, which repeats them in an annotation", () => {
  const sizes = customDefinitions().map((definition) => JSON.stringify(definition).length);
  expect(Math.max(...sizes)).toBeLessThan(262_144);
});

test("definitions are installed, and installed again over older ones", async () => {
  const server = createApiServer({ clock: new VirtualClock(), resources: builtinResources() });
  const { client } = server;
  await installDefinitions(client);
  const key = { name: "podgangs.scheduler.grove.io" };
  const body = { spec: { names: { shortNames: ["old"] } } };
  await client.patch(customResourceDefinitionResource, key, { type: "merge", body });
  await installDefinitions(client);
  const { spec } = await client.get(customResourceDefinitionResource, key);
  expect(spec).toMatchObject({ names: { shortNames: ["pg"] } });
  await server.stop();
});
