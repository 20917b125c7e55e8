import { expect, test } from "vitest";
import { MemoryServer } from "../../../test/builders/memory-server.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import type { KubeObject } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import type { Client } from "../../runtime/client.ts";
import { restClient } from "../../runtime/rest-client.ts";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import { LiveAnswers } from "../engine/live-reads.ts";
import { perform } from "../engine/perform.ts";
import { UnconfirmedDeletes } from "../engine/unconfirmed-deletes.ts";
import { createOf } from "../engine/write.ts";
import { oldRevisionPodCheck } from "./replica-checks.ts";
import type { SetRevision } from "./set-revisions.ts";

const revision = (name: string): SetRevision => ({
  name,
  number: 1,
  hash: name,
  cliqueHashes: { front: name },
  cliques: [],
  object: { metadata: {}, revision: 1 },
});

const made = (name: string, hash: string): KubeObject => ({
  metadata: {
    name,
    uid: `uid of ${name}`,
    namespace: "default",
    labels: { [labelKeys.podTemplateHash]: hash },
  },
});

const podMade = (name: string, hash: string): KubeObject => {
  const owner = { apiVersion: "grove.io/v1alpha1", kind: "PodClique", name: "chat-0-front" };
  const ownerReferences = [{ ...owner, uid: "uid of an earlier one", controller: true }];
  return { metadata: { ...made(name, hash).metadata, ownerReferences } };
};

/** One of the first place of the clique, of nobody; under another name it is only a copy of that. */
const podOfNobody = (name: string): KubeObject => {
  const { metadata } = made(name, "v1");
  const place = { [labelKeys.podClique]: "chat-0-front", [labelKeys.podIndex]: "0" };
  return { metadata: { ...metadata, labels: { ...metadata.labels, ...place } } };
};

const podsPath = "/api/v1/namespaces/default/pods";
const cliquesPath = "/apis/grove.io/v1alpha1/namespaces/default/podcliques";

/** Asks as a set does for its replica 0, of which the caches show some pods. */
function askerOf(server: MemoryServer) {
  const tools = {
    client: restClient(server),
    clock: new VirtualClock(0),
    deletes: new UnconfirmedDeletes(),
    ownerKey: "default/chat",
    answers: new LiveAnswers(),
    onProblem: () => undefined,
  };
  const { answers } = tools;
  /** Whether what follows the question is performed. */
  const isOpen = async (shown: readonly KubeObject[], target: string): Promise<boolean> => {
    const seen = new Set(shown.map(({ metadata }) => metadata.uid));
    const check = oldRevisionPodCheck({
      place: { namespace: "default", set: "chat", index: 0, hasGroups: false },
      revision: revision(target),
      mayStartBeside: (left) => left.every(({ metadata }) => seen.has(metadata.uid)),
      isLasting: true,
    });
    answers.retain([check]);
    const next = createOf(podResource, { metadata: { name: "next", namespace: "default" } });
    const { writes } = await perform({ ...tools, client: idle(tools.client) }, [check, next]);
    return writes.some((write) => write === next);
  };
  return { answers, isOpen };
}

/** Creates nothing; everything else is real. */
const idle = (client: Client): Client => ({
  ...client,
  create: (_resource, object) => Promise.resolve(object),
});

const old = podMade("chat-0-front-0", "v1");

interface Case {
  readonly cliques?: readonly KubeObject[];
  readonly pods?: readonly KubeObject[];
  readonly shown?: readonly KubeObject[];
  readonly want: boolean;
}

const cases: Record<string, Case> = {
  "nothing is left": { want: true },
  "a pod that leaves is known to the caches": { pods: [old], shown: [old], want: true },
  "a pod is there that the caches do not show": { pods: [old], want: false },
  "another pod has the name of one that the caches show": {
    pods: [{ metadata: { ...old.metadata, uid: "another" } }],
    shown: [old],
    want: false,
  },
  "a clique is there that may make more": { cliques: [made("chat-0-front", "v1")], want: false },
  "what there is has the target": {
    cliques: [made("chat-0-front", "v2")],
    pods: [podMade("chat-0-front-0", "v2")],
    want: true,
  },
};

test.each(Object.entries(cases))("PS14 %s", async (_name, { cliques, pods, shown, want }) => {
  const server = new MemoryServer();
  for (const clique of cliques ?? []) server.put(cliquesPath, clique);
  for (const pod of pods ?? []) server.put(podsPath, pod);
  expect(await askerOf(server).isOpen(shown ?? [], "v2")).toBe(want);
});

const ofNobody: Record<string, { name: string; isKnown: boolean; left: readonly string[] }> = {
  "a pod that lost its clique goes, and is waited for": {
    name: "chat-0-front-0",
    isKnown: false,
    left: [],
  },
  "a copy of a pod is let be": { name: "debugger", isKnown: true, left: ["debugger"] },
};

test.each(Object.entries(ofNobody))("PS17 %s", async (_name, { name, isKnown, left }) => {
  const server = new MemoryServer();
  server.put(podsPath, podOfNobody(name));
  expect(await askerOf(server).isOpen([], "v2")).toBe(isKnown);
  const { items } = await restClient(server).list(podResource, { namespace: "default" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(left);
});

test("PS14 the server is asked once, again for another target, and after a clique was seen again", async () => {
  const server = new MemoryServer();
  const { answers, isOpen } = askerOf(server);
  const asked = async (target: string): Promise<number> => {
    const before = server.requests.length;
    await isOpen([], target);
    return server.requests.length - before;
  };
  expect([await asked("v2"), await asked("v2")]).toEqual([2, 0]);
  expect([await asked("v3"), await asked("v2"), await asked("v2")]).toEqual([2, 2, 0]);
  // A plan that does not ask makes earlier answers void.
  answers.retain([]);
  expect(await asked("v2")).toBe(2);
});
