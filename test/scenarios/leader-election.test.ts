/** Two operators and one lease: never do both write, and a dead leader is followed in bounded time. */
import { expect, test } from "vitest";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { seededIds } from "../../src/apiserver/ids.ts";
import { fencedTransport, LeaderElection } from "../../src/runtime/leader.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { Transport } from "../../src/runtime/transport.ts";
import { VirtualClock } from "../../src/runtime/virtual-clock.ts";

function election() {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, ids: seededIds(1), resources: builtinResources() });
  const candidate = (
    identity: string,
    onStopping: (leader: LeaderElection) => Promise<void> = () => Promise.resolve(),
  ) => {
    const link = { isCut: false };
    const transport: Transport = {
      request: (request) =>
        link.isCut ? Promise.reject(new Error("cut off")) : server.transport.request(request),
      stream: (request, onEvent) => server.transport.stream(request, onEvent),
    };
    const client = restClient(transport);
    const stopping = new AbortController();
    const leader = new LeaderElection({
      client,
      clock,
      namespace: "kube-system",
      name: "lockstep",
      identity,
    });
    const story: string[] = [];
    void leader
      .lead(
        stopping.signal,
        () => story.push("leads"),
        () => onStopping(leader),
      )
      .then((end) => story.push(end));
    return { leader, transport, link, story, stop: () => stopping.abort() };
  };
  return { clock, candidate };
}

test("RO11 one of two leads, and the other takes over at once when it leaves in peace", async () => {
  const { clock, candidate } = election();
  const [first, second] = [candidate("first"), candidate("second")];
  await clock.runFor(30_000);
  expect([first.story, second.story]).toEqual([["leads"], []]);
  first.stop();
  await clock.runFor(4_000);
  expect([first.story, second.story]).toEqual([["leads", "stopped"], ["leads"]]);
});

test("RO11 a leader that is cut off stops writing before another can begin", async () => {
  const { clock, candidate } = election();
  const [first, second] = [candidate("first"), candidate("second")];
  await clock.runFor(5_000);
  first.link.isCut = true;
  let stoppedAtMs = 0;
  let followedAtMs = 0;
  for (let step = 0; step < 400 && followedAtMs === 0; step++) {
    await clock.runFor(100);
    expect(first.leader.isLeader && second.leader.isLeader).toBe(false);
    if (!first.leader.isLeader && stoppedAtMs === 0) stoppedAtMs = clock.now();
    if (second.leader.isLeader) followedAtMs = clock.now();
  }
  expect(stoppedAtMs).toBeGreaterThan(0);
  expect(followedAtMs).toBeGreaterThan(stoppedAtMs);
  expect(first.story).toEqual(["leads", "lost"]);
});

test("RO11 a leader that slept through its lease finds its writes refused by itself", async () => {
  const { clock, candidate } = election();
  const first = candidate("first");
  await clock.runFor(1_000);
  const fenced = restClient(fencedTransport(first.transport, () => first.leader.isLeader));
  const resource = {
    group: "",
    version: "v1",
    plural: "configmaps",
    kind: "ConfigMap",
    namespaced: true,
  };
  const map = (name: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
  });
  await fenced.create(resource, map("before"));
  first.link.isCut = true;
  await clock.runFor(12_000);
  first.link.isCut = false;
  await expect(fenced.create(resource, map("after"))).rejects.toThrow("not the leader");
});

test("RO11 a short loss of the API server does not end a leadership", async () => {
  const { clock, candidate } = election();
  const [first, second] = [candidate("first"), candidate("second")];
  await clock.runFor(5_000);
  first.link.isCut = true;
  await clock.runFor(6_000);
  first.link.isCut = false;
  await clock.runFor(60_000);
  expect([first.story, second.story]).toEqual([["leads"], []]);
});

test("RO11 a leader that stops finishes its writes before it gives the lease back", async () => {
  const { clock, candidate } = election();
  const story: string[] = [];
  const first = candidate("first", async (leader) => {
    await Promise.resolve();
    story.push(`finishing while ${leader.isLeader ? "leading" : "not leading"}`);
  });
  await clock.runFor(5_000);
  first.stop();
  await clock.runFor(1_000);
  expect(story).toEqual(["finishing while leading"]);
  expect(first.leader.isLeader).toBe(false);
});
