import { expect, test } from "vitest";
import { withDefaults } from "./defaults.ts";
import type { RoleSpec } from "./rolebasedgroup.ts";

const template = {
  metadata: { labels: { app: "engine" } },
  spec: {
    containers: [
      { name: "main", image: "app:v1", env: [{ name: "A", value: "1" }], args: ["serve"] },
      { name: "proxy", image: "proxy:v1" },
    ],
  },
};

const one = (role: Partial<RoleSpec>) =>
  withDefaults({
    roles: [{ name: "prefill", ...role }],
    roleTemplates: [{ name: "engine", template }],
  }).roles[0]!;

test("a role that says nothing is one pod of a StatefulSet", () => {
  expect(one({ template })).toMatchObject({
    replicas: 1,
    workload: { apiVersion: "apps/v1", kind: "StatefulSet" },
    rollingUpdate: { partition: 0, maxUnavailable: 1, maxSurge: 0, paused: false },
    restartPolicy: "None",
    leaderWorkerSet: { size: 1 },
    minReadySeconds: 0,
  });
});

test("a leader restarts with its workers unless restartPolicy says otherwise", () => {
  const workload = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet" };
  expect(one({ template, workload }).restartPolicy).toBe("RecreateRoleInstanceOnPodRestart");
  expect(one({ template, workload, restartPolicy: "None" }).restartPolicy).toBe("None");
});

test("roles that are placed together are pods", () => {
  const { roles } = withDefaults({
    roles: [
      { name: "prefill", template },
      { name: "router", template },
    ],
    coordination: [
      {
        name: "near",
        roles: ["prefill"],
        strategy: { affinityScheduling: { ratios: { prefill: 1 } } },
      },
    ],
  });
  expect(roles.map(({ workload }) => workload.kind)).toEqual(["Pod", "StatefulSet"]);
});

const patches: Record<string, { patch: object; want: object }> = {
  "named elements are merged, other lists replaced": {
    patch: {
      spec: {
        containers: [{ name: "main", args: ["prefill"], env: [{ name: "B", value: "2" }] }],
      },
    },
    want: {
      spec: {
        containers: [
          {
            name: "main",
            image: "app:v1",
            args: ["prefill"],
            env: [
              { name: "B", value: "2" },
              { name: "A", value: "1" },
            ],
          },
          { name: "proxy", image: "proxy:v1" },
        ],
      },
    },
  },
  "null removes a field, a directive an element": {
    patch: {
      metadata: { labels: { app: null } },
      spec: {
        nodeSelector: { gpu: "h100" },
        containers: [{ name: "proxy", $patch: "delete" }],
      },
    },
    want: {
      metadata: { labels: {} },
      spec: {
        nodeSelector: { gpu: "h100" },
        containers: [
          { name: "main", image: "app:v1", env: [{ name: "A", value: "1" }], args: ["serve"] },
        ],
      },
    },
  },
  "a whole list is replaced by a directive": {
    patch: { spec: { containers: [{ $patch: "replace" }, { name: "other", image: "o:v1" }] } },
    want: { spec: { containers: [{ name: "other", image: "o:v1" }] } },
  },
};

test.each(Object.entries(patches))("templatePatch: %s", (_name, { patch, want }) => {
  const templatePatch = patch as Readonly<Record<string, unknown>>;
  expect(one({ templateRef: { name: "engine" }, templatePatch }).template).toEqual({
    ...template,
    ...want,
  });
});
