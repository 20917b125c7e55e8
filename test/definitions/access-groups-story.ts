/** A life of groups, their sets and their adapters, for the same purpose as the story of the other workloads. */
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import type { RoleBasedGroup } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type { RoleBasedGroupSet } from "../../src/api/rbg/rolebasedgroupset.ts";
import { roleBasedGroupSetResource } from "../../src/api/rbg/rolebasedgroupset.ts";
import { scalingAdapterResource } from "../../src/api/rbg/scaling-adapter.ts";
import { leaderWorkerSetDefinition } from "../builders/leader-worker-definition.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import type { StoryStage } from "./access-story.ts";

const namespace = "default";

/** The last object in the file. */
function sample(file: string): RoleBasedGroup | RoleBasedGroupSet {
  const text = readFileSync(`deploy/samples/${file}.yaml`, "utf8");
  const object = parseAllDocuments(text).at(-1)!.toJS() as RoleBasedGroup | RoleBasedGroupSet;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

const leaders = groupOf({
  name: "leaders",
  sizes: { router: 1, decode: 1 },
  roles: {
    decode: { workload: { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet" } },
  },
});
const files = ["disaggregated", "affinity", "workloads", "autoscaled"];
const groups = [
  ...files.map((file) => sample(`rolebasedgroup/${file}`) as RoleBasedGroup),
  leaders,
];
const fleet = sample("rolebasedgroupset") as RoleBasedGroupSet;
const newImages = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll(/:v\d+"/g, ':v9"')) as T;
const nameOf = ({ metadata }: RoleBasedGroup | RoleBasedGroupSet): string => metadata.name ?? "";
const keyOf = (name: string) => ({ namespace, name });
const merge = (body: unknown) => ({ type: "merge", body }) as const;

export async function liveWithGroups({ client, pass }: StoryStage): Promise<void> {
  await client.create(customResourceDefinitionResource, leaderWorkerSetDefinition);
  const create = async (): Promise<void> => {
    for (const group of groups) await client.create(roleBasedGroupResource, group);
    await client.create(roleBasedGroupSetResource, fleet);
    await pass(60);
  };
  const remove = async (propagationPolicy: "Orphan" | "Background"): Promise<void> => {
    for (const group of groups) {
      await client.delete(roleBasedGroupResource, keyOf(nameOf(group)), { propagationPolicy });
    }
    await client.delete(roleBasedGroupSetResource, keyOf("fleet"), { propagationPolicy });
    await pass(30);
  };
  await create();
  for (const { metadata, spec } of groups) {
    const body = merge({ spec: newImages(spec) });
    await client.patch(roleBasedGroupResource, keyOf(metadata.name ?? ""), body);
  }
  const { spec } = fleet;
  await client.patch(roleBasedGroupSetResource, keyOf("fleet"), merge({ spec: newImages(spec) }));
  await client.patch(
    scalingAdapterResource,
    keyOf("autoscaled-decode"),
    merge({ spec: { replicas: 3 } }),
  );
  await pass(120);
  await client.patch(roleBasedGroupSetResource, keyOf("fleet"), merge({ spec: { replicas: 2 } }));
  await remove("Orphan");
  await create();
  // Roles that are gone, and an adapter that nobody wants any more.
  for (const { metadata, spec: whole } of groups) {
    const roles = whole.roles
      .slice(0, 1)
      .map(({ scalingAdapter: _adapter, dependencies: _others, ...role }) => role);
    const body = merge({ spec: { ...whole, roles, coordination: null } });
    await client.patch(roleBasedGroupResource, keyOf(metadata.name ?? ""), body);
  }
  await pass(30);
  await remove("Background");
}
