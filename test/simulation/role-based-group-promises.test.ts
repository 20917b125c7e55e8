/** What the promises of RoleBasedGroups take for true: the sizes and the skew that an operator may be acting on. */
import { afterEach, expect, test } from "vitest";
import type { Pod } from "../../src/api/pod.ts";
import { podResource } from "../../src/api/pod.ts";
import { labelKeys } from "../../src/api/rbg/labels.ts";
import type { WrittenCoordination } from "../../src/api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { serviceResource } from "../../src/api/service.ts";
import { customDefinitions } from "../../src/cli/definitions.ts";
import { recordAnnotation } from "../../src/controllers/rolebasedgroup/role-record.ts";
import { RoleBasedGroupPromises } from "../../src/simulation/promises/role-based-group-promises.ts";
import type { SimulatedWorld } from "../../src/simulation/world.ts";
import { simulatedWorld } from "../../src/simulation/world.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";

const namespace = "default";
const key = { namespace, name: "chat" };
const workload = { apiVersion: "v1", kind: "Pod" };
const roles = { prefill: { workload }, decode: { workload } } as never;
const labelsOf = (role: string, revision: string) => ({
  [labelKeys.groupName]: "chat",
  [labelKeys.roleName]: role,
  [labelKeys.roleRevision]: revision,
});

let world: SimulatedWorld;
afterEach(() => world.stop());

/** A group as people write it, and what an operator writes: records and pods. Nobody else is there. */
async function watched(sizes: Record<string, number>, strategy: WrittenCoordination["strategy"]) {
  const violations: string[] = [];
  const report = (text: string): number => violations.push(text);
  const onProblem = (problem: unknown): number => report(String(problem));
  world = await simulatedWorld({ seed: 1, nodes: 0, definitions: customDefinitions(), onProblem });
  const { client, clock } = world;
  const steady = { now: () => clock.monotonic() };
  const promises = new RoleBasedGroupPromises({ client, clock: steady, report });
  const patchSpec = (change: (spec: ReturnType<typeof groupOf>["spec"]) => object) => {
    const body = { spec: change(groupOf({ sizes, roles, strategy }).spec) };
    return client.patch(roleBasedGroupResource, key, { type: "merge", body });
  };
  await client.create(roleBasedGroupResource, groupOf({ sizes, roles, strategy }));
  const passes = (ms: number) => clock.runFor(ms);
  return {
    promises,
    violations,
    passes,
    patchSpec,
    addPod: async (role: string, ordinal: number, revision: string): Promise<void> => {
      const name = `chat-${role}-${ordinal}`;
      await client.create<Pod>(podResource, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace, labels: labelsOf(role, revision) },
        spec: { containers: [{ name: "app", image: `web:${revision}` }] },
      });
      const body = {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      };
      const patch = { type: "merge", body } as const;
      await client.patch(podResource, { namespace, name }, patch, { subresource: "status" });
    },
    label: (name: string, value: string) => {
      const body = { metadata: { labels: { [labelKeys.revision]: value } } };
      return client.patch(podResource, { namespace, name }, { type: "merge", body });
    },
    record: async (role: string, text: string): Promise<void> => {
      const name = `s-chat-${role}`;
      const metadata = { annotations: { [recordAnnotation]: text } };
      const isThere = await client.get(serviceResource, { namespace, name }).then(
        () => true,
        () => false,
      );
      await (isThere
        ? client.patch(serviceResource, { namespace, name }, { type: "merge", body: { metadata } })
        : client.create(serviceResource, {
            apiVersion: "v1",
            kind: "Service",
            metadata: { ...metadata, name, namespace, labels: labelsOf(role, "") },
            spec: { clusterIP: "None" },
          } as never));
      await passes(10);
    },
  };
}

async function rolling(strategy: WrittenCoordination["strategy"], prefill = 3) {
  const group = await watched({ prefill, decode: 3 }, strategy);
  for (const ordinal of [0, 1, 2]) await group.addPod("decode", ordinal, "v1");
  for (let ordinal = 0; ordinal < prefill; ordinal++) await group.addPod("prefill", ordinal, "v1");
  await group.record("prefill", `v2 ${prefill} v1`);
  await group.record("decode", "v2 3 v1");
  return group;
}

test.each([
  { afterMs: 2_000, want: [] },
  { afterMs: 12_000, want: [expect.stringContaining("decode has 3 of 3 asked while prefill")] },
])(
  "CO1 a skew that was set $afterMs ms ago may not be known yet, but soon it is",
  async ({ afterMs, want }) => {
    const { patchSpec, passes, record, violations } = await rolling({ maxUnavailable: 1 });
    await passes(30_000);
    await patchSpec((spec) => ({
      coordination: spec.coordination?.map((each) => ({ ...each, strategy: { maxSkew: "0%" } })),
    }));
    await passes(afterMs);
    await record("decode", "v2 0 v1");
    expect(violations).toEqual(want);
  },
);

test("CO1 units of a role without a workload count as soon as the role is scaled out", async () => {
  const { patchSpec, passes, record, addPod, violations } = await rolling({ maxSkew: "25%" }, 1);
  await passes(30_000);
  await patchSpec((spec) => ({
    roles: spec.roles.map((role) => (role.name === "prefill" ? { ...role, replicas: 3 } : role)),
  }));
  await passes(30_000);
  await addPod("prefill", 1, "v2");
  await addPod("prefill", 2, "v2");
  await record("decode", "v2 1 v1");
  expect(violations).toEqual([]);
  await record("decode", "v2 0 v1");
  expect(violations).toEqual([]);
});

test("RG6 one value of the router's label never finds old and new pods of a role", async () => {
  const { label, addPod, passes, violations } = await rolling({});
  await label("chat-decode-0", "a");
  await label("chat-prefill-0", "a");
  await addPod("prefill", 3, "v2");
  await label("chat-prefill-3", "b");
  await passes(10);
  expect(violations).toEqual([]);
  await label("chat-prefill-1", "b");
  await passes(10);
  expect(violations).toEqual([
    expect.stringContaining("chat-prefill-1 of v1 has the label b of pods of v2"),
  ]);
});

test("CO3 CO10 a unit that goes ahead counts as asked, and does so until the cursor has passed", async () => {
  const { passes, record, violations } = await rolling({ maxSkew: "0%" });
  await passes(30_000);
  await record("decode", "v2 3 v1 - 0");
  expect(violations).toEqual([]);
  await record("decode", "v2 3 v1 - 0,1");
  expect(violations).toEqual([expect.stringContaining("decode has 2 of 3 asked while prefill")]);
  await record("decode", "v2 3 v1 - 1");
  expect(violations.at(-1)).toContain("chat-decode takes back 0 that went ahead");
});
