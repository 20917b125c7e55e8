import { expect, test } from "vitest";
import type { ControllerRevision } from "../../api/apps.ts";
import type { CliqueTemplate } from "../../api/grove/podcliqueset.ts";
import { hashOf } from "../engine/history.ts";
import {
  parseRevision,
  recordedCliques,
  revisionData,
  revisionOf,
  sortRevisions,
} from "./set-revisions.ts";

const clique = (
  name: string,
  image: string,
  extra: Partial<CliqueTemplate> = {},
): CliqueTemplate => ({
  name,
  spec: { roleName: name, replicas: 1, podSpec: { containers: [{ name: "app", image }] } },
  ...extra,
});

function recorded(
  number: number,
  cliques: readonly CliqueTemplate[],
  hash?: string,
): ControllerRevision {
  const data = revisionData(recordedCliques(cliques), []);
  const cliqueHashes = hash === undefined ? data.cliqueHashes : { front: hash, work: hash };
  return {
    metadata: { name: `chat-${hash ?? data.hash}` },
    data: { ...data, cliqueHashes, hash: hash ?? data.hash },
    revision: number,
  };
}

const v1 = [clique("front", "front:v1"), clique("work", "work:v1")];
const v2 = [clique("front", "front:v2"), clique("work", "work:v1")];
const hashesOf = (cliques: readonly CliqueTemplate[]) => revisionData(recordedCliques(cliques), []);

const same: Record<string, readonly CliqueTemplate[]> = {
  "the order of cliques": v1.toReversed(),
  "the number of pods": v1.map((each) => ({ ...each, spec: { ...each.spec, replicas: 7 } })),
  "empty labels": v1.map((each) => ({ ...each, labels: {} })),
  "a budget": v1.map((each) => ({ ...each, updateStrategy: { maxSurge: 1 } })),
};

test.each(Object.entries(same))("%s is no new revision", (_name, cliques) => {
  expect(hashesOf(cliques)).toEqual(hashesOf(v1));
});

test("defaults that somebody writes down later are no new revision", () => {
  const defaults = { restartPolicy: "Always", terminationGracePeriodSeconds: 30 } as const;
  const said = v1.map((each) => {
    const podSpec = { ...each.spec.podSpec, ...defaults };
    return { ...each, spec: { ...each.spec, podSpec } };
  });
  const revisions = sortRevisions([recorded(1, v1, "first")]);
  expect(revisionOf(recordedCliques(said), revisions)?.hash).toBe("first");
  expect(hashesOf(said).cliqueHashes).toEqual(hashesOf(v1).cliqueHashes);
});

const different: Record<string, readonly CliqueTemplate[]> = {
  "an image": v2,
  "a label": [clique("front", "front:v1", { labels: { tier: "web" } }), ...v1.slice(1)],
  "an annotation": [clique("front", "front:v1", { annotations: { note: "x" } }), ...v1.slice(1)],
};

test.each(Object.entries(different))(
  "%s is a new revision of its clique alone",
  (_name, cliques) => {
    const [before, after] = [hashesOf(v1), hashesOf(cliques)];
    expect(after.hash).not.toBe(before.hash);
    expect(after.cliqueHashes["front"]).not.toBe(before.cliqueHashes["front"]);
    expect(after.cliqueHashes["work"]).toBe(before.cliqueHashes["work"]);
  },
);

test("a clique recorded earlier keeps its hash, whatever way of hashing made it", () => {
  const earlier = sortRevisions([recorded(1, v1, "older-way")]);
  const data = revisionData(recordedCliques(v2), earlier);
  expect(data.cliqueHashes["work"]).toBe("older-way");
  expect(data.cliqueHashes["front"]).toBe(hashesOf(v2).cliqueHashes["front"]);
});

test("the same cliques are found again, the newest record of them first", () => {
  const revisions = sortRevisions([
    recorded(3, v1, "third"),
    recorded(1, v1, "first"),
    recorded(2, v2),
  ]);
  expect(revisionOf(recordedCliques(v1.toReversed()), revisions)?.hash).toBe("third");
  expect(revisionOf(recordedCliques([clique("front", "front:v9")]), revisions)).toBeUndefined();
});

test("what another format wrote is not ours to read", () => {
  expect(
    parseRevision({ metadata: { name: "web-1" }, data: { spec: {} }, revision: 1 }),
  ).toBeUndefined();
});

test("hashes are labels, and stay as they are for ever", () => {
  expect(hashOf("")).toMatch(/^[a-z0-9]{10}$/);
  expect(hashOf("lockstep")).toBe(hashOf("lockstep"));
  expect([hashOf("a"), hashOf("b")]).toEqual(["nm7dmnrm2j", "kvg42kgxlj"]);
});
