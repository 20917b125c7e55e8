import { expect, test } from "vitest";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { Pod } from "../../../api/pod.ts";
import { podsInTheWay } from "./writes.ts";

const going = { deletionTimestamp: "2030-01-01T00:00:00Z" };

const cliqueAt = (index?: string): PodClique => ({
  apiVersion: "grove.io/v1alpha1",
  kind: "PodClique",
  metadata: {
    name: "chat-0-work",
    ...going,
    labels: index === undefined ? {} : { [labelKeys.setReplicaIndex]: index },
  },
  spec: { roleName: "work", replicas: 3, podSpec: { containers: [] } },
});
const setWith = (replicas: number, metadata = {}): PodCliqueSet => ({
  apiVersion: "grove.io/v1alpha1",
  kind: "PodCliqueSet",
  metadata: { name: "chat", ...metadata },
  spec: { replicas, template: { cliques: [] } },
});
const pod = (name: string, metadata = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { containers: [] },
});
const pods = [
  { pod: pod("here"), ordinal: 0, isLeftover: false },
  { pod: pod("on-its-way-out", going), ordinal: 1, isLeftover: false },
  { pod: pod("of-an-earlier-clique"), ordinal: 2, isLeftover: true },
];

test.each([
  { what: "is wanted back", index: "1", set: setWith(2), want: ["here"] },
  { what: "was scaled away or was surge", index: "2", set: setWith(2), want: [] },
  { what: "goes with its set", index: "0", set: setWith(2, going), want: [] },
  { what: "has lost its set", index: "0", set: undefined, want: [] },
  { what: "says nothing of its replica", index: undefined, set: setWith(2), want: [] },
])("PS14 of a deleted clique whose replica $what, $want go at once", ({ index, set, want }) => {
  const inTheWay = podsInTheWay({ clique: cliqueAt(index), pods }, set);
  expect(inTheWay.map(({ metadata }) => metadata.name)).toEqual(want);
});
