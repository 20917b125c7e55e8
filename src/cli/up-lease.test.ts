/** What `lockstep up` writes down about its own controllers, and what others make of it. */
import { expect, test } from "vitest";
import { createApiServer } from "../apiserver/api-server.ts";
import { builtinResources } from "../apiserver/catalogue/builtin-resources.ts";
import { readAbsentOperator } from "../rollouts/operator.ts";
import { LeaderElection } from "../runtime/leader.ts";
import { VirtualClock } from "../runtime/virtual-clock.ts";
import { holdLease } from "./up-lease.ts";

test("OP11 the controllers of the embedded cluster are at work as long as it runs, however fast", async () => {
  const clock = new VirtualClock();
  const { client } = createApiServer({ clock, resources: builtinResources() });
  const year = 365 * 24 * 3_600_000;
  const read = (aheadMs: number) => readAbsentOperator(client, clock.now() + aheadMs);
  expect(await read(0)).toEqual({ missing: "lockstep-system/lockstep" });
  await holdLease(client, clock, ["podcliqueset"]);
  for (const aheadMs of [-year, 0, year]) expect(await read(aheadMs)).toBeUndefined();

  const held: unknown[] = [];
  const beside = new LeaderElection({
    client,
    clock,
    namespace: "lockstep-system",
    name: "lockstep",
    identity: "gpu-7_1",
    onHeld: ({ holderIdentity }) => held.push(holderIdentity),
  });
  const stop = new AbortController();
  const ended = beside.lead(stop.signal, () => held.push("taken"));
  await clock.runFor(3_600_000);
  expect(held).toEqual(["lockstep-up"]);
  stop.abort();
  await clock.runFor(1_000);
  expect(await ended).toBe("stopped");
});
