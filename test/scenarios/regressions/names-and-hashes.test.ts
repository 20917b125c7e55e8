/** Names and hashes that once misled an operator: memory under a name, names taken apart, hashes that move. */
import { expect, test } from "vitest";
import { controllerRevisionResource } from "../../../src/api/apps.ts";
import { labelKeys } from "../../../src/api/grove/labels.ts";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../src/api/grove/podcliqueset.ts";
import type { KubeObject } from "../../../src/api/object.ts";
import type { Container, Pod } from "../../../src/api/pod.ts";
import { podResource } from "../../../src/api/pod.ts";
import type { Resource } from "../../../src/api/resource.ts";
import { scalingGroupResource } from "../../../src/api/grove/scaling-group.ts";
import { recordedCliques, revisionData } from "../../../src/controllers/grove/set-revisions.ts";
import { heldBack, forbidding } from "../../../src/simulation/faults.ts";
import type { PodCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario, podCliqueSetOf } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";
import { atLeastOne } from "../../builders/must.ts";

const byHost = async ({ pods }: PodCliqueSetScenario): Promise<Map<string, Pod>> =>
  new Map((await pods()).map((pod) => [String(pod.spec.hostname), pod]));
const uidsOf = async ({ pods }: PodCliqueSetScenario): Promise<string[]> =>
  (await pods()).map(({ metadata }) => metadata.uid ?? "").toSorted();

const rebirths = { "before anybody saw it go": 0, "when everything is gone": 60_000 };

test.each(Object.entries(rebirths))(
  "grove#783 a set deleted in mid-update and created anew %s starts over",
  async (_name, pauseMs) => {
    const options = { cliques: { front: { replicas: 2, minAvailable: 1 } } };
    const { faults, hold, release } = heldBack(podCliqueSetResource);
    const scenario = await podCliqueSetScenario({ ...options, faults });
    await scenario.settled();
    await scenario.setImages({ front: "front:v2" });
    await scenario.clock.runFor(2_000);
    if (pauseMs === 0) hold();
    await scenario.client.delete(podCliqueSetResource, { namespace, name: "chat" });
    await scenario.clock.runFor(pauseMs);
    await scenario.client.create(podCliqueSetResource, podCliqueSetOf(options));
    release();
    await scenario.settled();
    const { status } = await scenario.set();
    expect(status).toMatchObject({ availableReplicas: 1, updatedReplicas: 1 });
    expect(status?.updateProgress).toBeUndefined();
    const drawn = ["chat-0-front-0 front:v1", "chat-0-front-1 front:v1"];
    expect(scenario.drawing()).toEqual(drawn);
  },
);

test("grove#736 objects that only look like parts of a set are left alone and stop nobody", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: {}, lead: {} },
    groups: { pair: { cliques: ["lead"] } },
  });
  await scenario.settled();
  const [clique] = await scenario.cliques();
  const [group] = await scenario.groups();
  const [pod] = await scenario.pods();
  const { [labelKeys.podGang]: _gang, ...copied } = pod!.metadata.labels ?? {};
  const containers = [{ name: "app", image: "front:v1" }];
  const meta = (name: string, labels = copied) => ({ name, namespace, labels });
  const odd = { ...copied, [labelKeys.setReplicaIndex]: "one", [labelKeys.podIndex]: "one" };
  const { ownerReferences, annotations } = group!.metadata;
  const others: readonly [Resource, KubeObject][] = [
    [podResource, { metadata: meta("c"), spec: { containers } }],
    [podResource, { metadata: meta("odd", odd), spec: { containers } }],
    [podCliqueResource, { ...clique!, metadata: meta("x", odd) }],
    [scalingGroupResource, { ...group!, metadata: { ...meta("x"), ownerReferences, annotations } }],
  ];
  for (const [resource, object] of others) await scenario.client.create(resource, object);
  await scenario.setImages({ front: "front:v2", lead: "lead:v2" });
  await scenario.settled();
  const names = (await scenario.cliques()).map((each) => each.metadata.name);
  expect(names).toEqual(["chat-0-front", "chat-0-pair-0-lead", "x"]);
  for (const [resource, { metadata }] of atLeastOne(others)) {
    const found = await scenario.client.get(resource, { namespace, name: metadata.name ?? "" });
    expect(found.metadata.deletionTimestamp).toBeUndefined();
  }
});

test("grove#720 pods that are made at the same time share nothing that one of them may change", async () => {
  const annotations = { "team.example.com/owner": "search" };
  const scenario = await podCliqueSetScenario({ cliques: { front: { replicas: 6, annotations } } });
  await scenario.settled();
  const hosts = await byHost(scenario);
  expect([...hosts.keys()]).toHaveLength(6);
  for (const [hostname, { metadata }] of atLeastOne(hosts)) {
    expect(metadata.annotations).toEqual(annotations);
    expect(`chat-0-front-${metadata.labels?.[labelKeys.podIndex]}`).toBe(hostname);
  }
});

test("grove#137 a pod that is lost comes back under its own index", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 4, minAvailable: 1 } },
  });
  await scenario.settled();
  await scenario.deletePod("chat-0-front-1");
  await scenario.deletePod("chat-0-front-2");
  await scenario.clock.runFor(30_000);
  const hosts = [...(await byHost(scenario)).keys()].toSorted();
  expect(hosts).toEqual([0, 1, 2, 3].map((index) => `chat-0-front-${index}`));
});

test("grove#753 variables of users may refer to ours, because ours come first", async () => {
  const env = [{ name: "ADDRESS", value: "$(GROVE_HEADLESS_SERVICE):$(GROVE_PCSG_INDEX)" }];
  const container = { name: "app", image: "lead:v1", env };
  const scenario = await podCliqueSetScenario({
    cliques: {
      lead: {
        extra: {
          podSpec: { containers: [container], initContainers: [{ ...container, name: "first" }] },
        },
      },
    },
    groups: { pair: { cliques: ["lead"] } },
  });
  await scenario.settled();
  const [pod] = await scenario.pods();
  const { containers, initContainers = [] } = pod!.spec;
  for (const each of [...containers, ...initContainers] as (Container & {
    env: { name: string }[];
  })[]) {
    const names = each.env.map(({ name }) => name);
    expect(names.at(-1)).toBe("ADDRESS");
    expect(names).toEqual(expect.arrayContaining(["GROVE_HEADLESS_SERVICE", "GROVE_PCSG_INDEX"]));
  }
});

test("cliques `worker` and `pworker` are not mistaken for each other", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { worker: {}, pworker: { replicas: 2 } },
  });
  await scenario.settled();
  const before = await byHost(scenario);
  await scenario.setImages({ worker: "worker:v2" });
  await scenario.settled();
  const after = await byHost(scenario);
  expect(scenario.drawing()).toEqual([
    "chat-0-pworker-0 pworker:v1",
    "chat-0-pworker-1 pworker:v1",
    "chat-0-worker-0 worker:v2",
  ]);
  for (const host of ["chat-0-pworker-0", "chat-0-pworker-1"]) {
    expect(after.get(host)?.metadata.uid).toBe(before.get(host)?.metadata.uid);
  }
});

const spec = (volumes: readonly string[], tolerations: readonly string[]) => ({
  podSpec: {
    containers: [
      {
        name: "app",
        image: "front:v1",
        volumeMounts: volumes.map((name) => ({ name, mountPath: `/${name}` })),
        ports: volumes.map((name) => ({ name, containerPort: name.length * 1000 })),
      },
    ],
    volumes: volumes.map((name) => ({ name, emptyDir: {} })),
    tolerations: tolerations.map((key) => ({ key, operator: "Exists" })),
  },
});

test("PS1 grove#566 the same template written down in another order rolls nothing", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { extra: spec(["models", "cache"], ["gpu", "spot"]) }, back: {} },
  });
  await scenario.settled();
  const before = await uidsOf(scenario);
  const { cliques } = podCliqueSetOf({
    cliques: { back: {}, front: { extra: spec(["cache", "models"], ["spot", "gpu"]) } },
  }).spec.template;
  await scenario.patch({ spec: { template: { cliques } } });
  await scenario.clock.runFor(60_000);
  expect(await uidsOf(scenario)).toEqual(before);
  const { status, metadata } = await scenario.set();
  expect(status?.observedGeneration).toBe(metadata.generation);
  expect(status?.updateProgress).toBeUndefined();
});

test("grove#661 grove#709 what an older way of hashing named keeps its name: an upgrade rolls nothing", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2, minAvailable: 1 }, back: {} },
    // The test itself renames what belongs to the older operator, and announces nothing.
    expected: [/is changed before the status of chat announces replica 0/],
  });
  await scenario.settled();
  const before = await uidsOf(scenario);
  // The operator of the last release goes; it had called everything otherwise.
  await scenario.restart(forbidding(({ method }) => method !== "GET"));
  await renameHashes(scenario);
  await scenario.restart();
  await scenario.clock.runFor(60_000);
  expect(await uidsOf(scenario)).toEqual(before);
  await scenario.setImages({ front: "front:v2" });
  await scenario.settled();
  expect(scenario.drawing()).toEqual([
    "chat-0-back-0 back:v1",
    "chat-0-front-0 front:v2",
    "chat-0-front-1 front:v2",
  ]);
  const kept = (await uidsOf(scenario)).filter((uid) => before.includes(uid));
  expect(kept).toHaveLength(1);
});

async function renameHashes({ client, cliques, pods }: PodCliqueSetScenario): Promise<void> {
  const older = (hash: string | undefined): string => `older-${hash}`;
  const relabelled = async (resource: Resource, objects: readonly KubeObject[]): Promise<void> => {
    for (const { metadata } of objects) {
      const hash = metadata.labels?.[labelKeys.podTemplateHash];
      const body = { metadata: { labels: { [labelKeys.podTemplateHash]: older(hash) } } };
      await client.patch(
        resource,
        { namespace, name: metadata.name ?? "" },
        { type: "merge", body },
      );
    }
  };
  await relabelled(podResource, await pods());
  await relabelled(podCliqueResource, await cliques());
  const { items } = await client.list(controllerRevisionResource, { namespace });
  for (const revision of items) {
    const { name = "" } = revision.metadata;
    const data = revision["data"] as { hash: string; cliqueHashes: Record<string, string> };
    const cliqueHashes = Object.fromEntries(
      Object.entries(data.cliqueHashes).map(([clique, hash]) => [clique, older(hash)]),
    );
    // Data never changes: the record of the last release is another object of the same name.
    await client.delete(controllerRevisionResource, { namespace, name });
    const { resourceVersion: _version, uid: _uid, ...metadata } = revision.metadata;
    await client.create(controllerRevisionResource, {
      ...revision,
      metadata,
      data: { ...data, hash: older(data.hash), cliqueHashes },
    });
  }
}

test("grove#709 the hash of a template is the same in every release", () => {
  const { spec: given } = podCliqueSetOf({
    cliques: {
      front: { annotations: { note: "x" }, extra: spec(["models", "cache"], ["gpu", "spot"]) },
      back: { replicas: 3 },
    },
  });
  const { hash, cliqueHashes } = revisionData(recordedCliques(given.template.cliques), []);
  expect({ hash, cliqueHashes }).toEqual({
    hash: "4q4xqqm5ms",
    cliqueHashes: { back: "lh99679cmw", front: "kdtkt85nbg" },
  });
});
