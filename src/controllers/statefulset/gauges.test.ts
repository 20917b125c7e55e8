import { expect, test } from "vitest";
import type { StatefulSetSpec } from "../../api/apps.ts";
import { OwnerMemory } from "../engine/per-owner.ts";
import { statefulSetGauges } from "./gauges.ts";
import type { Observed } from "./observe.ts";
import { readOverrides } from "./annotations.ts";
import type { RolloutPlan } from "./plan.ts";
import { fullPolicy } from "./policy.ts";

function shown() {
  const values = new Map<string, number>();
  const memory = new OwnerMemory();
  const gauges = statefulSetGauges(memory, (name) => {
    const key = (labels: Readonly<Record<string, string>>): string =>
      `${name.replace("statefulset_controller_statefulset_", "")} ${Object.values(labels).join("/")}`;
    return {
      set: (labels, value) => values.set(key(labels), value),
      remove: (labels) => values.delete(key(labels)),
    };
  });
  return { values, gauges, memory };
}

type Amount = number | string | undefined;
const rows: [
  number,
  Amount,
  "RollingUpdate" | "OnDelete",
  "OrderedReady" | "Parallel",
  number,
  number,
][] = [
  [5, 2, "RollingUpdate", "OrderedReady", 1, 2],
  [10, "20%", "RollingUpdate", "Parallel", 3, 2],
  [6, 3, "RollingUpdate", "OrderedReady", 3, 3],
  [4, 1, "RollingUpdate", "Parallel", 0, 1],
  [8, "25%", "RollingUpdate", "OrderedReady", 1, 2],
  [5, "80%", "RollingUpdate", "Parallel", 4, 4],
  [2, 1, "RollingUpdate", "OrderedReady", 1, 1],
  [1, 1, "RollingUpdate", "Parallel", 1, 1],
  [3, undefined, "OnDelete", "OrderedReady", 2, 1],
  [4, undefined, "OnDelete", "Parallel", 1, 1],
  [5, undefined, "RollingUpdate", "OrderedReady", 2, 1],
  [6, undefined, "RollingUpdate", "Parallel", 0, 1],
];

test.each(rows)(
  "ST27 %i replicas, maxUnavailable %s, %s, %s, %i down: at most %i may be",
  (replicas, maxUnavailable, type, podManagementPolicy, down, want) => {
    const rollingUpdate = maxUnavailable === undefined ? {} : { rollingUpdate: { maxUnavailable } };
    const spec: StatefulSetSpec = {
      replicas,
      podManagementPolicy,
      selector: {},
      template: {},
      updateStrategy: { type, ...rollingUpdate },
    };
    const set = { metadata: { namespace: "a", name: "web" }, spec };
    const pods = Array.from({ length: replicas }, (_, ordinal) => ({
      isCondemned: false,
      health: { health: ordinal < down ? "pending" : "available" },
    }));
    const { values, gauges, memory } = shown();
    const planned = { pods, policy: fullPolicy(set, readOverrides(set)) } as unknown as RolloutPlan;
    gauges.show({ set } as Observed, planned);
    expect([...values]).toEqual([
      [`max_unavailable a/web/${podManagementPolicy}`, want],
      [`unavailable_replicas a/web/${podManagementPolicy}`, down],
    ]);
    memory.forget("a/web");
    expect([...values]).toEqual([]);
  },
);
