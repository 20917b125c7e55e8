/** What a clique sees of those it starts after. */
import { expect, test } from "vitest";
import { podCliqueOf } from "../../../../test/builders/pod-clique-scenario.ts";
import type { ControllerRevision } from "../../../api/apps.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import type { Pod } from "../../../api/pod.ts";
import { readerOf } from "../../../runtime/reader.ts";
import { groveCacheDefinitions } from "../caches.ts";
import { observe } from "./observe.ts";

const parent: PodClique = {
  ...podCliqueOf({ name: "chat-0-first", spec: { replicas: 2, minAvailable: 2 } }),
  metadata: { ...podCliqueOf({ name: "chat-0-first" }).metadata, uid: "parent" },
};

const podOf = (name: string, isReady: boolean, deletionTimestamp?: string): Pod => ({
  metadata: {
    name,
    namespace: "default",
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ownerReferences: [
      {
        apiVersion: "grove.io/v1alpha1",
        kind: "PodClique",
        name: "",
        uid: "parent",
        controller: true,
      },
    ],
  },
  spec: { containers: [] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

function parentsOf(pods: readonly Pod[], parents: readonly PodClique[] = [parent]) {
  const clique = podCliqueOf({ spec: { startsAfter: ["chat-0-first"] } });
  const { cliques, pods: podDefinition, revisions } = groveCacheDefinitions;
  const readers = {
    sets: readerOf<PodCliqueSet>([]),
    gangs: readerOf<PodGang>([]),
    cliques: readerOf<PodClique>([clique, ...parents], cliques.indexes),
    pods: readerOf<Pod>(pods, podDefinition.indexes),
    revisions: readerOf<ControllerRevision>([], revisions.indexes),
  };
  return observe(readers, { namespace: "default", name: "chat-0-web" }, { nowMs: 0 })?.parents;
}

const terminating = "2026-01-01T00:00:00Z";

test.each([
  ["two ready pods", [podOf("a", true), podOf("b", true)], 2],
  ["one that is not ready", [podOf("a", true), podOf("b", false)], 1],
  ["one that is ready but terminating", [podOf("a", true), podOf("b", true, terminating)], 1],
])("GA6 a parent with %s", (_name, pods, ready) => {
  expect(parentsOf(pods)).toEqual([{ name: "chat-0-first", ready, minAvailable: 2 }]);
});

test("GA6 a parent that does not exist", () => {
  expect(parentsOf([], [])).toEqual([{ name: "chat-0-first", ready: 0, minAvailable: undefined }]);
});
