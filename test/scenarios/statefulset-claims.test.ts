/** Volume claims: made before their pods, kept or given away as the retention policy says. */
import { expect, test } from "vitest";
import type { StatefulSetSpec } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { VolumeClaim } from "../../src/api/volume-claim.ts";
import { volumeClaimResource } from "../../src/api/volume-claim.ts";
import type { StatefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";

type Retention = NonNullable<StatefulSetSpec["persistentVolumeClaimRetentionPolicy"]>;

const namespace = "default";
const data = {
  metadata: { name: "data", labels: { tier: "disk", app: "lost" } },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
} as unknown as VolumeClaim;

const withClaims = (retention?: Retention): Partial<StatefulSetSpec> => ({
  podManagementPolicy: "Parallel",
  volumeClaimTemplates: [data],
  ...(retention === undefined ? {} : { persistentVolumeClaimRetentionPolicy: retention }),
});

const claims = async ({ client }: StatefulSetScenario): Promise<VolumeClaim[]> =>
  (await client.list<VolumeClaim>(volumeClaimResource, { namespace })).items;

/** `data-web-0 StatefulSet`, in name order. */
const drawn = async (scenario: StatefulSetScenario): Promise<string[]> =>
  (await claims(scenario))
    .map(({ metadata: { name, ownerReferences = [] } }) =>
      [
        name,
        ...ownerReferences.map(
          ({ kind, controller }) => `${kind}${controller === true ? "" : "?"}`,
        ),
      ].join(" "),
    )
    .toSorted();

test("ST12 each pod gets its claim, labelled by the selector, mounted in place of a volume of that name", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, spec: withClaims() });
  await scenario.settled();
  const [first] = await claims(scenario);
  expect(first?.metadata).toMatchObject({
    name: "data-web-0",
    labels: { tier: "disk", app: "web" },
  });
  expect(first?.metadata.ownerReferences ?? []).toEqual([]);
  const { volumes } = (await scenario.pod("web-1")).spec as { volumes?: unknown };
  expect(volumes).toContainEqual({
    name: "data",
    persistentVolumeClaim: { claimName: "data-web-1" },
  });
});

test("ST12 a replaced pod finds its claim again", async () => {
  const scenario = await statefulSetScenario({ replicas: 3, spec: withClaims() });
  await scenario.settled();
  const before = (await claims(scenario)).map(({ metadata }) => metadata.uid);
  await scenario.setImage("web:v2");
  await scenario.settled();
  expect((await claims(scenario)).map(({ metadata }) => metadata.uid)).toEqual(before);
});

const all = ["data-web-0", "data-web-1", "data-web-2"];
const retentions: [Retention | undefined, string, string[], string[]][] = [
  [undefined, "", all, all],
  [{ whenDeleted: "Retain", whenScaled: "Retain" }, "", all, all],
  [{ whenDeleted: "Delete", whenScaled: "Retain" }, " StatefulSet", all, []],
  [{ whenDeleted: "Retain", whenScaled: "Delete" }, "", all.slice(0, 1), all.slice(0, 1)],
  [{ whenDeleted: "Delete", whenScaled: "Delete" }, " StatefulSet", all.slice(0, 1), []],
];

test.each(retentions)(
  "ST12 retention %j",
  async (retention, owner, afterScaling, afterDeletion) => {
    const scenario = await statefulSetScenario({ replicas: 3, spec: withClaims(retention) });
    await scenario.settled();
    await scenario.clock.runFor(5_000);
    expect(await drawn(scenario)).toEqual(all.map((name) => `${name}${owner}`));
    await scenario.patch({ spec: { replicas: 1 } });
    await scenario.settled();
    await scenario.clock.runFor(30_000);
    const names = async (): Promise<string[]> =>
      (await drawn(scenario)).map((line) => line.split(" ")[0] ?? "");
    expect(await names()).toEqual(afterScaling);
    await scenario.client.delete(statefulSetResource, { namespace, name: "web" });
    await scenario.clock.runFor(60_000);
    expect(await names()).toEqual(afterDeletion);
  },
);

test("ST12 a policy changed later is written to the claims that exist", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, spec: withClaims() });
  await scenario.settled();
  await scenario.patch({
    spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } },
  });
  await scenario.clock.runFor(5_000);
  expect(await drawn(scenario)).toEqual(["data-web-0 StatefulSet", "data-web-1 StatefulSet"]);
  await scenario.patch({
    spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } },
  });
  await scenario.clock.runFor(5_000);
  expect(await drawn(scenario)).toEqual(["data-web-0", "data-web-1"]);
});

test("ST12 a claim of another controller is not ours to give away, and an event says so", async () => {
  const scenario = await statefulSetScenario({
    replicas: 2,
    spec: withClaims({ whenDeleted: "Delete", whenScaled: "Retain" }),
  });
  await scenario.settled();
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "boss", controller: true };
  const boss = await scenario.client.create<KubeObject>(
    { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "boss", namespace } },
  );
  const body = { metadata: { ownerReferences: [{ ...owner, uid: boss.metadata.uid }] } };
  await scenario.client.patch(
    volumeClaimResource,
    { namespace, name: "data-web-0" },
    { type: "merge", body },
  );
  await scenario.clock.runFor(10_000);
  expect((await drawn(scenario))[0]).toBe("data-web-0 ConfigMap");
  const events = await scenario.events("web");
  expect(events.filter((text) => text.startsWith("ConflictingController"))).toHaveLength(1);
});

test("ST12 the claim of a pod that cannot start yet is made again when it vanishes", async () => {
  const scenario = await statefulSetScenario({
    replicas: 1,
    image: "web:broken",
    spec: withClaims(),
  });
  await scenario.clock.runFor(10_000);
  const [before] = await claims(scenario);
  const finalizers = { type: "merge", body: { metadata: { finalizers: null } } } as const;
  await scenario.client.delete(volumeClaimResource, { namespace, name: "data-web-0" });
  await scenario.client
    .patch(volumeClaimResource, { namespace, name: "data-web-0" }, finalizers)
    .catch(() => undefined);
  await scenario.clock.runFor(10_000);
  const [after] = await claims(scenario);
  expect(after?.metadata.uid).toBeDefined();
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
});

test("ST12 a pod waits for the claim of its predecessor to go, says so, and then gets one of its own", async () => {
  const scenario = await statefulSetScenario({
    replicas: 2,
    spec: withClaims({ whenScaled: "Delete", whenDeleted: "Retain" }),
  });
  await scenario.settled();
  const hold = { type: "merge", body: { metadata: { finalizers: ["test.dev/hold"] } } } as const;
  await scenario.client.patch(volumeClaimResource, { namespace, name: "data-web-1" }, hold);
  await scenario.patch({ spec: { replicas: 1 } });
  await scenario.settled();
  await scenario.patch({ spec: { replicas: 2 } });
  await scenario.clock.runFor(30_000);
  expect(scenario.drawing()).toEqual(["web-0 web:v1"]);
  expect((await scenario.condition("Progressing"))?.message).toContain(
    "web-1 waits until claim data-web-1 is gone",
  );
  const open = { type: "merge", body: { metadata: { finalizers: null } } } as const;
  await scenario.client.patch(volumeClaimResource, { namespace, name: "data-web-1" }, open);
  await scenario.settled();
  expect(scenario.drawing()).toEqual(["web-0 web:v1", "web-1 web:v1"]);
});

test("ST12 a claim that is deleted while its pod uses it is made again after the pod has gone", async () => {
  const scenario = await statefulSetScenario({ replicas: 2, spec: withClaims() });
  await scenario.settled();
  const uids = async () =>
    new Map((await claims(scenario)).map(({ metadata }) => [metadata.name, metadata.uid]));
  const before = await uids();
  await scenario.client.delete(volumeClaimResource, { namespace, name: "data-web-1" });
  await scenario.clock.runFor(60_000);
  // In use: it stays until its pod goes.
  expect((await uids()).get("data-web-1")).toBe(before.get("data-web-1"));
  await scenario.deletePod("web-1");
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  const after = await uids();
  expect([...after.keys()]).toEqual(["data-web-0", "data-web-1"]);
  expect(after.get("data-web-1")).not.toBe(before.get("data-web-1"));
  expect((await scenario.pods()).map(({ status }) => status?.phase)).toEqual([
    "Running",
    "Running",
  ]);
});
