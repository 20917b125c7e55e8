/** What a server with the definitions of workloads.x-k8s.io accepts and refuses, and in which words. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { definitionOf } from "../../src/api/definition/custom-kind.ts";
import { rbgKinds } from "../../src/api/rbg/definitions.ts";
import { structuralSchemaOf } from "../../src/apiserver/schema/structural.ts";
import type { Answer, ContractClient } from "../contract/contract-client.ts";
import { contractClient } from "../contract/contract-client.ts";
import { eventually } from "../contract/eventually.ts";
import type { ServerUnderTest } from "../contract/suite.ts";
import { group, groupCases } from "./groups.ts";

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const groupsPath = "/apis/workloads.x-k8s.io/v1alpha1/namespaces/default/rolebasedgroups";

function complaint({ status, body }: Answer): string {
  if (status < 300) return "";
  const message = String(body.message);
  return message.replace(/^RoleBasedGroup\.workloads\.x-k8s\.io "[^"]*" is invalid: /, "");
}

export function groupDefinitionSuite(name: string, start: () => Promise<ServerUnderTest>): void {
  describe(`the definition of a RoleBasedGroup on ${name}`, () => {
    let server: ServerUnderTest | undefined;
    let api: ContractClient;

    beforeAll(async () => {
      server = await start();
      api = contractClient(server);
      for (const kind of rbgKinds) {
        const answer = await api.post(definitionsPath, definitionOf(kind, structuralSchemaOf));
        expect(answer.text).toContain('"uid"');
      }
      await eventually(
        "the definitions are served",
        () => api.post(groupsPath, group(), { dryRun: "All" }),
        ({ status }) => status === 201,
      );
    });

    afterAll(async () => {
      api.close();
      await server?.stop();
    });

    test.each(Object.entries(groupCases))("%s", async (_name, { given, want }) => {
      expect(complaint(await api.post(groupsPath, given, { dryRun: "All" }))).toBe(want);
    });

    test("a group read back carries the defaults", async () => {
      const { body } = await api.post(groupsPath, group(), { dryRun: "All" });
      expect(body).toMatchObject({
        spec: {
          roles: [
            { minReadySeconds: 0, workload: { apiVersion: "apps/v1", kind: "StatefulSet" } },
            {},
          ],
        },
      });
    });
  });
}
