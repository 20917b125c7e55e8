/** One hostname, one pod: whatever gets lost, comes late or is in the way. */
import { expect, test } from "vitest";
import { podCliqueResource } from "../../../src/api/grove/podclique.ts";
import type { Pod } from "../../../src/api/pod.ts";
import { podResource } from "../../../src/api/pod.ts";
import type { TransportRequest } from "../../../src/runtime/transport.ts";
import { ConnectionLost } from "../../../src/sim/faults.ts";
import { heldBack, onTheWay } from "../../../src/simulation/faults.ts";
import type { Fault } from "../../../src/simulation/faults.ts";
import type {
  PodCliqueSetScenario,
  PodCliqueSetScenarioOptions,
} from "../../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../../builders/pod-clique-set-scenario.ts";
import { namespace } from "../../builders/scenario.ts";

const pairs: PodCliqueSetScenarioOptions = {
  cliques: { front: {}, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
};

const recreated = { strategy: { type: "ReplicaRecreate" } };

const clique = "chat-0-pair-1-lead";
const hostname = `${clique}-0`;

const isMaking =
  (host: string) =>
  ({ method, path, body }: TransportRequest): boolean =>
    method === "POST" && path.endsWith("/pods") && (body as Pod).spec.hostname === host;

const update = ({ setImages }: PodCliqueSetScenario): Promise<unknown> =>
  setImages({ lead: "lead:v2" });

interface Remaking {
  readonly options: PodCliqueSetScenarioOptions;
  readonly remake: (scenario: PodCliqueSetScenario) => Promise<unknown>;
}

const remakings: Record<string, Remaking> = {
  "that its group rolls": { options: pairs, remake: update },
  "that is recreated with its replica": { options: { ...pairs, ...recreated }, remake: update },
  "that somebody deletes": {
    options: pairs,
    remake: ({ client }) => client.delete(podCliqueResource, { namespace, name: clique }),
  },
  "that somebody deletes under OnDelete": {
    options: { ...pairs, strategy: { type: "OnDelete" } },
    async remake(scenario) {
      await update(scenario);
      await scenario.clock.runFor(5_000);
      await scenario.client.delete(podCliqueResource, { namespace, name: clique });
    },
  },
};

/** Reports the moment when a pod of the hostname is gone, before anybody else hears of it. */
function whenGone({ client }: PodCliqueSetScenario, act: () => Promise<unknown>): void {
  void client.watch<Pod>(podResource, { resourceVersion: "0" }, (event) => {
    if (event.type === "DELETED" && event.object.spec.hostname === hostname) void act();
  });
}

/** At rest, with a creation still on its way that was long made up for. */
async function withOneOnTheWay(options: PodCliqueSetScenarioOptions) {
  const { faults, deliver } = onTheWay(isMaking(hostname));
  const scenario = await podCliqueSetScenario({ ...options, faults });
  await scenario.settled();
  await scenario.clock.runFor(10_000);
  return { scenario, deliver };
}

function expectWhole({ drawing }: PodCliqueSetScenario, pods: number): void {
  expect(drawing()).toHaveLength(pods);
  expect(drawing().filter((line) => line.endsWith("!"))).toEqual([]);
}

test.each(Object.entries(remakings))(
  "CQ1 a creation that arrives when the clique, one %s, has its pods again is refused",
  async (_name, { options, remake }) => {
    const { scenario, deliver } = await withOneOnTheWay(options);
    await remake(scenario);
    await scenario.clock.runFor(60_000);
    expect(await deliver()).toBe(409);
    await scenario.clock.runFor(60_000);
    expectWhole(scenario, 5);
  },
);

test.each(Object.entries(remakings))(
  "CQ1 a creation that arrives when the pods of a clique %s are gone is waited for",
  async (_name, { options, remake }) => {
    const { scenario, deliver } = await withOneOnTheWay(options);
    const codes: (number | undefined)[] = [];
    whenGone(scenario, async () => codes.push(await deliver()));
    await remake(scenario);
    await scenario.clock.runFor(120_000);
    expect(codes[0]).toBe(201);
    expectWhole(scenario, 5);
  },
);

/** A pod is made, but its maker does not hear of it; from then on pods are not seen until `release`. */
function madeUnseen(host: string) {
  const pods = heldBack(podResource);
  const faults: Fault = (transport, clock) => {
    const seen = pods.faults(transport, clock);
    let isOver = false;
    return {
      ...seen,
      async request(request) {
        if (isOver || !isMaking(host)(request)) return seen.request(request);
        isOver = true;
        pods.hold();
        await seen.request(request);
        throw new ConnectionLost();
      },
    };
  };
  return { faults, release: pods.release };
}

test("CQ1 a clique made anew meets the pod that nobody has seen of the one before", async () => {
  const added = "chat-0-pair-2-lead-0";
  const { faults, release } = madeUnseen(added);
  const scenario = await podCliqueSetScenario({ ...pairs, faults });
  await scenario.settled();
  await scenario.scaleGroup("chat-0-pair", 3);
  const hosts = async () => (await scenario.pods()).map(({ spec }) => spec.hostname);
  await scenario.until(async () => (await hosts()).includes(added));
  await update(scenario);
  await scenario.clock.runFor(3_000);
  release();
  await scenario.settled();
  await scenario.clock.runFor(30_000);
  expect(await hosts()).toHaveLength(7);
  expectWhole(scenario, 7);
});

test("CQ1 a stranger that has the name of a pod is reported, and waited for", async () => {
  const expected = [/pod default\/chat-0-front-1 exists already and is of no PodClique/];
  const scenario = await podCliqueSetScenario({ cliques: { front: { replicas: 1 } }, expected });
  await scenario.settled();
  const name = "chat-0-front-1";
  const containers = [{ name: "app", image: "stranger:v1" }];
  await scenario.create(name, { containers });
  await scenario.scaleClique("chat-0-front", 2);
  await scenario.clock.runFor(30_000);
  const [before] = await scenario.cliques();
  expect(before?.status?.lastErrors?.[0]?.description).toContain(
    `pod default/${name} exists already and is of no PodClique: delete it`,
  );
  await scenario.client.delete(podResource, { namespace, name }, { gracePeriodSeconds: 0 });
  await scenario.clock.runFor(180_000);
  const [after] = await scenario.cliques();
  expect(after?.status).toMatchObject({ readyReplicas: 2 });
  expect(after?.status?.lastErrors ?? []).toEqual([]);
});
