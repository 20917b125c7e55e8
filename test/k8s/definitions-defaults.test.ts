/** On a real API server: the policy that is shipped writes the defaults of a PodCliqueSet back into its spec. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { withDefaults } from "../../src/api/grove/defaults.ts";
import type { PodCliqueSet, PodCliqueSetSpec } from "../../src/api/grove/podcliqueset.ts";
import { customDefinitions } from "../../src/cli/definitions.ts";
import type { Answer, ContractClient } from "../contract/contract-client.ts";
import { contractClient } from "../contract/contract-client.ts";
import { eventually } from "../contract/eventually.ts";
import type { Json } from "../contract/json.ts";
import type { ControlPlane } from "../control-plane/control-plane.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import type { SetParts } from "../definitions/sets.ts";
import { clique, group, podCliqueSet } from "../definitions/sets.ts";

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const setsPath = "/apis/grove.io/v1alpha1/namespaces/default/podcliquesets";
const plurals: Readonly<Record<string, string>> = {
  MutatingAdmissionPolicy: "mutatingadmissionpolicies",
  MutatingAdmissionPolicyBinding: "mutatingadmissionpolicybindings",
};
const shipped = readFileSync(join(import.meta.dirname, "../../deploy/defaults.yaml"), "utf8");

let plane: ControlPlane;
let api: ContractClient;

/** Says nothing that has a default. */
const terse = (parts: SetParts = {}): Json =>
  podCliqueSet({
    ...parts,
    template: {
      cliques: [
        clique("frontend", { spec: { replicas: 3 } }),
        clique("router", { spec: { replicas: undefined, autoScalingConfig: { maxReplicas: 4 } } }),
        clique("leader"),
      ],
      podCliqueScalingGroups: [
        group("decode", ["leader"], { replicas: 2, scaleConfig: { maxReplicas: 4 } }),
      ],
      ...parts.template,
    },
  });
const specOf = ({ body }: Answer): PodCliqueSetSpec => (body as unknown as PodCliqueSet).spec;

beforeAll(async () => {
  plane = await startControlPlane();
  api = contractClient(plane);
  for (const definition of customDefinitions()) await api.post(definitionsPath, definition);
  for (const document of parseAllDocuments(shipped)) {
    const policy = document.toJS() as { kind: string };
    const path = `/apis/admissionregistration.k8s.io/v1/${plurals[policy.kind]}`;
    await api.post(path, policy);
  }
  await eventually(
    "the policy is in force",
    () => api.post(setsPath, terse(), { dryRun: "All" }),
    (answer) =>
      answer.status === 201 && specOf(answer).template.cliques[0]?.spec.minAvailable === 3,
  );
});
afterAll(async () => {
  api.close();
  await plane.stop();
});

test("every default that depends on other fields is in the spec, as the operator reads it", async () => {
  const spec = specOf(await api.post(setsPath, terse(), { dryRun: "All" }));
  const { updateStrategy: _strategy, ...defaulted } = withDefaults(spec);
  expect(spec).toEqual(defaulted);
  expect(spec.template.cliques[1]?.spec).toMatchObject({
    replicas: 1,
    minAvailable: 1,
    autoScalingConfig: { minReplicas: 1, maxReplicas: 4 },
    podSpec: { restartPolicy: "Always", terminationGracePeriodSeconds: 30 },
  });
});

test("what is set stays as it is", async () => {
  const own = { restartPolicy: "OnFailure", terminationGracePeriodSeconds: 5 };
  const cliques = [
    clique("frontend", { spec: { replicas: 3, minAvailable: 2 }, podSpec: own }),
    clique("leader"),
  ];
  const { template } = specOf(
    await api.post(setsPath, terse({ template: { cliques } }), { dryRun: "All" }),
  );
  expect(template.cliques[0]?.spec).toMatchObject({ minAvailable: 2, podSpec: own });
});

test("minAvailable stays what it was when replicas change and it is not said", async () => {
  const created = await api.post(setsPath, terse({ name: "kept" }));
  const { resourceVersion } = (created.body as { metadata: Json }).metadata;
  const { cliques } = (terse() as { spec: { template: { cliques: Json[] } } }).spec.template;
  const more = [clique("frontend", { spec: { replicas: 5 } }), ...cliques.slice(1)];
  const next = terse({ name: "kept", template: { cliques: more } });
  const answer = await api.put(`${setsPath}/kept`, {
    ...next,
    metadata: { name: "kept", resourceVersion },
  });
  expect(answer.status).toBe(200);
  expect(specOf(answer).template.cliques[0]?.spec).toMatchObject({ replicas: 5, minAvailable: 3 });
});
