/** What a plan warns of: the situation in, the warning out. Those of quotas and budgets are beside it. */
import { expect, test } from "vitest";
import type { PlanWarning } from "../../src/preview/plan.ts";
import { groupScenarioKind, statefulSetScenarioKind } from "../../src/simulation/scenario-kinds.ts";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import { podCliqueSetScenarioKind } from "../builders/grove-kinds.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { groupOf } from "../builders/role-based-group-scenario.ts";
import { scenario } from "../builders/scenario.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import type { Change } from "./planned-and-done.ts";
import { preview } from "./planned-and-done.ts";

type Edit = Pick<Change, "images" | "fields">;
type Expected = readonly [PlanWarning["code"], RegExp];

const front = "spec.template.cliques.front";
const newImage = { images: ["app=chat:v2"] };

const inWords = (...parts: readonly string[]): RegExp => new RegExp(`^${parts.join("")}$`);

/** Two pods of a clique that fill the two GPUs of the only node. */
const surging = { maxUnavailable: 0, maxSurge: 1 };
const full: Readonly<Record<string, readonly [object, Expected]>> = {
  "RO2 a surge that does not fit": [
    { type: "RollingUpdate", progressDeadlineSeconds: 60 },
    [
      "SurgeDoesNotFit",
      inWords(
        "cannot finish: the surge does not fit: waiting for chat-0 .*; chat-0-front-2: not scheduled: ",
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu; make room for it, ",
        "or replace in place: maxUnavailable 1 and maxSurge 0",
      ),
    ],
  ],
  "RO2 a surge that is given up leaves a budget of nothing": [
    { type: "RollingUpdate", progressDeadlineSeconds: 60, onStuck: "ReleaseSurge" },
    [
      "NoBudget",
      inWords(
        "cannot finish: the budget allows nothing: .* no pod may be down and the surge was released ",
        "because it did not fit: make room and restart the rollout .*, or change the template",
      ),
    ],
  ],
  "RO15 a surge that does not fit, and is rolled back": [
    { type: "RollingUpdate", progressDeadlineSeconds: 60, onStuck: "Rollback" },
    [
      "RolledBack",
      inWords(
        "cannot finish: the surge does not fit, so it is rolled back, as onStuck asks: ",
        ".* 1 Insufficient nvidia.com/gpu",
      ),
    ],
  ],
};

test.each(Object.entries(full))("%s", async (_what, [strategy, [code, words]]) => {
  const resources = { limits: { "nvidia.com/gpu": "1" } };
  const podSpec = { containers: [{ name: "app", image: "front:v1", resources }] };
  const cliques = { front: { replicas: 2, podSpec, updateStrategy: surging } };
  const world = await scenario({
    kinds: [podCliqueSetScenarioKind],
    cluster: { nodes: 1, shape: { gpus: 2 } },
    objects: [podCliqueSetOf({ strategy: { ...strategy }, cliques })],
  });
  await world.clock.runFor(60_000);
  const change = { resource: podCliqueSetResource, name: "chat", ...newImage };
  const { plan, code: exitCode } = await preview(world, change);
  const [first] = plan.warnings;
  expect(first?.code).toBe(code);
  expect(first?.message).toMatch(words);
  expect(plan.components).toMatchObject([{ lowestAvailable: 2, promisedAvailable: 2 }]);
  expect({ exitCode, peakExtra: plan.peakExtra }).toEqual({
    exitCode: 2,
    peakExtra: { "nvidia.com/gpu": 1 },
  });
});

/** Two pods of a clique; whole replicas are recreated where it is said. */
const sets: Readonly<Record<string, readonly [object, Edit, Expected]>> = {
  "PS10 a gang that is too large for the nodes": [
    { type: "ReplicaRecreate", progressDeadlineSeconds: 60 },
    { fields: [`${front}.spec.podSpec.containers.app.resources={"requests":{"cpu":"40"}}`] },
    ["GangDoesNotFit", /cannot finish: a gang does not fit: .*Insufficient cpu/],
  ],
  "PS11 a spec that is accepted by the server and by nobody else": [
    {},
    { fields: [`${front}.annotations={"notes":"${"x".repeat(256 * 1024)}"}`] },
    ["SpecRejected", /cannot finish: the spec is not accepted: .*Too long/],
  ],
  "RO15 pods that run and are never ready": [
    { type: "RollingUpdate", progressDeadlineSeconds: 60 },
    { images: ["app=chat:never-ready"] },
    ["DeadlineExceeded", /nothing moves within its progress deadline: waiting for chat-0/],
  ],
  "PS10 a rollout that its own strategy rolls back": [
    { type: "RollingUpdate", progressDeadlineSeconds: 60, onStuck: "Rollback" },
    { images: ["app=chat:never-ready"] },
    [
      "RolledBack",
      /it is rolled back, as onStuck asks: waiting for chat-0 .*; chat-0-front has 1 of 2 pods updated, 1 ready$/,
    ],
  ],
  "RO3 an image that crashes": [
    { type: "RollingUpdate", progressDeadlineSeconds: 600 },
    { images: ["app=chat:crash"] },
    ["ImageFails", /a container does not keep running: .*CrashLoopBackOff/],
  ],
  "a budget that nothing looks at": [
    { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
    newImage,
    [
      "SettingWithoutEffect",
      /spec\.updateStrategy\.rollingUpdate has no effect under RollingUpdate/,
    ],
  ],
  "a field that is misspelt": [
    {},
    { fields: ["spec.replicass=3"] },
    [
      "SettingWithoutEffect",
      /^unknown field "spec.replicass": nothing reads it, and kubectl apply refuses it$/,
    ],
  ],
  "PS1 two versions side by side": [{}, newImage, ["MixedVersions", /or use .*ReplicaRecreate/]],
  "PS1 an edit that touches no pod": [
    {},
    { fields: ["spec.updateStrategy.progressDeadlineSeconds=900"] },
    ["NothingChanges", /no pod would be touched/],
  ],
};

test.each(Object.entries(sets))("%s", async (_what, [strategy, edit, [code, words]]) => {
  const world = await scenario({
    kinds: [podCliqueSetScenarioKind],
    cluster: { nodes: 1 },
    objects: [podCliqueSetOf({ strategy: { ...strategy }, cliques: { front: { replicas: 2 } } })],
  });
  await world.clock.runFor(60_000);
  const { plan } = await preview(world, { resource: podCliqueSetResource, name: "chat", ...edit });
  expect(plan.warnings.find((warning) => warning.code === code)?.message).toMatch(words);
});

test("a setting of a group that does nothing", async () => {
  const idle = { rolloutStrategy: { rollingUpdate: { maxSurge: 1 } } };
  const world = await scenario({
    kinds: [groupScenarioKind, statefulSetScenarioKind("full")],
    objects: [groupOf({ roles: { prefill: idle } })],
  });
  await world.clock.runFor(60_000);
  const change = { resource: roleBasedGroupResource, name: "chat", images: ["app=web:v2"] };
  const { plan } = await preview(world, change);
  expect(plan.warnings).toContainEqual({
    code: "SettingWithoutEffect",
    message: expect.stringContaining("maxSurge") as string,
  });
});

test("an annotation of a StatefulSet that cannot be understood", async () => {
  const annotations = { "lockstep.dev/max-unavailable": "many" };
  const world = await scenario({
    kinds: [statefulSetScenarioKind("full")],
    objects: [statefulSetOf({ annotations })],
  });
  await world.clock.runFor(60_000);
  const change = { resource: statefulSetResource, name: "web", images: ["app=web:v2"] };
  const { plan } = await preview(world, change);
  expect(plan.warnings).toContainEqual({
    code: "SettingWithoutEffect",
    message: expect.stringContaining("lockstep.dev/max-unavailable") as string,
  });
});
