/** The sample sets are accepted and say nothing that has no effect. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { validatePodCliqueSet } from "../../src/api/grove/validate.ts";
import { warningsOf } from "../../src/api/grove/warnings.ts";
import type { RoleBasedGroup } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { validateRoleBasedGroup } from "../../src/api/rbg/validate.ts";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { atLeastOne } from "../builders/must.ts";

const folder = "deploy/samples/podcliqueset";

test("every sample set is accepted as it stands", async () => {
  const server = createApiServer({ clock: new VirtualClock(), resources: builtinResources() });
  await installDefinitions(server.client);
  const files = readdirSync(folder).toSorted();
  expect(files.length).toBeGreaterThan(5);
  for (const file of atLeastOne(files)) {
    const given = parse(readFileSync(`${folder}/${file}`, "utf8")) as PodCliqueSet;
    const set = { ...given, metadata: { ...given.metadata, namespace: "default" } };
    const options = { fieldValidation: "Strict" } as const;
    const created = await server.client.create(podCliqueSetResource, set, options);
    expect(validatePodCliqueSet(created)).toEqual([]);
    expect(warningsOf(created)).toEqual([]);
  }
  await server.stop();
});

test("every sample group is accepted as it stands", async () => {
  const server = createApiServer({ clock: new VirtualClock(), resources: builtinResources() });
  await installDefinitions(server.client);
  const groups = "deploy/samples/rolebasedgroup";
  const files = readdirSync(groups).toSorted();
  expect(files).toEqual([
    "affinity.yaml",
    "autoscaled.yaml",
    "coordinated.yaml",
    "disaggregated.yaml",
    "partition.yaml",
    "steps.yaml",
    "workloads.yaml",
  ]);
  for (const file of atLeastOne(files)) {
    const documents = parseAllDocuments(readFileSync(`${groups}/${file}`, "utf8"));
    const given = documents.at(-1)!.toJS() as RoleBasedGroup;
    const group = { ...given, metadata: { ...given.metadata, namespace: "default" } };
    const options = { fieldValidation: "Strict" } as const;
    const created = await server.client.create<RoleBasedGroup>(
      roleBasedGroupResource,
      group,
      options,
    );
    expect(validateRoleBasedGroup(created)).toEqual([]);
  }
  await server.stop();
});
