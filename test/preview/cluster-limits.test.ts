/** What else a plan reads from a cluster: quotas, budgets and autoscalers count, and what may not be read is named. */
import { expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { autoscalerResource } from "../../src/api/autoscaler.ts";
import type { Node } from "../../src/api/node.ts";
import { nodeResource } from "../../src/api/node.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { Plan } from "../../src/preview/plan.ts";
import type { Transport } from "../../src/runtime/transport.ts";
import { cliOf } from "../builders/cli.ts";
import { namespace } from "../builders/scenario.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { preview } from "./planned-and-done.ts";
import { atLeastOne } from "../builders/must.ts";

const budgets: Resource = {
  group: "policy",
  version: "v1",
  plural: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  namespaced: true,
};

async function web() {
  const parallel = { podManagementPolicy: "Parallel", ...rolling(1) } as const;
  const world = await statefulSetScenario({ replicas: 2, spec: parallel });
  await world.settled();
  await world.clock.runFor(60_000);
  return world;
}

const rolled = { resource: statefulSetResource, name: "web", images: ["app=web:v2"] };

/** The embedded server has no quotas; a real one lists them. */
const withQuota = (transport: Transport, quota: object): Transport => ({
  stream: (request, onEvent) => transport.stream(request, onEvent),
  request: (request) =>
    request.path.endsWith("/resourcequotas")
      ? Promise.resolve({ status: 200, warnings: [], body: { metadata: {}, items: [quota] } })
      : transport.request(request),
});

test("RO7 a quota that is too small is the reason why a plan does not finish", async () => {
  const world = await web();
  const quota = { metadata: { name: "small", namespace }, spec: { hard: { pods: "3" } } };
  const cli = cliOf({ clock: world.clock, transport: withQuota(world.transport, quota) });
  const { code, text } = await cli.lockstep("plan sts/web --replicas 4 -o json");
  const plan = JSON.parse(text) as Plan;
  expect({ code, verdict: plan.verdict }).toEqual({ code: 2, verdict: "stalls" });
  expect(plan.warnings).toContainEqual({
    code: "QuotaExceeded",
    message: expect.stringContaining(
      "exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3",
    ) as string,
  });
});

test("RO1 a budget for disruptions that allows none is named", async () => {
  const world = await web();
  await world.client.create(budgets, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "all", namespace },
    spec: { minAvailable: "100%", selector: { matchLabels: { app: "web" } } },
  } as never);
  const { plan } = await preview(world, rolled);
  expect(plan.warnings).toContainEqual({
    code: "DisruptionBudget",
    message:
      "PodDisruptionBudget all allows no disruption now: a rollout deletes pods all the same, " +
      "and drains of nodes wait until it is over",
  });
});

test("RO7 taints of the nodes keep pods away in the copy, too", async () => {
  const world = await web();
  const { items } = await world.client.list<Node>(nodeResource);
  for (const { metadata } of items) {
    const body = { spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } };
    await world.client.patch(nodeResource, { name: metadata.name ?? "" }, { type: "merge", body });
  }
  const fields = ["spec.replicas=3"];
  const { plan } = await preview(world, { resource: statefulSetResource, name: "web", fields });
  expect(plan).toMatchObject({ verdict: "stalls", warnings: [{ code: "CannotFinish" }] });
  expect(plan.warnings[0]?.message).toMatch(
    /a pod finds no place: .*web-2: not scheduled: 0\/\d+ nodes are available: \d+ node\(s\) had untolerated taint/,
  );
});

test("RO9 an autoscaler of the cluster has its say in the copy", async () => {
  const world = await web();
  await world.client.create(autoscalerResource, {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace },
    spec: {
      minReplicas: 3,
      maxReplicas: 5,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" },
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
        },
      ],
    },
  } as never);
  const { plan } = await preview(world, rolled);
  const created = plan.steps
    .flatMap(({ writes }) => writes)
    .filter(({ verb }) => verb === "create");
  expect(created.map(({ name }) => name)).toContain("web-2");
});

/** Refuses lists of these, as a role without them does. */
const without = (transport: Transport, plurals: readonly string[]): Transport => ({
  stream: (request, onEvent) => transport.stream(request, onEvent),
  request: (request) => {
    const plural = plurals.find((each) => request.path.endsWith(`/${each}`));
    if (plural === undefined) return transport.request(request);
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden" };
    const message = `${plural} is forbidden`;
    return Promise.resolve({ status: 403, warnings: [], body: { ...status, message, code: 403 } });
  },
});

test("what may not be read is named, and the plan goes on without it", async () => {
  const world = await web();
  const names = ["nodes", "resourcequotas", "poddisruptionbudgets", "horizontalpodautoscalers"];
  const cli = cliOf({ clock: world.clock, transport: without(world.transport, names) });
  const { code, text } = await cli.lockstep("plan sts/web --image app=web:v2");
  expect(code).toBe(0);
  for (const name of atLeastOne(names)) expect(text).toContain(`you may not list ${name}`);
  const blind = cliOf({
    clock: world.clock,
    transport: without(world.transport, ["statefulsets"]),
  });
  const refused = await blind.lockstep("plan sts/web --image app=web:v2");
  expect(refused.code).toBe(1);
  expect(refused.text).toContain("you may not list statefulsets.apps in namespace default");
});
