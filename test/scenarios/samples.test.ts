/** Every sample, applied to one cluster in virtual time: it comes to rest, and so does a new image of it. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { statefulSetResource } from "../../src/api/apps.ts";
import { autoscalerResource } from "../../src/api/autoscaler.ts";
import type { Condition } from "../../src/api/apps.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Resource } from "../../src/api/resource.ts";
import { apiVersionOf } from "../../src/api/resource.ts";
import { serviceResource } from "../../src/api/service.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { startAutoscaling } from "../../src/sim/autoscaler/autoscaler-controller.ts";
import { namespaceResource } from "../builders/placement-objects.ts";
import { simulation } from "../builders/simulation.ts";

const folder = "deploy/samples";
/** Not meant to rest: a broken pod, a kind with an object that it refuses, add-ons that wait for their agents. */
const others = [
  "bad-window.yaml",
  "broken-pod.yaml",
  "crd-with-rule.yaml",
  "placement/addon.yaml",
  "placement/progressive-addon.yaml",
  "pod.yaml",
];
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".yaml") && !others.includes(file))
  .toSorted();

const resources: readonly Resource[] = [
  ...kinds.flatMap(({ customKinds }) => customKinds.map(({ resource }) => resource)),
  statefulSetResource,
  serviceResource,
  autoscalerResource,
  namespaceResource,
];

const documentsIn = (text: string): readonly KubeObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as KubeObject);

function resourceOf({ apiVersion, kind }: KubeObject): Resource {
  const found = resources.find((each) => apiVersionOf(each) === apiVersion && each.kind === kind);
  if (found === undefined) throw new Error(`no resource for ${apiVersion} ${kind}`);
  return found;
}

const keyOf = ({ metadata }: KubeObject, { namespaced }: Resource) => ({
  ...(namespaced ? { namespace: "default" } : {}),
  name: metadata.name ?? "",
});

const newImages = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll(/:v1"/g, ':v2"')) as T;

/** `RoleBasedGroup steps: Progressing StepPause`: what moves still, or has stopped where it should not. */
function unrest(object: KubeObject): readonly string[] {
  const { conditions = [] } = (object["status"] ?? {}) as { conditions?: readonly Condition[] };
  return conditions
    .filter(({ type, status }) => status === "True" && /^(Progressing|Stalled)$/.test(type))
    .map(({ type, reason }) => `${object.kind} ${object.metadata.name}: ${type} ${reason}`);
}

test("every sample comes to rest, new and with a new image", async () => {
  expect(files.length).toBeGreaterThan(16);
  const { client, clock } = await simulation({ nodes: 40, gangs: true, deployments: true });
  await startAutoscaling({ client, clock, onProblem: () => undefined });
  const started = startKinds(kinds, { client, clock, modes: { statefulset: "full" } });
  await clock.runFor(1_000);
  await started;
  const fleet = execFileSync(process.execPath, [`${folder}/placement/fleet.mjs`, "1", "12"], {
    encoding: "utf8",
  });
  const objects = [
    fleet,
    ...files.map((file) => readFileSync(`${folder}/${file}`, "utf8")),
  ].flatMap(documentsIn);
  for (const object of objects) {
    const resource = resourceOf(object);
    const { namespace } = keyOf(object, resource) as { namespace?: string };
    const metadata = { ...object.metadata, ...(namespace === undefined ? {} : { namespace }) };
    await client.create(resource, { ...object, metadata }).catch((error: unknown) => {
      // Two samples of Placements bring the same set.
      if (!String(error).includes("already exists")) throw error;
    });
  }
  const restless = async (): Promise<readonly string[]> => {
    const found = objects.map((object) =>
      client.get(resourceOf(object), keyOf(object, resourceOf(object))),
    );
    return (await Promise.all(found)).flatMap(unrest);
  };
  await clock.runFor(300_000);
  expect(await restless()).toEqual([]);
  for (const object of objects.filter(({ kind }) =>
    /^RoleBasedGroup|^StatefulSet/.test(kind ?? ""),
  )) {
    const resource = resourceOf(object);
    const body = { spec: newImages(object["spec"]) };
    await client.patch(resource, keyOf(object, resource), { type: "merge", body });
  }
  await clock.runFor(600_000);
  expect(await restless()).toEqual([]);
});
