import { expect, test } from "vitest";
import { podGangGate } from "../../api/grove/labels.ts";
import type { Pod } from "../../api/pod.ts";
import { ClusterState } from "./cluster-state.ts";
import type { Gang, GangGroup, GangPart, Pack } from "./gang.ts";
import type { Place } from "./place-gang.ts";
import { placeGang, placeSurplus } from "./place-gang.ts";

/** Four nodes with two slots each, two nodes to a rack. */
function cluster(slots = 2): ClusterState {
  const state = new ClusterState(() => []);
  for (const index of [0, 1, 2, 3]) {
    const labels = { rack: `rack-${Math.floor(index / 2)}`, zone: "zone-0" };
    const allocatable = { pods: "110", "example.com/slot": String(slots) };
    const node = { metadata: { name: `node-${index}`, labels }, status: { allocatable } };
    state.putNode(node);
  }
  return state;
}

const pod = (name: string, gates: readonly string[] = []): Pod => ({
  metadata: { name, namespace: "default" },
  spec: {
    containers: [{ name: "app", resources: { requests: { "example.com/slot": 1 } } }],
    schedulingGates: gates.map((gate) => ({ name: gate })),
  },
});

/** `group("a", 2, 3)`: three pods, two of them needed. */
function group(name: string, min: number, count: number, more: Partial<GangGroup> = {}): GangGroup {
  const pods = Array.from({ length: count }, (_, index) => pod(`${name}-${index}`));
  return { name, bundle: name, minReplicas: min, pods, pack: {}, ...more };
}

const gang = (
  groups: readonly GangGroup[],
  pack: Pack = {},
  parts?: readonly GangPart[],
): Gang => ({
  key: "default/chat-0",
  pack,
  parts: parts ?? groups.map((each) => ({ pack: {}, groups: [each] })),
});

function outcome(given: Gang, state: ClusterState, bundle = "a"): string {
  const placement = placeGang(given, bundle, state);
  if (placement.kind === "waits") return `waits: ${placement.diagnosis.message}`;
  return drawn(placement.places);
}

const drawn = (places: readonly Place[]): string =>
  places.map((each) => `${each.pod.metadata.name}@${each.node}`).join(" ");

const nodesOf = (text: string): string[] => [
  ...new Set(text.split(" ").map((place) => place.split("@")[1] ?? "")),
];

test("GA1 a gang is placed as a whole", () => {
  expect(outcome(gang([group("a", 2, 2), group("b", 1, 1)]), cluster()).split(" ")).toHaveLength(3);
});

test("GA1 a gang that does not fit as a whole takes no place at all", () => {
  const state = cluster(1);
  const text = outcome(gang([group("a", 3, 3), group("b", 2, 2)]), state);
  expect(text).toMatch(/^waits: PodGang default\/chat-0 does not fit as a whole: b-1: 0\/4 nodes/);
  expect(state.nodes().map(({ usage }) => usage.podCount)).toEqual([0, 0, 0, 0]);
});

test("GA1 pods above the minimum come after it, where there is room", () => {
  const state = cluster(1);
  const given = gang([group("a", 1, 4), group("b", 1, 1)]);
  expect(outcome(given, state)).toBe("a-0@node-0 b-0@node-1");
  const { places, left } = placeSurplus(given, "a", state);
  expect(drawn(places)).toBe("a-1@node-2 a-2@node-3");
  expect(left.message).toMatch(
    /^PodGang default\/chat-0 has its minimum, one more does not fit: a-3/,
  );
});

test("GA2 a gang waits until it has all the pods it needs", () => {
  const text = outcome(gang([group("a", 2, 1), group("b", 1, 1)]), cluster());
  expect(text).toBe("waits: PodGang default/chat-0 waits for pods: a has 1 of 2");
});

test("GA3 pods behind our own gate get places that stay reserved", () => {
  const gated = group("b", 1, 0, { pods: [pod("b-0", [podGangGate])] });
  expect(outcome(gang([group("a", 1, 1), gated]), cluster())).toMatch(/b-0@/);
});

test("GA3 pods behind any other gate hold the gang back", () => {
  const gated = group("b", 1, 0, { pods: [pod("b-0", [podGangGate, "kueue.x-k8s.io/admission"])] });
  expect(outcome(gang([group("a", 1, 1), gated]), cluster())).toMatch(
    /waits for pods: b has 1 of 1/,
  );
});

test("GA4 a newcomer of a running gang needs only its own bundle", () => {
  const state = cluster(1);
  const [a, b] = [group("a", 1, 1), group("b", 9, 9)];
  state.place(a.pods[0]!, "node-0");
  const late = group("c", 1, 1);
  expect(outcome(gang([a, b, late]), state, "c")).toBe("c-0@node-1");
});

test("GA4 the groups of one scaling-group replica come back together or not at all", () => {
  const state = cluster(1);
  const a = group("a", 1, 1);
  state.place(a.pods[0]!, "node-0");
  const bundle = { bundle: "prefill/0" };
  const [leader, workers] = [group("leader", 1, 1, bundle), group("workers", 3, 3, bundle)];
  expect(outcome(gang([a, leader, workers]), state, "prefill/0")).toMatch(/^waits: .*workers-2/);
});

test("GA5 a required domain holds all pods, the first by name that has room", () => {
  const text = outcome(gang([group("a", 3, 3)], { required: "rack" }), cluster());
  expect(nodesOf(text).toSorted()).toEqual(["node-0", "node-1"]);
  const state = cluster();
  state.place(pod("other"), "node-0");
  expect(
    nodesOf(outcome(gang([group("a", 4, 4)], { required: "rack" }), state)).toSorted(),
  ).toEqual(["node-2", "node-3"]);
});

test("GA5 a required domain that is too small holds the gang back; a preferred one is given up", () => {
  expect(outcome(gang([group("a", 5, 5)], { required: "rack" }), cluster())).toMatch(/^waits/);
  const text = outcome(gang([group("a", 5, 5)], { preferred: "rack" }), cluster());
  expect(text.split(" ")).toHaveLength(5);
});

test("GA5 a later member joins the domain of the gang", () => {
  const state = cluster();
  const a = group("a", 1, 2);
  state.place(a.pods[0]!, "node-2");
  const { places } = placeSurplus(gang([a], { required: "rack" }), "a", state);
  expect(drawn(places)).toMatch(/a-1@node-[23]/);
});

test("GA5 parts of a gang are packed each on its own", () => {
  const packed = (name: string): GangPart => ({
    pack: { required: "rack" },
    groups: [group(name, 3, 3)],
  });
  const text = outcome(gang([], {}, [packed("a"), packed("b")]), cluster());
  const racks = ["a", "b"].map((name) =>
    nodesOf(
      text
        .split(" ")
        .filter((place) => place.startsWith(name))
        .join(" "),
    ).toSorted(),
  );
  expect(racks).toEqual([
    ["node-0", "node-1"],
    ["node-2", "node-3"],
  ]);
});
