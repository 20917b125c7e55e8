import { expect, test } from "vitest";
import { withDefaults } from "../../api/rbg/defaults.ts";
import type { RoleBasedGroupSpec } from "../../api/rbg/rolebasedgroup.ts";
import { affinityOf, batchOf, layoutOf, placedInBatch } from "./batch-placement.ts";
import { atLeastOne } from "../../../test/builders/must.ts";

const template = { spec: { containers: [{ name: "main", image: "app:v1" }] } };
const spec: RoleBasedGroupSpec = {
  roles: [
    { name: "prefill", replicas: 6, template },
    { name: "decode", replicas: 3, template },
    { name: "router", replicas: 1, template },
  ],
  coordination: [
    {
      name: "near",
      roles: ["prefill", "decode"],
      strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 } } },
    },
  ],
};
const defaulted = withDefaults(spec);
const coordination = affinityOf(defaulted, "decode")!;

test("a role belongs to the batches that name it", () => {
  expect(coordination).toMatchObject({ name: "near", topologyKey: "kubernetes.io/hostname" });
  expect(affinityOf(defaulted, "router")).toBeUndefined();
});

test("AF1 the batch of a pod is the one that the layout has it in", () => {
  const layout = layoutOf(coordination, defaulted);
  expect(layout.kind === "batches" && layout.batches.length).toBe(3);
  const found = layout.kind === "batches" ? layout.batches : [];
  for (const { number, members } of atLeastOne(found)) {
    for (const { role, ordinals } of atLeastOne(members)) {
      for (const ordinal of atLeastOne(ordinals))
        expect(batchOf(coordination, role, ordinal)).toBe(number);
    }
  }
});

test("AF8 a member is bound to its batch, kept apart from others, and keeps what its user wrote", () => {
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", labelSelector: {} }],
    },
  };
  const given = { metadata: { labels: { app: "x" } }, spec: { ...template.spec, affinity } };
  const { metadata, spec: placed } = placedInBatch(given, {
    coordination,
    batch: 2,
    groupKey: "abc",
  });
  expect(metadata?.labels).toEqual({
    app: "x",
    "rolebasedgroup.workloads.x-k8s.io/group-unique-key": "abc",
    "coordination.workloads.x-k8s.io/near": "member",
    "batch.coordination.workloads.x-k8s.io/near": "2",
  });
  const term = (operator: string) => ({
    topologyKey: "kubernetes.io/hostname",
    labelSelector: {
      matchLabels: {
        "rolebasedgroup.workloads.x-k8s.io/group-unique-key": "abc",
        "coordination.workloads.x-k8s.io/near": "member",
      },
      matchExpressions: [
        { key: "batch.coordination.workloads.x-k8s.io/near", operator, values: ["2"] },
      ],
    },
  });
  expect(placed?.affinity).toEqual({
    nodeAffinity: affinity.nodeAffinity,
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: "zone", labelSelector: {} },
        term("In"),
      ],
    },
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("NotIn")] },
  });
});
