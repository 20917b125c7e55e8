/**
 * The command line in every state on a real API server: every verb, on a terminal and into a pipe. Each golden file
 * holds for both servers: what is said must not depend on which one it is.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { podResource } from "../../src/api/pod.ts";
import type { Resource } from "../../src/api/resource.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { Io } from "../../src/cli/io.ts";
import { run } from "../../src/cli/run.ts";
import type { ControlledKind } from "../../src/controllers/engine/controlled-kind.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { Answer } from "../builders/cli.ts";
import { withoutControls } from "../builders/cli.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import {
  askedOf,
  podCliqueSetStages,
  stagedSet as stagedCliques,
} from "../cli/pod-clique-set-stages.ts";
import { stagedSet, statefulSetStages } from "../cli/stateful-set-stages.ts";
import type { Asked, Stage } from "../cli/transcript.ts";
import { transcriptOf, transcriptWith } from "../cli/transcript.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

/** So wide that nothing is cut: ages are not as long on both sides. */
const columns = 1_000;
let cluster: RealCluster;
let controllers: readonly ControlledKind[] = [];

beforeAll(async () => {
  cluster = await startRealCluster({
    kwok: {
      startDelayMs: 200,
      stopDelayMs: 100,
      brokenImages: ["web:broken", "front:broken"],
      neverReady: { image: "web:v2", ordinals: ["1", "2"] },
    },
  });
  await installDefinitions(cluster.client);
  controllers = await startKinds(chooseKinds("all"), {
    client: await cluster.operatorClient(),
    clock: systemClock(),
    modes: { statefulset: "full" },
    onProblem: () => undefined,
  });
});

afterAll(async () => {
  for (const controller of controllers) await controller.stop();
  await cluster.stop();
});

async function lockstep(line: string, isTerminal: boolean, rows = 60): Promise<Answer> {
  const printed: string[] = [];
  const drawn: string[] = [];
  const io: Io = {
    print: (text) => void printed.push(text),
    warn: (text) => void printed.push(`! ${text}`),
    write: (text) => void drawn.push(text),
    size: () => ({ columns, rows }),
    isTerminal,
    environment: {},
    workingDirectory: cluster.plane.folder,
    readStandardInput: () => "",
    stopping: new AbortController().signal,
    clock: systemClock(),
  };
  const code = await run([...line.split(" "), "--kubeconfig", cluster.plane.kubeconfig], io);
  const screen = drawn.findLast((each) => each.includes("\n")) ?? "";
  return { code, text: withoutControls([...printed, screen].join("\n").trim()) };
}

/** Times, ages and nodes are a run's own; events of different objects come in no particular order. */
const stable = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/ event (Normal|Warning) |^<dim> +\d+[smh] <\/>/.test(line))
    .join("\n")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME")
    .replaceAll(/\b(\d+[dhms])+\b/g, "AGE")
    .replaceAll(/\bnode-\w+/g, "NODE")
    .replaceAll(/ {2,}/g, "  ");

/** What both servers say of it, once the real one is where the embedded one is. */
async function saidOf(name: string, stage: Stage | undefined, asked: Asked): Promise<Said> {
  if (stage === undefined) throw new Error(`there is no ${name}`);
  const embedded = stable(await transcriptOf(await stage(), asked, columns));
  const last = { text: "" };
  const isThere = async (): Promise<boolean> => {
    for (const each of [asked.rollout, ...(asked.parts ?? [])]) {
      last.text = stable((await lockstep(`status ${each}`, false)).text);
      if (!embedded.includes(`\n${last.text}\n`)) return false;
    }
    return true;
  };
  await until(`${name} is reached`, isThere, 60_000).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}; it says: ${last.text}`);
  });
  const ask = (line: string, { isTerminal, rows }: { isTerminal: boolean; rows: number }) =>
    lockstep(line, isTerminal, rows);
  return { golden: `golden/${name}.txt`, embedded, real: stable(await transcriptWith(ask, asked)) };
}

interface Said {
  readonly golden: string;
  readonly embedded: string;
  readonly real: string;
}

async function expectSame({ golden, embedded, real }: Said): Promise<void> {
  expect(real).toBe(embedded);
  await expect(real).toMatchFileSnapshot(golden);
}

const noObjects = async (resource: Resource): Promise<boolean> =>
  (await cluster.client.list(resource, { namespace })).items.length === 0;

async function remove(resource: Resource, name: string): Promise<void> {
  const key = { namespace, name };
  await cluster.client.patch(resource, key, {
    type: "merge",
    body: { metadata: { finalizers: null } },
  });
  await cluster.client.delete(resource, key).catch(() => undefined);
  const isGone = async (): Promise<boolean> =>
    (await noObjects(resource)) && (await noObjects(podResource));
  // The garbage collector learns of new kinds every 30 seconds.
  await until(`${name} is gone`, isGone, 90_000);
}

/** As somebody deletes an object that something else still holds. */
async function deleteHeld(resource: Resource, name: string): Promise<void> {
  const key = { namespace, name };
  const { metadata } = await cluster.client.get(resource, key);
  const finalizers = [...(metadata.finalizers ?? []), "example.com/backup"];
  await cluster.client.patch(resource, key, { type: "merge", body: { metadata: { finalizers } } });
  await cluster.client.delete(resource, key);
}

test("a StatefulSet in every state that it knows", async () => {
  const asked = { rollout: "statefulset/web", image: "app=web:v3" };
  const seen = async (state: string): Promise<void> =>
    expectSame(await saidOf(`statefulset-${state}`, statefulSetStages[state], asked));
  const key = { namespace, name: "web" };
  const patch = (body: object) =>
    cluster.client.patch(statefulSetResource, key, { type: "merge", body });
  const setImage = (image: string) =>
    patch({ spec: { template: { spec: { containers: [{ name: "app", image }] } } } });
  const paused = (value: string | null) => ({
    metadata: { annotations: { "lockstep.dev/paused": value } },
    spec: { updateStrategy: { rollingUpdate: { partition: 0 } } },
  });

  await cluster.client.create(statefulSetResource, statefulSetOf(stagedSet(3)));
  await until("it is healthy", async () =>
    (await lockstep("status sts/web", false)).text.includes("5/5 pods available, 5/5 updated"),
  );
  await setImage("web:v2");
  await seen("at-partition");
  await patch(paused("true"));
  await seen("paused");
  await patch(paused(null));
  await seen("progressing");
  await remove(statefulSetResource, "web");
  await cluster.client.create(statefulSetResource, statefulSetOf(stagedSet()));
  await seen("healthy");
  await setImage("web:broken");
  await seen("stalled");
  await remove(statefulSetResource, "web");
  await cluster.client.create(statefulSetResource, statefulSetOf(stagedSet()));
  await seen("healthy");
  await deleteHeld(statefulSetResource, "web");
  await seen("deleting");
  await remove(statefulSetResource, "web");
  expect((await lockstep("list", false)).text).toBe("! no rollouts found in namespace default");
}, 240_000);

test("a PodCliqueSet that is healthy, at its partition, stalled, rejected and being deleted", async () => {
  const seen = async (state: string): Promise<void> =>
    expectSame(await saidOf(`podcliqueset-${state}`, podCliqueSetStages[state], askedOf(state)));
  const key = { namespace, name: "chat" };
  const create = (strategy?: Record<string, unknown>) =>
    cluster.client.create(podCliqueSetResource, podCliqueSetOf(stagedCliques(strategy)));
  const changeCliques = async (change: (clique: Clique) => Clique): Promise<void> => {
    const { spec } = await cluster.client.get<KubeObject & SetSpec>(podCliqueSetResource, key);
    const cliques = spec.template.cliques.map(change);
    const body = { spec: { template: { cliques } } };
    await cluster.client.patch(podCliqueSetResource, key, { type: "merge", body });
  };
  const setImages = (images: Record<string, string>) =>
    changeCliques((clique) => {
      const image = images[clique.name];
      const [container] = clique.spec.podSpec.containers;
      if (image === undefined || container === undefined) return clique;
      const podSpec = { ...clique.spec.podSpec, containers: [{ ...container, image }] };
      return { ...clique, spec: { ...clique.spec, podSpec } };
    });

  await create();
  await seen("healthy");
  const annotations = { notes: "x".repeat(256 * 1024) };
  await changeCliques((clique) => (clique.name === "front" ? { ...clique, annotations } : clique));
  await seen("rejected");
  await remove(podCliqueSetResource, "chat");
  await create({ type: "ReplicaRecreate", partition: 1 });
  await until("it is healthy", isHealthy);
  await setImages({ front: "front:v2", work: "work:v2" });
  await seen("at-partition");
  await remove(podCliqueSetResource, "chat");
  await create({ type: "ReplicaRecreate", progressDeadlineSeconds: 30 });
  await until("it is healthy", isHealthy);
  await setImages({ front: "front:broken" });
  await seen("stalled");
  await remove(podCliqueSetResource, "chat");
  await create();
  await until("it is healthy", isHealthy);
  await deleteHeld(podCliqueSetResource, "chat");
  await seen("deleting");
  await remove(podCliqueSetResource, "chat");
  expect((await lockstep("list", false)).text).toBe("! no rollouts found in namespace default");
}, 300_000);

const isHealthy = async (): Promise<boolean> =>
  (await lockstep("status pcs/chat", false)).text.startsWith("podcliqueset/chat: Healthy");

interface Clique {
  readonly name: string;
  readonly spec: { readonly podSpec: { readonly containers: readonly object[] } };
}
interface SetSpec {
  readonly spec: { readonly template: { readonly cliques: readonly Clique[] } };
}
