/** Changes that make no workload: refused in the words of the server, before anything is played. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliOf } from "../builders/cli.ts";
import { placementScenario } from "../builders/placement-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstep-malformed-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Case {
  readonly apiVersion: string;
  readonly kind: string;
  readonly word: string;
  readonly start: () => Promise<Parameters<typeof cliOf>[0]>;
  readonly edits: readonly string[];
  /** What a file must not say. */
  readonly specs: readonly string[];
}

const specs = ["spec: 1", "spec: {}", "spec: [1]"];

const cases: Record<string, Case> = {
  PodCliqueSet: {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodCliqueSet",
    word: "pcs/chat",
    start: () => podCliqueSetScenario({ cliques: { front: {} } }),
    edits: [
      "spec=1",
      "spec=null",
      "spec.template=[]",
      "spec.template.cliques=null",
      "spec.template.cliques.front=null",
      "spec.template.cliques.front.spec=1",
      "spec.template.cliques.front.spec.podSpec.containers=[null,1]",
      "spec.updateStrategy=OnDelete",
    ],
    specs,
  },
  StatefulSet: {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    word: "sts/web",
    start: () => statefulSetScenario({ replicas: 2 }),
    edits: ["spec=1", "spec.template=null", "spec.template.spec.containers=[null,1]"],
    specs,
  },
  RoleBasedGroup: {
    apiVersion: "workloads.x-k8s.io/v1alpha1",
    kind: "RoleBasedGroup",
    word: "rbg/chat",
    start: () => groupScenario({ sizes: { prefill: 1 } }),
    edits: ["spec=1", "spec=null", "spec.roles=null", "spec.roles.prefill=null", "spec.roles={}"],
    specs,
  },
  Placement: {
    apiVersion: "cluster.open-cluster-management.io/v1beta1",
    kind: "Placement",
    word: "placement/web",
    start: () => placementScenario({ clusters: 2 }),
    edits: ["spec=1", "spec.predicates=1", "spec.decisionStrategy=x"],
    specs: ["spec: 1", "spec: [1]"],
  },
};

describe.each(Object.entries(cases))(
  "%s",
  (_kind, { apiVersion, kind, word, start, ...refused }) => {
    let world: Parameters<typeof cliOf>[0];
    // The first one loads everything, which takes its time on a busy machine.
    beforeAll(async () => {
      world = await start();
    }, 60_000);

    const expectRefused = async (line: string): Promise<void> => {
      const { code, text } = await cliOf(world).lockstep(line);
      expect([line, code, text]).toEqual([line, 1, expect.stringMatching(/is invalid|BadRequest/)]);
      expect(text).not.toMatch(/internal error|^\s+at /m);
    };

    test.each(refused.edits)("--set %s is refused", async (edit) => {
      expect.hasAssertions();
      await expectRefused(`plan ${word} --set ${edit}`);
    });

    test.each(refused.specs)("a file with %s is refused", async (spec) => {
      expect.hasAssertions();
      const name = word.split("/")[1] ?? "";
      const file = join(folder, `${kind}.yaml`);
      writeFileSync(
        file,
        `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}}\n${spec}\n`,
      );
      for (const flag of ["-f", "--from"]) await expectRefused(`plan ${flag} ${file}`);
    });
  },
);
