/** A person who looks at a set in mid-update learns which clique it waits for. */
import { expect, test } from "vitest";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import type { Pod } from "../../../api/pod.ts";
import type { CliqueState } from "../clique-state.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import type { GroupState } from "./replica-state.ts";
import { belowMinimum, stalledParts, unfinished } from "./unfinished.ts";

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
  updatedBeyond: 0,
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

test("a surge pod is not one of those that should be updated", () => {
  const surging = { ...stateOf("chat-0-front", 1, 3), beyond: 1, updatedBeyond: 1 };
  expect(unfinished([replica(0, surging)], [0])).toEqual([
    "chat-0-front has 0 of 3 pods updated, 3 ready, 1 extra",
  ]);
});

const groupOf = (...members: readonly CliqueState[]): GroupState => ({
  template: {} as GroupState["template"],
  object: { metadata: { name: "chat-0-pair" } } as PodCliqueScalingGroup,
  desired: 2,
  replicas: new Map(members.map((member, index) => [index, [member]])),
});

test("of a group, how far it is and what does not serve, but not what waits for its turn", () => {
  const group = groupOf(
    stateOf("chat-0-pair-0-front", 0, 3),
    stateOf("chat-0-pair-1-front", 0, 3),
    stateOf("chat-0-pair-2-front", 3, 1),
  );
  expect(unfinished([{ index: 0, standalone: [], groups: [group] }], [0])).toEqual([
    "chat-0-pair has 0 of 2 replicas updated",
    "chat-0-pair-2-front has 1 of 3 pods ready",
  ]);
});

test("a part that cannot go on says why, unless a pod of it does", () => {
  const message = "no progress since 2026-01-01T00:00:03Z: the surge was released";
  const conditions = [{ type: "Stalled", status: "True" as const, message }];
  const stuck = { ...stateOf("chat-0-front", 0, 3) };
  const annotations = { [revisionAnnotation]: "chat-v2" };
  const object = {
    metadata: { name: "chat-0-front", annotations },
    status: { conditions },
  } as unknown as PodClique;
  const parts = (causes: readonly string[]) => [
    { standalone: [{ ...stuck, object, causes }], groups: [] },
  ];
  const target = { name: "chat-v2" } as SetRevision;
  expect(stalledParts(parts([]), target)).toEqual(["chat-0-front: the surge was released"]);
  const waiting = {
    type: "Progressing",
    status: "True" as const,
    reason: "AwaitingRollback",
    message: `${message}, and its set goes back once nothing of it moves`,
  };
  const parted = { ...object, status: { conditions: [waiting] } } as unknown as PodClique;
  expect(
    stalledParts([{ standalone: [{ ...stuck, object: parted, causes: [] }], groups: [] }], target),
  ).toEqual(["chat-0-front: the surge was released"]);
  expect(stalledParts(parts(["chat-0-front-3: not scheduled"]), target)).toEqual([]);
  // What it said of an earlier target is not true of the next one, before and after it has that one.
  const next = { name: "chat-v3" } as SetRevision;
  expect(stalledParts(parts([]), next)).toEqual([]);
  const moved = { ...object, metadata: { ...object.metadata, generation: 2 } };
  expect(stalledParts([{ standalone: [{ ...stuck, object: moved }], groups: [] }], target)).toEqual(
    [],
  );
  const status = { conditions, observedRevision: "chat-v1" };
  const group = { ...groupOf(), object: { ...object, status } as unknown as PodCliqueScalingGroup };
  expect(stalledParts([{ standalone: [], groups: [group] }], target)).toEqual([]);
});

test("a clique that has yet to be created is not spoken of", () => {
  const gone = { ...stateOf("chat-0-front", 0, 0), object: undefined };
  expect(unfinished([replica(0, gone)], [0])).toEqual([]);
});

test("a part that was scaled below its minimum is named with both numbers", () => {
  const small = { ...stateOf("chat-0-front", 3, 3), minAvailable: 4 };
  const group = { ...groupOf(), template: { minAvailable: 3 } as GroupState["template"] };
  const parts = { ...replica(0, small, stateOf("chat-0-done", 3, 3)), groups: [group] };
  expect(belowMinimum([parts])).toEqual([
    "chat-0-front is scaled to 3, below its minimum of 4",
    "chat-0-pair is scaled to 2, below its minimum of 3",
  ]);
});
