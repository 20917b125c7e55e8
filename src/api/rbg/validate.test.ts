import { expect, test } from "vitest";
import { fieldErrorText } from "../field-error.ts";
import type { RoleBasedGroupSpec, RoleSpec, WrittenCoordination } from "./rolebasedgroup.ts";
import { validateRoleBasedGroup } from "./validate.ts";

const template = { spec: { containers: [{ name: "main", image: "app:v1" }] } };
const role = (name: string, parts: Partial<RoleSpec> = {}): RoleSpec => ({
  name,
  template,
  ...parts,
});
const pair = (parts: Partial<WrittenCoordination> = {}): WrittenCoordination => ({
  name: "pair",
  roles: ["a", "b"],
  strategy: { maxSkew: "1%" },
  ...parts,
});
const near = (ratios: Record<string, number>): WrittenCoordination =>
  pair({ name: "near", strategy: { affinityScheduling: { ratios } } });

const cases: Record<string, { given: RoleBasedGroupSpec; want: readonly string[] }> = {
  "a good group": {
    given: {
      roles: [role("a", { replicas: 4 }), role("b", { replicas: 2, dependencies: ["a"] })],
      coordination: [pair(), near({ a: 2, b: 1 })],
    },
    want: [],
  },
  "roles that wait for each other are reported once": {
    given: {
      roles: [
        role("a", { dependencies: ["b"] }),
        role("b", { dependencies: ["c"] }),
        role("c", { dependencies: ["a"] }),
      ],
    },
    want: [
      'spec.roles[0].dependencies: Invalid value: ["b"]: ' +
        "roles wait for each other (a after b after c after a): remove one of the dependencies",
    ],
  },
  "a role without containers": {
    given: { roles: [role("a", { template: {} })] },
    want: ["spec.roles[0].template: Required value: the pods have no containers: add at least one"],
  },
  "a template that does not exist": {
    given: { roles: [{ name: "a", templateRef: { name: "engine" } }] },
    want: [
      'spec.roles[0].templateRef.name: Invalid value: "engine": ' +
        "is not in roleTemplates: add the template or correct the name",
    ],
  },
  "an unknown role in a coordination": {
    given: { roles: [role("a")], coordination: [pair()] },
    want: [
      'spec.coordination[0].roles: Invalid value: "b": is not in roles: add the role or correct the name',
    ],
  },
  "a coordinated role with a strategy, a Deployment, and both at once twice": {
    given: {
      roles: [
        role("a", { rolloutStrategy: {} }),
        role("b", { workload: { apiVersion: "apps/v1", kind: "Deployment" } }),
      ],
      coordination: [pair(), pair({ name: "again", roles: ["a"] })],
    },
    want: [
      'spec.roles[0].rolloutStrategy: Invalid value: "a": ' +
        "pair updates this role: remove it, and write maxUnavailable and partition there",
      'spec.coordination[0].roles: Invalid value: "b": ' +
        "is under Deployment, whose pods have no order to stop at: use StatefulSet, or take the role out",
      'spec.coordination[1].roles: Invalid value: "a": ' +
        "is in pair too, which is of the same type: keep it in one of them",
      'spec.roles[0].rolloutStrategy: Invalid value: "a": ' +
        "again updates this role: remove it, and write maxUnavailable and partition there",
    ],
  },
  "replicas that fill no batch": {
    given: {
      roles: [role("a", { replicas: 6 }), role("b", { replicas: 4 })],
      coordination: [near({ a: 2, b: 1 })],
    },
    want: [
      'spec.coordination[0].strategy.affinityScheduling.ratios: Invalid value: {"a":2,"b":1}: some pods would be ' +
        "in no batch: set replicas to a 6, b 3 (3 full batches), or change the ratios",
    ],
  },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  const group = { metadata: { name: "chat" }, spec: given };
  expect(validateRoleBasedGroup(group).map(fieldErrorText)).toEqual(want);
});

test("names have to fit the labels of their pods", () => {
  const group = { metadata: { name: "x".repeat(40) }, spec: { roles: [role("y".repeat(12))] } };
  expect(validateRoleBasedGroup(group).map(({ field }) => field)).toEqual(["spec.roles[0].name"]);
});
