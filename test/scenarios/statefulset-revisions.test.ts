/** Revisions as kube-controller-manager recorded them on a real API server; see scripts/record-revisions.ts. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { PodTemplate } from "../../src/api/apps.ts";
import { canonicalJson } from "../../src/api/canonical-json.ts";
import { revisionData, revisionName } from "../../src/controllers/statefulset/revision-data.ts";
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
