/** Revisions as kube-controller-manager recorded them on a real API server; see scripts/record-revisions.ts. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { PodTemplate } from "../../src/api/apps.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { canonicalJson } from "../../src/api/canonical-json.ts";
import { revisionData, revisionName } from "../../src/controllers/statefulset/revisions.ts";
import { changing } from "../../src/simulation/faults.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { oddTemplates } from "../k8s/odd-templates.ts";

interface Recorded {
  readonly revision: string;
  readonly template: PodTemplate;
}

const file = new URL("../recorded/revisions.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as Record<string, Recorded>;

test.each(Object.entries(recorded))(
  "ST10 %s has upstream's name",
  (name, { revision, template }) => {
    expect(revisionName(name, canonicalJson(revisionData(template)), 0)).toBe(revision);
  },
);

test.each(Object.entries(oddTemplates))(
  "ST10 %s gets upstream's name on the embedded server too, defaults included",
  async (name, template) => {
    const scenario = await statefulSetScenario({ name, replicas: 0, spec: { template } });
    await scenario.settled();
    const { spec, status } = await scenario.set();
    expect(spec.template).toEqual(recorded[name]?.template);
    expect(status?.updateRevision).toBe(recorded[name]?.revision);
  },
);

test("ST13 revisions are adopted before the pods that refer to them, as upstream does", async () => {
  const patched: string[] = [];
  const scenario = await statefulSetScenario({
    replicas: 2,
    faults: changing((request) => {
      if (request.method === "PATCH") patched.push(request.path.split("/").at(-2) ?? "");
      return request;
    }),
  });
  await scenario.settled();
  const key = { namespace: "default", name: "web" };
  await scenario.client.delete(statefulSetResource, key, { propagationPolicy: "Orphan" });
  await scenario.clock.runFor(20_000);
  patched.length = 0;
  await scenario.createSet({ replicas: 2 });
  await scenario.settled();
  const adopted = patched.filter((each) => each === "controllerrevisions" || each === "pods");
  expect(adopted).toEqual(["controllerrevisions", "pods", "pods"]);
});
