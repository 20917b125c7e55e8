/** Somebody changes their mind at every moment of every kind of rollout. */
import { expect, test } from "vitest";
import { snapshot } from "../../test/builders/fleet.ts";
import { PlannerWorld } from "../../test/builders/planner-world.ts";
import {
  cliquePolicy,
  replicaRecreatePolicy,
  scalingGroupPolicy,
  statefulSetPolicy,
  type OnDeletePolicy,
  type Policy,
} from "./policy.ts";
import { atLeastOne } from "../../test/builders/must.ts";

const mixed = { maxUnavailable: 1, maxSurge: 1 };
const surge = { maxUnavailable: 0, maxSurge: 2 };
const down = { maxUnavailable: 2, maxSurge: 0 };
const onDelete = (scaleIn: OnDeletePolicy["scaleIn"]): OnDeletePolicy => ({
  kind: "onDelete",
  budget: { maxUnavailable: 1, maxSurge: 0 },
  pacing: "parallel",
  scaleIn,
});

const policies: Record<string, Policy> = {
  "clique, both budgets": cliquePolicy(mixed),
  "scaling group, surge": scalingGroupPolicy(surge),
  "whole replicas, two down": replicaRecreatePolicy(down),
  "whole replicas, surge": replicaRecreatePolicy(surge),
  "StatefulSet, rounds": statefulSetPolicy(down, 0, "rounds"),
  "StatefulSet, strict": statefulSetPolicy(down, 0, "strict"),
  "StatefulSet, parallel": statefulSetPolicy(down, 0, "parallel"),
  "StatefulSet, broken units wait": statefulSetPolicy(down, 0, "rounds", "wait"),
  "OnDelete, the highest leaves": onDelete("highestOrdinal"),
  "OnDelete, outdated leave first": onDelete("outdatedFirst"),
};

const orders: Record<string, (world: PlannerWorld) => void> = {
  "RO6 a new target": (world) => world.change({ targetRevision: "v3", previousRevision: "v2" }),
  "RO6 a rollback": (world) => world.change({ targetRevision: "v1", previousRevision: "v2" }),
  "RO9 scale-out": (world) => world.change({ desired: 7 }),
  "RO9 scale-in": (world) => world.change({ desired: 2 }),
  "RO9 scale to nothing": (world) => world.change({ desired: 0 }),
  "RO13 a partition set": (world) => world.setPartition(3),
  "RO13 a partition set and lowered": (world) => {
    world.setPartition(4);
    turn(world);
    world.setPartition(1);
  },
  "RO12 a pause, three looks and a resume": (world) => {
    world.change({ paused: true });
    for (let look = 0; look < 3; look += 1) turn(world);
    expect(world.reconcile().some(({ kind, code }) => kind === "replace" || code === "Surge")).toBe(
      false,
    );
    world.change({ paused: false });
  },
};

/** The controller acts, and the first unit that has somewhere to go gets there. */
function turn(world: PlannerWorld): void {
  world.refresh();
  world.reconcile();
  const moving = world.truth.units.findIndex(({ health }) => health !== "available");
  if (moving >= 0) world.happen("settle", moving);
}

const moments = Array.from({ length: 24 }, (_, at) => at);
const pairs = Object.keys(policies).flatMap((policy) =>
  Object.keys(orders).map((order) => [order, policy] as const),
);

test.each(pairs)("%s at every moment of a rollout of %s", (order, policy) => {
  for (const moment of atLeastOne(moments)) {
    const world = new PlannerWorld(snapshot("v1 v1 v1 v1 v1"), policies[policy]!);
    for (let at = 0; at < moment; at += 1) turn(world);
    orders[order]!(world);
    world.finish();
    expect(world.flaws(), `after ${moment} turns`).toEqual([]);
  }
});
