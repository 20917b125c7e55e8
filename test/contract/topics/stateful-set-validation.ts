/** What else a server takes and refuses of a StatefulSet: names, templates, strategies, retention. */
import { expect, test } from "vitest";
import type { Json } from "../json.ts";
import { at } from "../json.ts";
import { podSpec, template, workload } from "../objects.ts";
import type { Refusals } from "../refusals.ts";
import { refusalTests } from "../refusals.ts";
import type { Cluster } from "../scene.ts";

const ofSet = (changes: Json, metadata: Json = { name: "a" }): { ask: string; body: unknown } => ({
  ask: "POST statefulsets",
  body: { ...workload("a", changes), metadata },
});

const strategy = (rollingUpdate: Json): Json => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate },
});

const claim = (name: string): Json => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});

const mounting = (name: string, more: Json = {}): Json => {
  const volumeMounts = [{ name, mountPath: "/data" }];
  return template(
    { app: "web" },
    podSpec({ containers: [{ name: "main", image: "nginx", volumeMounts }], ...more }),
  );
};

const longName = "a".repeat(64);
const invalid = (name: string, why: string): string =>
  `422 Invalid: StatefulSet.apps ${name} is invalid: ${why}`;
const ofA = (why: string): string => invalid('"a"', why);

const refusals: Refusals = {
  "a set without a name": {
    ...ofSet({}, {}),
    want: invalid('""', "metadata.name: Required value: name or generateName is required"),
  },
  "a set with dots in its name": {
    ...ofSet({}, { name: "a.b" }),
    want: invalid('"a.b"', 'metadata.name: Invalid value: "a.b": must not contain dots'),
  },
  "a set with a name of 64 characters": {
    ...ofSet({}, { name: longName }),
    want: invalid(
      `"${longName}"`,
      `metadata.name: Invalid value: "${longName}": must be no more than 63 characters`,
    ),
  },
  "a set with a bad label": {
    ...ofSet({}, { name: "a", labels: { app: "no/slash" } }),
    want: ofA(
      'metadata.labels: Invalid value: "no/slash": a valid label must be an empty string ...',
    ),
  },
  "a set with a bad annotation": {
    ...ofSet({}, { name: "a", annotations: { "no key": "x" } }),
    want: ofA(
      'metadata.annotations: Invalid value: "no key": name part must consist of alphanumeric ...',
    ),
  },
  "a set of pods that restart on failure only": {
    ...ofSet({ template: template({ app: "web" }, podSpec({ restartPolicy: "OnFailure" })) }),
    want: ofA(
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
    ),
  },
  "a set of pods with an end": {
    ...ofSet({ template: template({ app: "web" }, podSpec({ activeDeadlineSeconds: 5 })) }),
    want: ofA(
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported",
    ),
  },
  "a set with an unavailability of 0%": {
    ...ofSet(strategy({ maxUnavailable: "0%" })),
    want: ofA('spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "0%": cannot be 0'),
  },
  "a set with an unavailability of 101%": {
    ...ofSet(strategy({ maxUnavailable: "101%" })),
    want: ofA(
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ),
  },
  "a set with an unavailability in words": {
    ...ofSet(strategy({ maxUnavailable: "5" })),
    want: ofA(
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "5": a valid percent string must be ...',
    ),
  },
  "a set with an unknown retention": {
    ...ofSet({ persistentVolumeClaimRetentionPolicy: { whenScaled: "Keep" } }),
    want: ofA(
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Keep": supported ...',
    ),
  },
  "a set with a service name that is none": {
    ...ofSet({ serviceName: "Invalid.Name" }),
    want: ofA(
      'spec.serviceName: Invalid value: "Invalid.Name": a lowercase RFC 1123 label must consist of ...',
    ),
  },
  "a set that mounts a volume it does not have": {
    ...ofSet({ template: mounting("data") }),
    want: ofA('spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"'),
  },
};

const accepted: Record<string, { given: Json; path: string; want: unknown }> = {
  "a partition": {
    given: strategy({ partition: 2 }),
    path: "updateStrategy.rollingUpdate.partition",
    want: 2,
  },
  "a budget": {
    given: strategy({ maxUnavailable: 2 }),
    path: "updateStrategy.rollingUpdate.maxUnavailable",
    want: 2,
  },
  "a budget above its replicas": {
    given: { replicas: 1, ...strategy({ maxUnavailable: 9 }) },
    path: "updateStrategy.rollingUpdate.maxUnavailable",
    want: 9,
  },
  "a first ordinal": { given: { ordinals: { start: 2 } }, path: "ordinals.start", want: 2 },
  "a hostname that is none in its template, which nobody reads": {
    given: {
      template: template({ app: "web" }, podSpec({ hostname: "No Host", subdomain: "..." })),
    },
    path: "template.spec.hostname",
    want: "No Host",
  },
  "a mount of its claim template": {
    given: { template: mounting("data"), volumeClaimTemplates: [claim("data")] },
    path: "volumeClaimTemplates.0.metadata.name",
    want: "data",
  },
  "a claim template that a volume is named after, too": {
    given: {
      template: mounting("data", { volumes: [{ name: "data", emptyDir: {} }] }),
      volumeClaimTemplates: [claim("data")],
    },
    path: "template.spec.volumes.0.name",
    want: "data",
  },
  "a retention of its own": {
    given: {
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
    },
    path: "persistentVolumeClaimRetentionPolicy.whenDeleted",
    want: "Delete",
  },
  "half a retention": {
    given: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } },
    path: "persistentVolumeClaimRetentionPolicy.whenDeleted",
    want: "Retain",
  },
  "an empty retention": {
    given: { persistentVolumeClaimRetentionPolicy: {} },
    path: "persistentVolumeClaimRetentionPolicy.whenScaled",
    want: "Retain",
  },
  "an empty pod management": {
    given: { podManagementPolicy: "" },
    path: "podManagementPolicy",
    want: "OrderedReady",
  },
  "an empty strategy": {
    given: { updateStrategy: { type: "" } },
    path: "updateStrategy.type",
    want: "RollingUpdate",
  },
  "an empty restart policy": {
    given: { template: template({ app: "web" }, podSpec({ restartPolicy: "" })) },
    path: "template.spec.restartPolicy",
    want: "Always",
  },
};

export function statefulSetValidation(cluster: () => Cluster): void {
  refusalTests(cluster, refusals);

  test.each(Object.entries(accepted))("a set may have %s", async (_what, { given, path, want }) => {
    const { create } = await cluster().scene();
    expect(at(await create("statefulsets", workload("a", given)), `spec.${path}`)).toBe(want);
  });

  test("the same set put once more changes nothing", async () => {
    const { api, create, path } = await cluster().scene();
    const made = await create(
      "statefulsets",
      workload("a", { template: mounting("data"), volumeClaimTemplates: [claim("data")] }),
    );
    const { status, body } = await api.put(path("statefulsets", "a"), made);
    expect(status).toBe(200);
    expect(body.metadata).toEqual(made.metadata);
  });
}
