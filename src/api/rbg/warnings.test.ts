import { expect, test } from "vitest";
import type { CheckedGroup } from "./validate.ts";
import { warningsOf } from "./warnings.ts";

const template = { spec: { containers: [{ name: "main", image: "app:v1" }] } };

const cases: Record<string, { given: CheckedGroup; want: readonly string[] }> = {
  "a plain group has none": { given: { spec: { roles: [{ name: "a", template }] } }, want: [] },
  "what is only kept for compatibility is named": {
    given: {
      spec: {
        roles: [
          {
            name: "a",
            template,
            engineRuntimes: [{ profileName: "patio" }],
            rolloutStrategy: { rollingUpdate: { maxSurge: 1, type: "InPlaceIfPossible" } },
          },
        ],
      },
    },
    want: [
      "spec.roles[a].engineRuntimes has no effect: write its containers into the template",
      "spec.roles[a].rolloutStrategy.rollingUpdate.type has no effect: pods are recreated",
      "spec.roles[a].rolloutStrategy.rollingUpdate.maxSurge has no effect under StatefulSet, " +
        "whose pods have fixed names: use maxUnavailable",
    ],
  },
  "a placement that nobody sees to is named": {
    given: {
      metadata: {
        name: "chat",
        annotations: {
          "rolebasedgroup.workloads.x-k8s.io/exclusive-topology": "kubernetes.io/hostname",
        },
      },
      spec: { roles: [{ name: "a", template }] },
    },
    want: [
      "metadata.annotations[rolebasedgroup.workloads.x-k8s.io/exclusive-topology] has no effect: " +
        "write podAntiAffinity into the templates, or place roles in batches " +
        "by a coordination of type AffinityScheduling",
    ],
  },
  "other workloads have surge": {
    given: {
      spec: {
        roles: [
          {
            name: "a",
            template,
            workload: { apiVersion: "apps/v1", kind: "Deployment" },
            rolloutStrategy: { rollingUpdate: { maxSurge: 1 } },
          },
        ],
      },
    },
    want: [],
  },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  expect(warningsOf(given)).toEqual(want);
});
