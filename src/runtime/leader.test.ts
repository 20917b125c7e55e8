/** The election alone, against a lease whose answers come when a test lets them. */
import { expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import { ApiError } from "../api/status.ts";
import { microTimeText } from "../api/time-text.ts";
import { refused } from "../../test/builders/memory-server.ts";
import type { Client } from "./client.ts";
import { sleep } from "./clock.ts";
import { LeaderElection } from "./leader.ts";
import { VirtualClock } from "./virtual-clock.ts";

interface Lease extends KubeObject {
  spec?: { holderIdentity?: string; renewTime?: string; leaseTransitions?: number };
}

/** One lease with versions; reads and writes take as long as `delays` says. */
class LeaseServer {
  lease: Lease | undefined;
  #version = 0;

  client(clock: VirtualClock, delays: { requestMs: number; answerMs: number }): Client {
    const through = async <T>(answer: () => T): Promise<T> => {
      if (delays.requestMs > 0) await sleep(clock, delays.requestMs);
      const value = answer();
      if (delays.answerMs > 0) await sleep(clock, delays.answerMs);
      return value;
    };
    return {
      get: () => through(() => this.#read()),
      create: (_resource: unknown, lease: Lease) => through(() => this.#create(lease)),
      update: (_resource: unknown, lease: Lease) => through(() => this.#update(lease)),
    } as unknown as Client;
  }

  #read(): Lease {
    if (this.lease === undefined) throw new ApiError(refused(404, "NotFound"));
    return this.lease;
  }

  #create(lease: Lease): Lease {
    if (this.lease !== undefined) throw new ApiError(refused(409, "AlreadyExists"));
    return this.#store(lease);
  }

  #update(lease: Lease): Lease {
    if (lease.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) {
      throw new ApiError(refused(409, "Conflict"));
    }
    return this.#store(lease);
  }

  #store(lease: Lease): Lease {
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) };
    this.lease = { ...lease, metadata };
    return this.lease;
  }
}

function candidates() {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const candidate = (identity: string, ownClock = clock) => {
    const delays = { requestMs: 0, answerMs: 0 };
    const problems: string[] = [];
    const holders: unknown[] = [];
    const election = new LeaderElection({
      client: server.client(clock, delays),
      clock: ownClock,
      namespace: "lockstep-system",
      name: "lockstep",
      identity,
      annotations: { "lockstep.dev/controllers": "all" },
      onHeld: ({ holderIdentity }) => holders.push(holderIdentity),
      onProblem: (problem) => problems.push((problem as Error).message),
    });
    const stopping = new AbortController();
    const story: string[] = [];
    void election
      .lead(stopping.signal, () => story.push("leads"))
      .then((end) => story.push(`${end} at ${(clock.monotonic() - startMs) / 1000} s`));
    return { election, delays, story, holders, problems, stop: () => stopping.abort() };
  };
  const startMs = clock.monotonic();
  return { clock, server, candidate };
}

/** A clock that somebody sets wrong, beside the one that time passes on. */
const steppedClock = (clock: VirtualClock, byMs: () => number): VirtualClock =>
  Object.assign(Object.create(clock) as VirtualClock, {
    now: () => clock.now() + byMs(),
    monotonic: () => clock.monotonic(),
    after: (delayMs: number, task: () => void) => clock.after(delayMs, task),
  });

test("OP3 leadership counts from the request: a late answer leaves less of it", async () => {
  const { clock, candidate } = candidates();
  const { election, delays } = candidate("one");
  await clock.runFor(0);
  expect(election.isLeader).toBe(true);
  // Each of get and update waits 1.5 s for its answer, so a renewal is 3 s old when it arrives.
  delays.answerMs = 1_500;
  await clock.runFor(2_000 + 3_000);
  delays.requestMs = Number.MAX_SAFE_INTEGER / 4;
  // Renewed by the request at 2 s: until 12 s, not until 15 s.
  await clock.runFor(6_900);
  expect(election.isLeader).toBe(true);
  await clock.runFor(200);
  expect(election.isLeader).toBe(false);
});

test("OP3 a lease that nobody renews is taken over when its duration has passed since it was seen", async () => {
  const { clock, server, candidate } = candidates();
  const first = candidate("one");
  await clock.runFor(1_000);
  const second = candidate("two");
  first.delays.requestMs = Number.MAX_SAFE_INTEGER / 4;
  await clock.runFor(13_000);
  expect([first.election.isLeader, second.election.isLeader]).toEqual([false, false]);
  await clock.runFor(5_000);
  expect([first.election.isLeader, second.election.isLeader]).toEqual([false, true]);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
  expect(first.story).toEqual(["leads", "lost at 10 s"]);
});

test("OP3 a lease is taken over by its age when it was asked for: a late answer makes it no older", async () => {
  const { clock, server, candidate } = candidates();
  const first = candidate("one");
  await clock.runFor(1_000);
  first.delays.requestMs = Number.MAX_SAFE_INTEGER / 4;
  candidate("two").delays.answerMs = 1_800;
  const holder = (): string | undefined => server.lease?.spec?.holderIdentity;
  // Seen at 1 s, it is asked for at 14.4 s, where it is 13.4 s old; the answer comes at 16.2 s.
  await clock.runFor(18_000);
  expect(holder()).toBe("one");
  await clock.runFor(2_000);
  expect(holder()).toBe("two");
});

test("OP3 a renewal that hangs is given up in time for another, and the loss is noticed at once", async () => {
  const { clock, candidate } = candidates();
  const { delays, story, problems } = candidate("one");
  await clock.runFor(1_000);
  delays.requestMs = 60_000;
  await clock.runFor(5_500);
  delays.requestMs = 0;
  await clock.runFor(60_000);
  expect(story).toEqual(["leads"]);
  expect(problems).toEqual(["renew lease lockstep-system/lockstep: no answer within 4 s"]);
  delays.requestMs = 3_600_000;
  await clock.runFor(12_100);
  expect(story).toHaveLength(2);
  expect(story[1]).toMatch(/^lost at 7[0-9](\.[0-9]+)? s$/);
});

test.each([
  ["back", -3_600_000],
  ["forward", 3_600_000],
])("OP4 one hour %s on the wall clock of a leader changes nothing", async (_way, byMs) => {
  const { clock, candidate } = candidates();
  let steppedMs = 0;
  const first = candidate(
    "one",
    steppedClock(clock, () => steppedMs),
  );
  await clock.runFor(1_000);
  const second = candidate("two");
  await clock.runFor(5_000);
  steppedMs = byMs;
  await clock.runFor(120_000);
  expect([first.story, second.story]).toEqual([["leads"], []]);
  // Cut off, it stops in time as well: there are never two leaders.
  first.delays.requestMs = 3_600_000;
  for (let step = 0; step < 300; step++) {
    await clock.runFor(100);
    expect(first.election.isLeader && second.election.isLeader).toBe(false);
  }
  expect([first.election.isLeader, second.election.isLeader]).toEqual([false, true]);
});

test("OP4 a follower whose wall clock jumps does not steal a live lease", async () => {
  const { clock, candidate } = candidates();
  const first = candidate("one");
  let steppedMs = 0;
  await clock.runFor(1_000);
  const second = candidate(
    "two",
    steppedClock(clock, () => steppedMs),
  );
  await clock.runFor(2_500);
  // The renewal that is due now is slow: at its next look the follower finds the lease as it was before the jump.
  first.delays.requestMs = 1_500;
  steppedMs = 16_000;
  await clock.runFor(10_000);
  expect([first.story, second.story]).toEqual([["leads"], []]);
});

test("OP3 a leader that is asked to stop gives the lease back, also where the answer hangs", async () => {
  const { clock, server, candidate } = candidates();
  const { story, stop } = candidate("one");
  await clock.runFor(1_000);
  stop();
  await clock.runFor(0);
  expect(server.lease?.spec?.holderIdentity).toBe("");
  expect(story).toEqual(["leads", "stopped at 1 s"]);
  const second = candidate("two");
  await clock.runFor(3_000);
  second.delays.requestMs = 3_600_000;
  second.stop();
  await clock.runFor(10_000);
  expect(second.story[0]).toBe("leads");
  expect(second.story[1]).toMatch(/^stopped at [0-9.]+ s$/);
});

test("OP3 a candidate hears once who holds the lease, and again when another one does", async () => {
  const { clock, candidate } = candidates();
  const first = candidate("one");
  await clock.runFor(1_000);
  const second = candidate("two");
  await clock.runFor(1_000);
  const third = candidate("three");
  await clock.runFor(20_000);
  expect([first.holders, second.holders, third.holders]).toEqual([[], ["one"], ["one"]]);
  first.stop();
  await clock.runFor(5_000);
  expect([...second.holders, ...third.holders]).toHaveLength(3);
});

test("OP11 what the holder runs, and who it was, stay on a lease that was given back", async () => {
  const { clock, server, candidate } = candidates();
  candidate("one").stop();
  await clock.runFor(1_000);
  const { stop } = candidate("two");
  await clock.runFor(3_000);
  const annotations = { "lockstep.dev/controllers": "all", "lockstep.dev/last-holder": "two" };
  expect(server.lease?.metadata.annotations).toEqual(annotations);
  await clock.runFor(500);
  stop();
  await clock.runFor(0);
  expect(server.lease?.metadata.annotations).toEqual(annotations);
  // Given back now, not when it was renewed last.
  expect(server.lease?.spec).toMatchObject({
    holderIdentity: "",
    renewTime: microTimeText(clock.now()),
  });
});

test("OP6 a candidate knows whether it still hears of the lease", async () => {
  const { clock, candidate } = candidates();
  candidate("one");
  await clock.runFor(1_000);
  const { election, delays } = candidate("two");
  expect(election.isInTouch).toBe(false);
  await clock.runFor(3_000);
  expect([election.isLeader, election.isInTouch]).toEqual([false, true]);
  delays.requestMs = 3_600_000;
  await clock.runFor(30_000);
  expect(election.isInTouch).toBe(false);
});
