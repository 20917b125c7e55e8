/** Coordination while somebody steers: new targets, sizes, partitions and pauses in the middle. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  coordinationPolicy,
  roleOf,
  coordinationSnapshot,
  unitOf,
} from "../../../test/builders/coordinated-roles.ts";
import { must } from "../../../test/builders/must.ts";
import { decideCoordination } from "./decide-coordination.ts";
import type { CoordinatedRole, CoordinationPolicy } from "./coordinated-roles.ts";
import type { CoordinationDecision } from "./coordination-decision.ts";
import type { Unit } from "../unit.ts";

type Order =
  | { readonly kind: "target"; readonly revision: string }
  | { readonly kind: "scale"; readonly role: number; readonly desired: number }
  | { readonly kind: "partition"; readonly partition: string }
  | { readonly kind: "pause"; readonly paused: boolean }
  | { readonly kind: "break"; readonly role: number; readonly ordinal: number }
  | { readonly kind: "nothing" };

const order: fc.Arbitrary<Order> = fc.oneof(
  fc.record({ kind: fc.constant("target"), revision: fc.constantFrom("v1", "v2", "v3") }),
  fc.record({
    kind: fc.constant("scale"),
    role: fc.nat(2),
    desired: fc.integer({ min: 0, max: 9 }),
  }),
  fc.record({ kind: fc.constant("partition"), partition: fc.constantFrom("0%", "30%", "80%") }),
  fc.record({ kind: fc.constant("pause"), paused: fc.boolean() }),
  fc.record({ kind: fc.constant("break"), role: fc.nat(2), ordinal: fc.nat(8) }),
  fc.record({ kind: fc.constant("nothing") }),
);

interface World {
  readonly roles: readonly CoordinatedRole[];
  readonly target: string;
  readonly partition: string;
  readonly paused: boolean;
}

function obey(world: World, given: Order): World {
  const changeRole = (at: number, change: (role: CoordinatedRole) => CoordinatedRole): World => ({
    ...world,
    roles: world.roles.map((role, index) => (index === at ? change(role) : role)),
  });
  switch (given.kind) {
    case "target":
      return { ...world, target: given.revision };
    case "partition":
      return { ...world, partition: given.partition };
    case "pause":
      return { ...world, paused: given.paused };
    case "scale":
      return changeRole(given.role, (role) => ({ ...role, desired: given.desired }));
    case "break":
      return changeRole(given.role, (role) => ({
        ...role,
        units: role.units.map((unit) =>
          unit.ordinal === given.ordinal ? { ...unit, health: "unavailable" } : unit,
        ),
      }));
    case "nothing":
      return world;
  }
}

const amountsOf = ({ partition }: World) => ({ maxUnavailable: 2, maxSkew: "20%", partition });

const decideIn = (world: World): { decision: CoordinationDecision; policy: CoordinationPolicy } => {
  const policy = coordinationPolicy(amountsOf(world), world.roles);
  const { target: targetRevision, paused } = world;
  const decision = decideCoordination(
    coordinationSnapshot(world.roles, { targetRevision, paused }),
    policy,
  );
  return { decision, policy };
};

/** A workload that does everything it may at once; units below the cursor come back as v1. */
function work(role: CoordinatedRole): CoordinatedRole {
  const { revision, ordinal: lowest } = role.cursor!;
  const units = Array.from({ length: role.desired }, (_, ordinal): Unit => {
    const unit = role.units.find((each) => each.ordinal === ordinal);
    if (unit === undefined) return unitOf(role.role, ordinal, ordinal < lowest ? "v1" : revision);
    if (ordinal >= lowest && unit.revision !== revision) {
      return unitOf(role.role, ordinal, revision, "pending");
    }
    return unit.health === "pending" ? { ...unit, health: "available" } : unit;
  });
  return { ...role, units, observedRevision: revision };
}

/** Units that serve and that are not asked to be replaced. */
function serving({ units, desired, cursor }: CoordinatedRole): number {
  return units.filter(
    ({ ordinal, health, revision }) =>
      ordinal < desired &&
      health === "available" &&
      (ordinal < cursor!.ordinal || revision === cursor!.revision),
  ).length;
}

function act(world: World): World {
  const { decision, policy } = decideIn(world);
  const roles = world.roles.map((role, at) => {
    const after = { ...role, cursor: decision.roles[at]!.cursor };
    // A new target closes the cursor; that is no rise by itself.
    if (role.cursor!.revision !== after.cursor.revision) return after;
    const fall = role.cursor!.ordinal - after.cursor.ordinal;
    must(world.paused ? fall === 0 : fall >= 0, "the cursor never rises", () => [role, after]);
    const least = role.desired - policy.limits[role.role]!.maxUnavailable;
    must(serving(after) >= Math.min(serving(role), least), "budget", () => [role, after]);
    return after;
  });
  return { ...world, roles };
}

test("CO3 CO7 CO8 CO10 whatever is ordered in the middle, budget and cursor hold, and it ends", () => {
  fc.assert(
    fc.property(fc.array(order, { maxLength: 25 }), (orders) => {
      let world: World = {
        roles: [5, 3, 1].map((size, at) => roleOf(`role${at}`, size)),
        target: "v2",
        partition: "0%",
        paused: false,
      };
      for (const given of orders) {
        world = act(obey(world, given));
        world = { ...world, roles: world.roles.map(work) };
      }
      // From here nobody interferes, and what was broken has been repaired.
      const repaired = (role: CoordinatedRole): CoordinatedRole => ({
        ...role,
        units: role.units.map((unit) => ({ ...unit, health: "available" })),
      });
      world = { ...world, paused: false, partition: "0%", roles: world.roles.map(repaired) };
      for (let round = 0; round < 100 && decideIn(world).decision.kind !== "done"; round += 1) {
        world = act(world);
        world = { ...world, roles: world.roles.map(work) };
      }
      expect(decideIn(world).decision.reason.code).toBe("RolledOut");
    }),
    { numRuns: 200 },
  );
});
