/** The life of a set under every policy, with what must hold at every event: order, identity, storage, ownership. */
import { expect, test } from "vitest";
import type { StatefulSetSpec } from "../../src/api/apps.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady, podResource } from "../../src/api/pod.ts";
import type { VolumeClaim } from "../../src/api/volume-claim.ts";
import { volumeClaimResource } from "../../src/api/volume-claim.ts";
import type { StatefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";

type Retention = NonNullable<StatefulSetSpec["persistentVolumeClaimRetentionPolicy"]>;

const namespace = "default";
const policies = ["OrderedReady", "Parallel"] as const;
const retentions: Record<string, Retention | undefined> = {
  "nothing said": undefined,
  "Retain/Retain": { whenScaled: "Retain", whenDeleted: "Retain" },
  "Retain/Delete": { whenScaled: "Retain", whenDeleted: "Delete" },
  "Delete/Retain": { whenScaled: "Delete", whenDeleted: "Retain" },
  "Delete/Delete": { whenScaled: "Delete", whenDeleted: "Delete" },
};
const cases = policies.flatMap((policy) =>
  Object.entries(retentions).map(([name, retention]) => [policy, name, retention] as const),
);

const data = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
} as unknown as VolumeClaim;

const ordinalOf = ({ metadata }: Pod): number => Number(metadata.name?.split("-").at(-1));

/** Follows claims and pods from the start; what is wrong is written down when it happens. */
function watchInvariants({ client }: StatefulSetScenario, isOrdered: boolean): string[] {
  const violations: string[] = [];
  const pods = new Map<string, Pod>();
  const claims = new Set<string>();
  const options = { namespace, resourceVersion: "0" };
  void client.watch<VolumeClaim>(volumeClaimResource, options, (event) => {
    if (event.type === "ADDED") claims.add(event.object.metadata.name ?? "");
    if (event.type === "DELETED") claims.delete(event.object.metadata.name ?? "");
  });
  void client.watch<Pod>(podResource, options, (event) => {
    if (event.type === "ERROR" || event.type === "BOOKMARK") return;
    const pod = event.object;
    const name = pod.metadata.name ?? "";
    if (event.type === "ADDED") {
      violations.push(...wrongIdentity(pod));
      if (!claims.has(`data-${name}`)) violations.push(`${name} was made before its claim`);
      const early = [...pods.values()].filter(
        (other) => ordinalOf(other) < ordinalOf(pod) && !isReady(other),
      );
      if (isOrdered && early.length > 0) violations.push(`${name} did not wait`);
      if (pods.has(name)) violations.push(`there are two ${name}`);
    }
    if (event.type === "DELETED") pods.delete(name);
    else pods.set(name, pod);
  });
  return violations;
}

function wrongIdentity({ metadata: { name = "", labels = {}, ownerReferences }, spec }: Pod) {
  const ordinal = name.split("-").at(-1);
  const { volumes = [] } = spec as { volumes?: readonly unknown[] };
  const facts: Record<string, boolean> = {
    "pod-name label": labels["statefulset.kubernetes.io/pod-name"] === name,
    "pod-index label": labels["apps.kubernetes.io/pod-index"] === ordinal,
    "revision label": (labels["controller-revision-hash"] ?? "").startsWith("web-"),
    hostname: spec.hostname === name,
    subdomain: spec.subdomain === "web",
    owner: ownerReferences?.length === 1 && ownerReferences[0]?.controller === true,
    volume: JSON.stringify(volumes).includes(`"claimName":"data-${name}"`),
  };
  return Object.entries(facts).flatMap(([what, isRight]) =>
    isRight ? [] : [`${name} has a wrong ${what}`],
  );
}

/** `data-web-0 StatefulSet`, for the claims of pods that are there. */
async function ownersOfClaims(
  { client }: StatefulSetScenario,
  replicas: number,
): Promise<string[]> {
  const { items } = await client.list<VolumeClaim>(volumeClaimResource, { namespace });
  const live = Array.from({ length: replicas }, (_, ordinal) => `data-web-${ordinal}`);
  return items
    .filter(({ metadata }) => live.includes(metadata.name ?? ""))
    .map(({ metadata: { name, ownerReferences = [] } }) =>
      [name, ...ownerReferences.map(({ kind }) => kind)].join(" "),
    )
    .toSorted();
}

test.each(cases)("ST11 ST12 ST14 %s, claims %s", async (podManagementPolicy, _name, retention) => {
  const scenario = await statefulSetScenario({ withoutSet: true });
  const violations = watchInvariants(scenario, podManagementPolicy === "OrderedReady");
  const spec: Partial<StatefulSetSpec> = {
    podManagementPolicy,
    volumeClaimTemplates: [data],
    ...(retention === undefined ? {} : { persistentVolumeClaimRetentionPolicy: retention }),
  };
  await scenario.createSet({ replicas: 3, spec });
  const owner = retention?.whenDeleted === "Delete" ? " StatefulSet" : "";
  const holds = async (replicas: number, image: string): Promise<void> => {
    // Only after a moment does the status show that there is something to do.
    await scenario.clock.runFor(2_000);
    await scenario.settled();
    await scenario.clock.runFor(5_000);
    const ordinals = Array.from({ length: replicas }, (_, ordinal) => ordinal);
    expect(scenario.drawing()).toEqual(ordinals.map((ordinal) => `web-${ordinal} ${image}`));
    const wanted = ordinals.map((ordinal) => `data-web-${ordinal}${owner}`);
    expect(await ownersOfClaims(scenario, replicas)).toEqual(wanted);
    const { status } = await scenario.set();
    expect(status?.currentRevision).toBe(status?.updateRevision);
    expect(status?.replicas ?? 0).toBe(replicas);
    expect(violations).toEqual([]);
  };
  await holds(3, "web:v1");
  await scenario.patch({ spec: { replicas: 5 } });
  await holds(5, "web:v1");
  for (const name of ["web-0", "web-2", "web-4"]) await scenario.deletePod(name);
  await holds(5, "web:v1");
  await scenario.setImage("web:v2");
  await scenario.patch({ spec: { replicas: 4 } });
  await holds(4, "web:v2");
  await scenario.setImage("web:v1");
  await holds(4, "web:v1");
  await scenario.patch({ spec: { replicas: 0 } });
  await holds(0, "");
});
