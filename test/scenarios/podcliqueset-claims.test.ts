/** Devices that replicas share: claims come with their owners, pods name them, and nothing is left behind. */
import { expect, test } from "vitest";
import { labelKeys } from "../../src/api/grove/labels.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { Pod } from "../../src/api/pod.ts";
import type { ResourceClaim } from "../../src/api/resource-claim.ts";
import {
  resourceClaimResource,
  resourceClaimTemplateResource,
} from "../../src/api/resource-claim.ts";
import { controllerOf } from "../../src/controllers/engine/ownership.ts";
import { changing, withoutGroup } from "../../src/simulation/faults.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario, podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { namespace } from "../builders/scenario.ts";
import { atLeastOne } from "../builders/must.ts";

const claimSpec = {
  devices: {
    requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com", count: 2 } }],
  },
};
const own = (...names: string[]) => ({
  resourceClaimTemplates: names.map((name) => ({ name, templateSpec: { spec: claimSpec } })),
});
const all = (name: string, filter?: object) => ({
  name,
  scope: "AllReplicas",
  ...(filter && { filter }),
});
const each = (name: string, filter?: object) => ({ ...all(name, filter), scope: "PerReplica" });

const claims = async ({ client }: PodCliqueSetScenario): Promise<ResourceClaim[]> =>
  (await client.list<ResourceClaim>(resourceClaimResource, { namespace })).items;
const names = async (scenario: PodCliqueSetScenario): Promise<string[]> =>
  (await claims(scenario)).map(({ metadata }) => metadata.name ?? "").toSorted();

interface Using {
  readonly resourceClaims?: readonly { name: string; resourceClaimName?: string }[];
}
const uses = ({ spec }: Pod): readonly string[] =>
  ((spec as Using).resourceClaims ?? []).map(({ resourceClaimName = "" }) => resourceClaimName);
const usedBy = async (
  scenario: PodCliqueSetScenario,
  hostname: string,
): Promise<readonly string[]> => {
  const pod = (await scenario.pods()).find(({ spec }) => spec.hostname === hostname);
  expect(pod, `no pod ${hostname}`).toBeDefined();
  return uses(pod!);
};
const failures = async (scenario: PodCliqueSetScenario): Promise<string[]> => {
  const reason = "ResourceClaimFailed: ";
  const reported = (await scenario.events("chat")).filter((event) => event.startsWith(reason));
  return reported.map((event) => event.slice(reason.length));
};

/** Something shared on each level, for all and for each. */
const threeLevels: PodCliqueSetScenarioOptions = {
  replicas: 2,
  cliques: {
    front: { replicas: 2, resourceSharing: [all("gpu"), each("nic")] },
    leader: { resourceSharing: [all("gpu")] },
  },
  groups: {
    pair: {
      cliques: ["leader"],
      replicas: 2,
      minAvailable: 1,
      resourceSharing: [each("gpu"), all("nic")],
    },
  },
  template: { ...own("gpu", "nic"), resourceSharing: [each("nic"), all("gpu")] },
};

const ofReplica = (index: number): string[] => [
  `chat-${index}-nic`,
  `chat-${index}-front-all-gpu`,
  `chat-${index}-front-0-nic`,
  `chat-${index}-front-1-nic`,
  `chat-${index}-pair-all-nic`,
  `chat-${index}-pair-0-gpu`,
  `chat-${index}-pair-1-gpu`,
  `chat-${index}-pair-0-leader-all-gpu`,
  `chat-${index}-pair-1-leader-all-gpu`,
];

test("PS16 each owner has the claims it shares, one for all of its replicas or one for each", async () => {
  const scenario = await podCliqueSetScenario(threeLevels);
  await scenario.settled();
  const found = await claims(scenario);
  expect(await names(scenario)).toEqual(
    ["chat-all-gpu", ...ofReplica(0), ...ofReplica(1)].toSorted(),
  );
  const owners = Object.fromEntries(
    found.map(({ metadata }) => {
      const [{ kind, name, controller, blockOwnerDeletion } = {}] = metadata.ownerReferences ?? [];
      expect([controller, blockOwnerDeletion]).toEqual([true, true]);
      return [metadata.name, `${kind}/${name}`];
    }),
  );
  expect(owners).toMatchObject({
    "chat-all-gpu": "PodCliqueSet/chat",
    "chat-1-nic": "PodCliqueSet/chat",
    "chat-0-front-all-gpu": "PodClique/chat-0-front",
    "chat-0-front-1-nic": "PodClique/chat-0-front",
    "chat-1-pair-all-nic": "PodCliqueScalingGroup/chat-1-pair",
    "chat-1-pair-0-gpu": "PodCliqueScalingGroup/chat-1-pair",
    "chat-0-pair-1-leader-all-gpu": "PodClique/chat-0-pair-1-leader",
  });
  const one = found.find(({ metadata }) => metadata.name === "chat-0-front-1-nic");
  expect(one?.metadata.labels).toEqual({
    [labelKeys.managedBy]: "grove-operator",
    [labelKeys.partOf]: "chat",
    [labelKeys.component]: "resource-claim",
    [labelKeys.podClique]: "chat-0-front",
    [labelKeys.podIndex]: "1",
  });
  expect(one?.spec).toMatchObject({ devices: { requests: [{ exactly: { count: 2 } }] } });
});

test("PS16 pods and their containers name what set, group and clique share with them", async () => {
  const scenario = await podCliqueSetScenario(threeLevels);
  await scenario.settled();
  expect(await usedBy(scenario, "chat-1-front-1")).toEqual([
    "chat-all-gpu",
    "chat-1-nic",
    "chat-1-front-all-gpu",
    "chat-1-front-1-nic",
  ]);
  expect(await usedBy(scenario, "chat-0-pair-1-leader-0")).toEqual([
    "chat-all-gpu",
    "chat-0-nic",
    "chat-0-pair-all-nic",
    "chat-0-pair-1-gpu",
    "chat-0-pair-1-leader-all-gpu",
  ]);
  for (const pod of atLeastOne(await scenario.pods())) {
    const ofContainer = pod.spec.containers[0]?.resources?.claims?.map(({ name }) => name);
    expect(ofContainer).toEqual(uses(pod));
  }
});

test("PS16 filters say which cliques and groups of the owner use a claim", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: {}, leader: {}, worker: {} },
    groups: {
      pair: {
        cliques: ["leader", "worker"],
        resourceSharing: [each("gpu", { childCliqueNames: ["worker"] })],
      },
    },
    template: {
      ...own("gpu", "nic", "disk"),
      resourceSharing: [
        all("nic", { childCliqueNames: ["front"] }),
        all("disk", { childScalingGroupNames: ["pair"] }),
      ],
    },
  });
  await scenario.settled();
  expect(await names(scenario)).toEqual(["chat-0-pair-0-gpu", "chat-all-disk", "chat-all-nic"]);
  expect(await usedBy(scenario, "chat-0-front-0")).toEqual(["chat-all-nic"]);
  expect(await usedBy(scenario, "chat-0-pair-0-leader-0")).toEqual(["chat-all-disk"]);
  expect(await usedBy(scenario, "chat-0-pair-0-worker-0")).toEqual([
    "chat-all-disk",
    "chat-0-pair-0-gpu",
  ]);
});

test("PS16 claims come and go with the replicas of their level, and the others stay", async () => {
  const scenario = await podCliqueSetScenario({ ...threeLevels, replicas: 1 });
  await scenario.settled();
  const before = await names(scenario);
  const uids = (found: readonly ResourceClaim[]) =>
    new Map(found.map(({ metadata }) => [metadata.name, metadata.uid]));
  const first = uids(await claims(scenario));
  await scenario.scale(2);
  await scenario.settled();
  expect(await names(scenario)).toEqual(
    ["chat-all-gpu", ...ofReplica(0), ...ofReplica(1)].toSorted(),
  );
  await scenario.scaleClique("chat-0-front", 3);
  await scenario.scaleGroup("chat-0-pair", 3);
  await scenario.clock.runFor(30_000);
  const added = (await names(scenario)).filter((name) => name.startsWith("chat-0-"));
  expect(added).toEqual(
    [
      ...ofReplica(0),
      "chat-0-front-2-nic",
      "chat-0-pair-2-gpu",
      "chat-0-pair-2-leader-all-gpu",
    ].toSorted(),
  );
  await scenario.scale(1);
  await scenario.scaleClique("chat-0-front", 2);
  await scenario.scaleGroup("chat-0-pair", 2);
  await scenario.clock.runFor(60_000);
  expect(await names(scenario)).toEqual(before);
  expect(uids(await claims(scenario))).toEqual(first);
});

test("PS16 a claim of a replica goes after its pods, not before", async () => {
  const scenario = await podCliqueSetScenario({
    replicas: 2,
    cliques: { front: {} },
    template: { ...own("gpu"), resourceSharing: [each("gpu")] },
  });
  await scenario.settled();
  await scenario.scale(1);
  const isThere = async (): Promise<boolean> => (await names(scenario)).includes("chat-1-gpu");
  const hasPods = async (): Promise<boolean> =>
    (await scenario.pods()).some(({ spec }) => spec.hostname === "chat-1-front-0");
  let outlivedBy = 0;
  await scenario.until(async () => {
    if ((await hasPods()) && !(await isThere())) outlivedBy += 1;
    return !(await isThere());
  });
  expect(outlivedBy).toBe(0);
});

test("PS16 a replica beyond the desired ones has its claims for as long as it is there", async () => {
  const scenario = await podCliqueSetScenario({
    replicas: 2,
    strategy: { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    cliques: { front: { resourceSharing: [all("nic")] } },
    template: { ...own("gpu", "nic"), resourceSharing: [each("gpu")] },
  });
  await scenario.settled();
  const before = await names(scenario);
  await scenario.setImages({ front: "front:v2" });
  await scenario.until(async () => (await scenario.pods()).length > 2);
  expect(await names(scenario)).toEqual(
    [...before, "chat-2-gpu", "chat-2-front-all-nic"].toSorted(),
  );
  expect(await usedBy(scenario, "chat-2-front-0")).toEqual(["chat-2-gpu", "chat-2-front-all-nic"]);
  await scenario.settled();
  await scenario.clock.runFor(30_000);
  expect(await names(scenario)).toEqual(before);
});

test("PS16 deleting the set takes every claim along", async () => {
  const scenario = await podCliqueSetScenario(threeLevels);
  await scenario.settled();
  await scenario.client.delete(podCliqueSetResource, { namespace, name: "chat" });
  await scenario.clock.runFor(120_000);
  expect(await claims(scenario)).toEqual([]);
  expect(await scenario.pods()).toEqual([]);
});

test("PS17 claims that an earlier set left behind are taken over, and go with the new one", async () => {
  const scenario = await podCliqueSetScenario(threeLevels);
  await scenario.settled();
  const before = await claims(scenario);
  const key = { namespace, name: "chat" };
  await scenario.client.delete(podCliqueSetResource, key, { propagationPolicy: "Orphan" });
  await scenario.clock.runFor(10_000);
  await scenario.client.create(podCliqueSetResource, podCliqueSetOf(threeLevels));
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  const after = await claims(scenario);
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(
    before.map(({ metadata }) => metadata.uid),
  );
  expect(after.filter((claim) => controllerOf(claim) === undefined)).toEqual([]);
  await scenario.client.delete(podCliqueSetResource, key);
  await scenario.clock.runFor(120_000);
  expect(await claims(scenario)).toEqual([]);
});

test("PS16 a template outside the set is read where it says, and waited for without holding anything up", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: {} },
    template: { resourceSharing: [{ ...all("fabric"), namespace: "kube-system" }] },
  });
  await scenario.settled();
  expect(await names(scenario)).toEqual([]);
  await scenario.clock.runFor(60_000);
  expect(await failures(scenario)).toEqual([
    "ResourceClaim chat-all-fabric waits for its template: there is no ResourceClaimTemplate " +
      "kube-system/fabric, and none of that name in resourceClaimTemplates",
  ]);
  await scenario.client.create(resourceClaimTemplateResource, {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaimTemplate",
    metadata: { name: "fabric", namespace: "kube-system" },
    spec: { spec: claimSpec },
  });
  await scenario.clock.runFor(15_000);
  expect(await names(scenario)).toEqual(["chat-all-fabric"]);
  expect(await usedBy(scenario, "chat-0-front-0")).toEqual(["chat-all-fabric"]);
});

test("PS16 a claim of the right name that nobody controls is used as it is and stays", async () => {
  const scenario = await podCliqueSetScenario({ cliques: { front: {} }, name: "other" });
  await scenario.client.create(resourceClaimResource, {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name: "chat-all-gpu", namespace },
    spec: claimSpec,
  });
  const [set] = (await scenario.client.list(podCliqueSetResource, { namespace })).items;
  const { spec } = set as unknown as { spec: { template: object } };
  const template = { ...spec.template, ...own("gpu"), resourceSharing: [all("gpu")] };
  await scenario.client.create(podCliqueSetResource, {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodCliqueSet",
    metadata: { name: "chat", namespace },
    spec: { ...spec, template },
  });
  await scenario.clock.runFor(30_000);
  expect(await usedBy(scenario, "chat-0-front-0")).toEqual(["chat-all-gpu"]);
  expect(await failures(scenario)).toEqual([]);
  await scenario.client.delete(podCliqueSetResource, { namespace, name: "chat" });
  await scenario.clock.runFor(60_000);
  expect(await names(scenario)).toEqual(["chat-all-gpu"]);
});

test("PS16 nothing is written twice, not even by an operator that starts anew", async () => {
  const scenario = await podCliqueSetScenario(threeLevels);
  await scenario.settled();
  const ofClaims = () =>
    Object.entries(scenario.writes).filter(([what]) => what.includes("resourceclaims"));
  expect(ofClaims()).toHaveLength(1);
  const before = ofClaims();
  expect(before[0]?.[1]).toBe(1 + 2 * ofReplica(0).length);
  await scenario.restart();
  await scenario.setImages({ front: "front:v2", leader: "leader:v2" });
  await scenario.settled();
  await scenario.clock.runFor(3_600_000);
  const members = 4;
  // Members of a group are replaced whole, and their own claims with them; everything else is still there.
  expect(ofClaims()).toEqual([[before[0]?.[0], (before[0]?.[1] ?? 0) + members]]);
});

test("PS16 the server is asked when replicas change, not when pods do", async () => {
  const calls: string[] = [];
  const scenario = await podCliqueSetScenario({
    cliques: { front: { replicas: 2 } },
    template: { ...own("gpu"), resourceSharing: [each("gpu")] },
    faults: changing((request) => {
      if (request.path.includes("resource.k8s.io")) calls.push(request.method);
      return request;
    }),
  });
  await scenario.settled();
  // The last one begins to follow them.
  expect(calls.splice(0)).toEqual(["GET", "POST", "GET"]);
  await scenario.deletePod("chat-0-front-0");
  await scenario.setImages({ front: "front:v2" });
  await scenario.settled();
  await scenario.clock.runFor(60_000);
  expect(calls).toEqual([]);
  await scenario.scale(2);
  await scenario.settled();
  expect(calls.splice(0)).toEqual(["GET", "POST"]);
  await scenario.scale(1);
  await scenario.clock.runFor(60_000);
  // Once when the replica begins to go, once when nothing of it is left.
  expect(calls).toEqual(["GET", "GET", "DELETE"]);
});

test("PS16 a claim that somebody deletes comes back at once", async () => {
  const scenario = await podCliqueSetScenario(threeLevels);
  await scenario.settled();
  const before = await names(scenario);
  for (const name of ["chat-all-gpu", "chat-0-pair-0-gpu", "chat-1-front-1-nic"]) {
    await scenario.client.delete(resourceClaimResource, { namespace, name });
  }
  await scenario.clock.runFor(1_000);
  expect(await names(scenario)).toEqual(before);
});

test("PS16 where nothing is shared nobody asks for claims", async () => {
  const calls: string[] = [];
  const scenario = await podCliqueSetScenario({
    cliques: { front: {}, leader: {} },
    groups: { pair: { cliques: ["leader"] } },
    template: own("gpu"),
    faults: changing((request) => {
      if (request.path.includes("resource.k8s.io")) calls.push(request.path);
      return request;
    }),
  });
  await scenario.settled();
  await scenario.clock.runFor(3_600_000);
  expect(calls).toEqual([]);
  expect((await scenario.pods()).map((pod) => "resourceClaims" in pod.spec)).toEqual([
    false,
    false,
  ]);
});

test("PS16 a cluster that does not know claims is reported once, and the rest goes on", async () => {
  const scenario = await podCliqueSetScenario({
    cliques: { front: {} },
    template: { ...own("gpu"), resourceSharing: [all("gpu")] },
    faults: withoutGroup("resource.k8s.io"),
  });
  await scenario.settled();
  await scenario.clock.runFor(3_000_000);
  expect(await failures(scenario)).toEqual([
    "this cluster does not serve resource.k8s.io/v1, so claims of resourceSharing cannot be made: " +
      "use Kubernetes 1.34 or later, or remove resourceSharing",
  ]);
  // Events are kept for an hour: a second report would still be there.
  await scenario.clock.runFor(3_600_000);
  expect(await failures(scenario)).toEqual([]);
});
