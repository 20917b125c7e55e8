/** docs/how-to/paced-add-on.md, typed as it is written there: canaries first, then ten clusters at once. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { ClusterManagementAddOn } from "../../src/api/ocm/addon.ts";
import {
  clusterManagementAddOnResource,
  managedClusterAddOnResource,
} from "../../src/api/ocm/addon.ts";
import { managedClusterResource } from "../../src/api/ocm/managed-cluster.ts";
import { placementResource } from "../../src/api/ocm/placement.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Resource } from "../../src/api/resource.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { namespaceResource } from "../builders/placement-objects.ts";
import { simulation } from "../builders/simulation.ts";

const samples = "deploy/samples/placement";
const page = readFileSync("docs/how-to/paced-add-on.md", "utf8");
const resources: readonly Resource[] = [
  namespaceResource,
  ...kinds.flatMap(({ customKinds }) => customKinds.map(({ resource }) => resource)),
];

async function fleet() {
  const world = await simulation({ nodes: 0, gangs: true });
  const { client, clock } = world;
  const own = kinds.filter(({ name }) => name === "placement" || name === "addon");
  const started = startKinds(own, { client, clock });
  await clock.runFor(1_000);
  await started;
  const apply = async (text: string): Promise<void> => {
    for (const document of parseAllDocuments(text)) {
      const object = document.toJS() as KubeObject;
      const resource = resources.find(({ kind }) => kind === object.kind);
      await client.create(resource!, object);
    }
    await clock.runFor(5_000);
  };
  const sample = (name: string) => apply(readFileSync(`${samples}/${name}`, "utf8"));
  return { ...world, apply, sample };
}

/** What the page types into the first command that begins so. */
const typed = (command: RegExp): Readonly<Record<string, unknown>> =>
  JSON.parse(
    (command.exec(page)?.[1] ?? "").replace(/'\$\(date [^)]*\)'/, "2026-01-01T00:01:00Z"),
  ) as Record<string, unknown>;

test("AD5 CR7 the canaries first, and ten more once both have been available for a minute", async () => {
  const { client, clock, apply, sample } = await fleet();
  await apply(execFileSync(process.execPath, [`${samples}/fleet.mjs`, "1", "20"]).toString());
  for (const name of ["cluster001", "cluster002"]) {
    const body = { metadata: { labels: { ring: "canary" } } };
    await client.patch(managedClusterResource, { name }, { type: "merge", body });
  }
  await sample("rolling-update.yaml");
  const groups = typed(/kubectl patch placement my-placement --type=merge -p '([^']*)'/);
  const placement = { namespace: "default", name: "my-placement" };
  await client.patch(placementResource, placement, { type: "merge", body: groups });
  await clock.runFor(1_000);
  await sample("progressive-addon.yaml");
  const installed = async (): Promise<readonly (string | undefined)[]> =>
    (await client.list(managedClusterAddOnResource)).items.map(
      ({ metadata }) => metadata.namespace,
    );
  expect(await installed()).toEqual(["cluster001", "cluster002"]);
  const { status } = await client.get<ClusterManagementAddOn>(clusterManagementAddOnResource, {
    name: "metrics-agent",
  });
  expect(status?.conditions?.find(({ type }) => type === "Progressing")?.message).toContain(
    "waiting for cluster001 (progressing), cluster002 (progressing) in group canary (0), 18 clusters to follow; ",
  );
  const available = typed(/--subresource=status --type=merge -p '((?:[^']|'\$\(date [^)]*\)')*)'/);
  for (const namespace of ["cluster001", "cluster002"]) {
    const patch = { type: "merge", body: available } as const;
    const key = { namespace, name: "metrics-agent" };
    await client.patch(managedClusterAddOnResource, key, patch, { subresource: "status" });
  }
  await clock.runFor(120_000);
  expect(await installed()).toHaveLength(12);
});
