/** What a server with our definitions accepts and refuses, and in which words. */
import { atLeastOne } from "../builders/must.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { customDefinitions } from "../../src/cli/definitions.ts";
import type { Answer, ContractClient } from "../contract/contract-client.ts";
import { contractClient } from "../contract/contract-client.ts";
import { eventually } from "../contract/eventually.ts";
import type { Json } from "../contract/json.ts";
import type { ServerUnderTest } from "../contract/suite.ts";
import { bindings, topologyBinding } from "./bindings.ts";
import complaints from "./complaints.json" with { type: "json" };
import { creations } from "./creations.ts";
import { podCliqueSet } from "./sets.ts";
import { updates } from "./updates.ts";

/** Recorded from a real kube-apiserver; what is not in here is accepted. */
const wanted: Readonly<Record<string, string>> = complaints;

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const setsPath = "/apis/grove.io/v1alpha1/namespaces/default/podcliquesets";

const bindingsPath = "/apis/grove.io/v1alpha1/clustertopologybindings";

/** The complaint without the name of the object; empty where it was accepted. */
function complaint({ status, body }: Answer): string {
  if (status < 300) return "";
  const message = String(body.message);
  return message.replace(/^PodCliqueSet\.grove\.io "[^"]*" is invalid: /, "");
}

export function definitionSuite(name: string, start: () => Promise<ServerUnderTest>): void {
  describe(`our definitions on ${name}`, () => {
    let server: ServerUnderTest | undefined;
    let api: ContractClient;

    beforeAll(async () => {
      server = await start();
      api = contractClient(server);
      for (const definition of atLeastOne(customDefinitions())) {
        const answer = await api.post(definitionsPath, definition);
        expect(answer.text).toContain('"uid"');
      }
      await eventually(
        "the definitions are served",
        () => api.post(setsPath, podCliqueSet(), { dryRun: "All" }),
        ({ status }) => status === 201,
      );
    });

    afterAll(async () => {
      api.close();
      await server?.stop();
    });

    test.each(Object.entries(creations))("%s", async (name, { given }) => {
      expect(complaint(await api.post(setsPath, podCliqueSet(given), { dryRun: "All" }))).toBe(
        wanted[name] ?? "",
      );
    });

    test.each(Object.entries(updates))("%s", async (name, { from, to }) => {
      const index = Object.values(updates).findIndex((update) => update.to === to);
      const called = `chat-${index}`;
      const created = await api.post(setsPath, podCliqueSet({ ...from, name: called }));
      expect(complaint(created)).toBe("");
      const { resourceVersion } = (created.body as { metadata: Json }).metadata;
      const next = podCliqueSet({ ...to, name: called });
      const metadata = { name: called, resourceVersion };
      expect(complaint(await api.put(`${setsPath}/${called}`, { ...next, metadata }))).toBe(
        wanted[name] ?? "",
      );
    });

    test.each(Object.entries(bindings))("%s", async (_name, { given, want }) => {
      const answer = await api.post(bindingsPath, topologyBinding(given), { dryRun: "All" });
      expect(answer.status < 300 ? "" : String(answer.body.message)).toBe(want);
    });

    test("every recorded complaint belongs to a case", () => {
      const cases = Object.keys({ ...creations, ...updates });
      expect(Object.keys(wanted).filter((name) => !cases.includes(name))).toEqual([]);
    });

    test("a set read back carries the defaults", async () => {
      const answer = await api.post(setsPath, podCliqueSet({ spec: { replicas: undefined } }), {
        dryRun: "All",
      });
      const { spec } = answer.body as { spec: Json };
      expect(spec).toMatchObject({
        replicas: 0,
        template: {
          cliqueStartupType: "CliqueStartupTypeAnyOrder",
          headlessServiceConfig: { publishNotReadyAddresses: true },
          terminationDelay: "4h",
          podCliqueScalingGroups: [{ minAvailable: 1, replicas: 2 }],
        },
      });
    });

    test("a set can be scaled through its scale subresource below its maxUnavailable", async () => {
      const spec = {
        replicas: 3,
        updateStrategy: { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 3 } },
      };
      await api.post(setsPath, podCliqueSet({ name: "scaled", spec }));
      const scale = { spec: { replicas: 1 } };
      const answer = await api.patch("merge", `${setsPath}/scaled/scale`, scale);
      expect(complaint(answer)).toBe("");
      const read = await api.get(`${setsPath}/scaled`);
      expect(read.body).toMatchObject({ spec: { replicas: 1 } });
    });

    test("short names and the category are served", async () => {
      const { body } = await api.get("/apis/grove.io/v1alpha1");
      const resources = (body as { resources: { name: string; shortNames?: string[] }[] })
        .resources;
      const short = resources.flatMap(({ shortNames = [] }) => shortNames);
      expect(short.toSorted()).toEqual(["ct", "pclq", "pcs", "pcsg"]);
      expect(resources.map((resource) => resource.name)).toContain("podcliques/scale");
    });
  });
}
