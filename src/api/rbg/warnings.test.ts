import { expect, test } from "vitest";
import type { RoleBasedGroupSpec } from "./rolebasedgroup.ts";
import { warningsOf } from "./warnings.ts";

const template = { spec: { containers: [{ name: "main", image: "app:v1" }] } };

const cases: Record<string, { given: RoleBasedGroupSpec; want: readonly string[] }> = {
  "a plain group has none": { given: { roles: [{ name: "a", template }] }, want: [] },
  "what is only kept for compatibility is named": {
    given: {
      roles: [
        {
          name: "a",
          template,
          engineRuntimes: [{ profileName: "patio" }],
          rolloutStrategy: { rollingUpdate: { maxSurge: 1, type: "InPlaceIfPossible" } },
        },
      ],
    },
    want: [
      "spec.roles[a].engineRuntimes has no effect: write its containers into the template",
      "spec.roles[a].rolloutStrategy.rollingUpdate.type has no effect: pods are recreated",
      "spec.roles[a].rolloutStrategy.rollingUpdate.maxSurge has no effect under StatefulSet, " +
        "whose pods have fixed names: use maxUnavailable",
    ],
  },
  "other workloads have surge": {
    given: {
      roles: [
        {
          name: "a",
          template,
          workload: { apiVersion: "apps/v1", kind: "Deployment" },
          rolloutStrategy: { rollingUpdate: { maxSurge: 1 } },
        },
      ],
    },
    want: [],
  },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  expect(warningsOf(given)).toEqual(want);
});
