/** A person who looks at a set in mid-update learns which clique it waits for. */
import { expect, test } from "vitest";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { Pod } from "../../../api/pod.ts";
import type { CliqueState } from "../clique-state.ts";
import { unfinished } from "./unfinished.ts";

const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: {}, spec: { containers: [] } };

const stateOf = (name: string, updated: number, ready: number): CliqueState => ({
  clique: name,
  object: { metadata: { name } } as PodClique,
  replicas: 3,
  minAvailable: 1,
  live: Array.from({ length: 3 }, () => pod),
  beyond: 0,
  leftovers: [],
  ready,
  scheduled: 3,
  updated,
  isOutdated: updated < 3,
  trouble: undefined,
  causes: [],
});

const replica = (index: number, ...standalone: readonly CliqueState[]) => ({
  index,
  standalone,
  groups: [],
});

test("only cliques that are not whole, only of replicas that move", () => {
  const replicas = [
    replica(0, stateOf("chat-0-front", 1, 2), stateOf("chat-0-done", 3, 3)),
    replica(1, stateOf("chat-1-front", 0, 3)),
  ];
  expect(unfinished(replicas, [0])).toEqual(["chat-0-front has 1 of 3 pods updated, 2 ready"]);
  expect(unfinished(replicas, [])).toEqual([]);
});

test("a clique that has yet to be created is not spoken of", () => {
  const gone = { ...stateOf("chat-0-front", 0, 0), object: undefined };
  expect(unfinished([replica(0, gone)], [0])).toEqual([]);
});
