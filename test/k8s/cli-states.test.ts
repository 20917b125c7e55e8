/** StatefulSets and PodCliqueSets in every state, on a real API server as on the embedded one. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import { askedOf, podCliqueSetStages, stagedPodCliqueSet } from "../cli/pod-clique-set-stages.ts";
import { stagedStatefulSet, statefulSetStages } from "../cli/stateful-set-stages.ts";
import { namespace, until } from "./real-cluster.ts";
import type { RealStates } from "./real-states.ts";
import { realStates } from "./real-states.ts";

let states: RealStates;

beforeAll(async () => {
  states = await realStates({
    brokenImages: ["web:broken", "front:broken"],
    neverReadyImages: ["front:never-ready"],
    neverReady: { image: "web:v2", ordinals: ["1", "2"] },
  });
});

afterAll(() => states.stop());

const remove: RealStates["remove"] = (resource, name) => states.remove(resource, name);

test("a StatefulSet in every state that it knows", async () => {
  const asked = { rollout: "statefulset/web", image: "app=web:v3" };
  const seen = async (state: string): Promise<void> =>
    states.expectSame(`statefulset-${state}`, statefulSetStages[state], asked);
  const key = { namespace, name: "web" };
  const patch = (body: object) =>
    states.client.patch(statefulSetResource, key, { type: "merge", body });
  const setImage = (image: string) =>
    patch({ spec: { template: { spec: { containers: [{ name: "app", image }] } } } });
  const paused = {
    metadata: { annotations: { "lockstep.dev/paused": "true" } },
    spec: { updateStrategy: { rollingUpdate: { partition: 0 } } },
  };

  await states.client.create(statefulSetResource, statefulSetOf(stagedStatefulSet(3)));
  await until("it is healthy", async () =>
    (await states.lockstep("status sts/web")).text.includes("5/5 pods available, 5/5 updated"),
  );
  await setImage("web:v2");
  await seen("at-partition");
  await patch(paused);
  await seen("paused");
  await remove(statefulSetResource, "web");
  await states.client.create(statefulSetResource, statefulSetOf(stagedStatefulSet()));
  await seen("healthy");
  await setImage("web:v2");
  await seen("progressing");
  await remove(statefulSetResource, "web");
  await states.client.create(statefulSetResource, statefulSetOf(stagedStatefulSet()));
  await seen("healthy");
  await patch({ spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } });
  await setImage("web:v2");
  await seen("awaiting-delete");
  await remove(statefulSetResource, "web");
  await states.client.create(statefulSetResource, statefulSetOf(stagedStatefulSet()));
  await seen("healthy");
  await setImage("web:broken");
  await seen("stalled");
  await remove(statefulSetResource, "web");
  await states.client.create(statefulSetResource, statefulSetOf(stagedStatefulSet()));
  await seen("healthy");
  await states.deleteHeld(statefulSetResource, "web");
  await seen("deleting");
  await remove(statefulSetResource, "web");
  expect((await states.lockstep("list")).text).toBe("! no rollouts found in namespace default");
}, 240_000);

test("a PodCliqueSet in every state that it knows", async () => {
  const seen = async (state: string): Promise<void> =>
    states.expectSame(`podcliqueset-${state}`, podCliqueSetStages[state], askedOf(state));
  const key = { namespace, name: "chat" };
  const create = (strategy?: Record<string, unknown>) =>
    states.client.create(podCliqueSetResource, podCliqueSetOf(stagedPodCliqueSet(strategy)));
  const changeCliques = async (change: (clique: Clique) => Clique): Promise<void> => {
    const { spec } = await states.client.get<KubeObject & SetSpec>(podCliqueSetResource, key);
    const cliques = spec.template.cliques.map(change);
    const body = { spec: { template: { cliques } } };
    await states.client.patch(podCliqueSetResource, key, { type: "merge", body });
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
  await setImages({ front: "front:never-ready" });
  await seen("starting");
  const paused = { spec: { updateStrategy: { paused: true } } };
  await states.client.patch(podCliqueSetResource, key, { type: "merge", body: paused });
  await seen("paused-starting");
  await remove(podCliqueSetResource, "chat");
  await create();
  await until("it is healthy", isHealthy);
  await setImages({ front: "front:broken" });
  await seen("broken");
  await remove(podCliqueSetResource, "chat");
  await create();
  await until("it is healthy", isHealthy);
  const annotations = { notes: "x".repeat(256 * 1024) };
  await changeCliques((clique) => (clique.name === "front" ? { ...clique, annotations } : clique));
  await seen("rejected");
  await remove(podCliqueSetResource, "chat");
  await create({ type: "ReplicaRecreate", partition: 1 });
  await until("it is healthy", isHealthy);
  await setImages({ front: "front:v2", work: "work:v2" });
  await seen("at-partition");
  await remove(podCliqueSetResource, "chat");
  await create({ type: "OnDelete" });
  await until("it is healthy", isHealthy);
  await setImages({ front: "front:v2", work: "work:v2" });
  await seen("awaiting-delete");
  await remove(podCliqueSetResource, "chat");
  await create({ type: "ReplicaRecreate", progressDeadlineSeconds: 30 });
  await until("it is healthy", isHealthy);
  await setImages({ front: "front:broken" });
  await seen("stalled");
  await remove(podCliqueSetResource, "chat");
  await create();
  await until("it is healthy", isHealthy);
  await states.deleteHeld(podCliqueSetResource, "chat");
  await seen("deleting");
  await remove(podCliqueSetResource, "chat");
  expect((await states.lockstep("list")).text).toBe("! no rollouts found in namespace default");
}, 480_000);

const isHealthy = async (): Promise<boolean> =>
  (await states.lockstep("status pcs/chat")).text.startsWith("podcliqueset/chat: Healthy");

interface Clique {
  readonly name: string;
  readonly spec: { readonly podSpec: { readonly containers: readonly object[] } };
}
interface SetSpec {
  readonly spec: { readonly template: { readonly cliques: readonly Clique[] } };
}
