/** What the groups of a replica are marked with when its gang starts over. */
import { expect, test } from "vitest";
import { drawnAtMs } from "../../../../test/builders/drawn-pods.ts";
import { podCliqueSetOf } from "../../../../test/builders/pod-clique-set-scenario.ts";
import { conditionLines } from "../../../../test/builders/sentences.ts";
import { withDefaults } from "../../../api/grove/defaults.ts";
import { writesOf } from "../../engine/write.ts";
import type { Observed } from "./observe.ts";
import type { ReplicaState } from "./replica-state.ts";
import { restartWrites } from "./gang-termination.ts";

test("a group learns that its replica starts over", () => {
  const set = podCliqueSetOf({ cliques: { web: {} }, groups: { pair: { cliques: ["web"] } } });
  const seen = { nowMs: drawnAtMs, name: "chat", set, spec: withDefaults(set.spec) };
  const object = { metadata: { name: "chat-0-pair" }, spec: { cliqueNames: ["web"] }, status: {} };
  const [template] = withDefaults(set.spec).template.podCliqueScalingGroups;
  const group = { object, template, desired: 1, replicas: new Map() };
  const replica = { index: 0, standalone: [], cliques: [], groups: [group] };
  const writes = restartWrites(
    { ...seen, replicas: new Map() } as unknown as Observed,
    replica as unknown as ReplicaState,
  );
  const marks = writesOf(writes).flatMap((write) =>
    write.verb === "update" ? conditionLines(write.object["status"] as object) : [],
  );
  expect(marks).toEqual([
    "GangTerminationInProgress=True GangTerminationActive: " +
      "replica 0 was below minAvailable for longer than terminationDelay",
  ]);
});
