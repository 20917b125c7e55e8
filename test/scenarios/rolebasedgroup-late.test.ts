/** A group whose operator sees things late: the promises check after every event that every bound holds. */
import { expect, test } from "vitest";
import { controllerRevisionResource, statefulSetResource } from "../../src/api/apps.ts";
import { podResource } from "../../src/api/pod.ts";
import { roleBasedGroupResource } from "../../src/api/rbg/rolebasedgroup.ts";
import type { Resource } from "../../src/api/resource.ts";
import { serviceResource } from "../../src/api/service.ts";
import { seenLate } from "../../src/simulation/faults.ts";
import type { GroupScenario, GroupScenarioOptions } from "../builders/role-based-group-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";

const pair: GroupScenarioOptions = {
  sizes: { prefill: 6, decode: 3 },
  strategy: { maxUnavailableRatio: "34%", maxSkew: "20%" },
};
const workload = { apiVersion: "v1", kind: "Pod" };

interface Maker {
  readonly options: GroupScenarioOptions;
  /** What its operator decides by. */
  readonly late: readonly Resource[];
}

const makers: Record<string, Maker> = {
  "StatefulSets under Lockstep": {
    options: {},
    late: [roleBasedGroupResource, statefulSetResource, podResource],
  },
  "StatefulSets under the cluster's own controller": {
    options: { isBeside: true },
    late: [statefulSetResource, podResource],
  },
  "pods that Lockstep makes": {
    options: { roles: { prefill: { workload }, decode: { workload } } },
    late: [roleBasedGroupResource, podResource, serviceResource, controllerRevisionResource],
  },
};

/** A rollout, another image in its middle, a role that grows meanwhile, and the way back. */
async function everything(options: GroupScenarioOptions): Promise<GroupScenario> {
  const scenario = await groupScenario({ ...pair, ...options });
  await scenario.settled();
  await scenario.setImage("web:v2");
  await scenario.until(() => /prefill [1-9]/.test(scenario.counts("web:v2")));
  await scenario.setImage("web:v3");
  await scenario.clock.runFor(4_000);
  await scenario.scale("prefill", 8);
  await scenario.settled();
  await scenario.atRest();
  expect(scenario.counts("web:v3")).toBe("decode 3/3 prefill 8/8");
  await scenario.setImage("web:v2", "decode");
  await scenario.clock.runFor(5_000);
  await scenario.setImage("web:v3");
  await scenario.scale("prefill", 5);
  await scenario.settled();
  await scenario.atRest();
  return scenario;
}

const rows = Object.entries(makers).flatMap(([maker, { options, late }]) =>
  late.map((resource) => [resource.plural, maker, { ...options, resource }] as const),
);

test.each(rows)(
  "CO1 CO3 CO5 CO10 %s are seen three seconds late, roles are %s: every bound holds, and it ends",
  async (_plural, _maker, { resource, ...options }) => {
    const scenario = await everything({ ...options, faults: seenLate(resource, 3_000) });
    expect(scenario.counts("web:v3")).toBe("decode 3/3 prefill 5/5");
  },
);
