import { expect, test } from "vitest";
import { withDefaults } from "../../../api/grove/defaults.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import { podResource } from "../../../api/pod.ts";
import { restClient } from "../../../runtime/rest-client.ts";
import { MemoryServer } from "../../../../test/builders/memory-server.ts";
import type { SetRevision } from "../set-revisions.ts";
import { KnownRemains } from "./known-remains.ts";
import type { Observed } from "./observe.ts";
import { nothingOf } from "./replica-objects.ts";

const revision = (name: string): SetRevision => ({
  name,
  number: 1,
  hash: name,
  cliqueHashes: { front: name },
  cliques: [],
  object: { metadata: {}, revision: 1 },
});

const set: PodCliqueSet = {
  metadata: { name: "chat", namespace: "default", uid: "set" },
  spec: { replicas: 1, template: { cliques: [] } },
};

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

/** What the caches show of replica 0. */
const observedWith = (pods: readonly KubeObject[]): Observed => ({
  nowMs: 0,
  set,
  name: "chat",
  namespace: "default",
  spec: withDefaults(set.spec),
  replicas: new Map([[0, { ...nothingOf("chat", 0), pods: pods as readonly Pod[] }]]),
  revisions: [],
  orphanedRevisions: [],
  topologies: [],
});

const podsPath = "/api/v1/namespaces/default/pods";
const cliquesPath = "/apis/grove.io/v1alpha1/namespaces/default/podcliques";

function remainsOf(server: MemoryServer) {
  const [remains, client] = [new KnownRemains(), restClient(server)];
  const areKnown = (shown: readonly KubeObject[], target: string): Promise<boolean> =>
    remains.areKnown(client, "default/chat", observedWith(shown), {
      index: 0,
      aim: "recreate",
      replica: undefined,
      revision: revision(target),
    });
  return { remains, areKnown };
}

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
  "a namesake of what the caches show is there": {
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
  expect(await remainsOf(server).areKnown(shown ?? [], "v2")).toBe(want);
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
  expect(await remainsOf(server).areKnown([], "v2")).toBe(isKnown);
  const { items } = await restClient(server).list(podResource, { namespace: "default" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(left);
});

test("PS14 the server is asked once, again for another target, and after a clique was seen again", async () => {
  const server = new MemoryServer();
  const { remains, areKnown } = remainsOf(server);
  const asked = async (target: string): Promise<number> => {
    const before = server.requests.length;
    await areKnown([], target);
    return server.requests.length - before;
  };
  expect([await asked("v2"), await asked("v2")]).toEqual([2, 0]);
  expect([await asked("v3"), await asked("v2"), await asked("v2")]).toEqual([2, 2, 0]);
  remains.forgetReplica("default/chat", 0);
  expect(await asked("v2")).toBe(2);
});
