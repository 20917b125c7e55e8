/** Deleting: preconditions, finalizers, grace periods, collections. */
import { expect, test } from "vitest";
import { at, metadataOf, namesOf } from "../json.ts";
import { configMap, pod, workload } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";
import { sketch } from "../watch-stream.ts";

const finalizers = ["lockstep.dev/test"];
const onNode = { nodeName: "some-node" };

export function deletion(cluster: () => Cluster): void {
  test("deleting answers with a Status that names what was deleted", async () => {
    const { api, path, create } = await cluster().scene();
    const { uid } = metadataOf(await create("configmaps", configMap("a")));
    const { status, body } = await api.delete(path("configmaps", "a"));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: "Status",
      apiVersion: "v1",
      status: "Success",
      details: { name: "a", kind: "configmaps", uid },
    });
    expect((await api.get(path("configmaps", "a"))).status).toBe(404);
  });

  test("the details of a NotFound name the resource and its group", async () => {
    const { api, path } = await cluster().scene();
    const { body } = await api.get(path("statefulsets", "a"));
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'statefulsets.apps "a" not found',
      reason: "NotFound",
      details: { name: "a", group: "apps", kind: "statefulsets" },
      code: 404,
    });
  });

  test("another uid than expected stops a deletion", async () => {
    const { api, path, create } = await cluster().scene();
    const { uid } = metadataOf(await create("configmaps", configMap("a")));
    const answer = await api.delete(path("configmaps", "a"), { preconditions: { uid: "other" } });
    expect(verdict(answer)).toBe(
      '409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition ' +
        `(other) does not match the UID in record (${uid}). ` +
        "The object might have been deleted and then recreated",
    );
    const matching = await api.delete(path("configmaps", "a"), { preconditions: { uid } });
    expect(matching.status).toBe(200);
  });

  test("another version than expected stops a deletion", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    const stale = { preconditions: { resourceVersion: "1" } };
    expect(verdict(await api.delete(path("configmaps", "a"), stale))).toBe(
      '409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the ' +
        `precondition (1) does not match the ResourceVersion in record (${resourceVersion}). ` +
        "The object might have been modified",
    );
    const current = { preconditions: { resourceVersion } };
    expect((await api.delete(path("configmaps", "a"), current)).status).toBe(200);
  });

  test("an object with finalizers stays, marked, until the last one is removed", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", {}, { finalizers }));
    const { status, body } = await api.delete(path("configmaps", "a"));
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: "ConfigMap" });
    expect(metadataOf(body).deletionTimestamp).toMatch(/Z$/);
    expect(metadataOf(body).deletionGracePeriodSeconds).toBe(0);

    const freed = await api.patch("merge", path("configmaps", "a"), {
      metadata: { finalizers: [] },
    });
    expect(freed.status).toBe(200);
    expect((await api.get(path("configmaps", "a"))).status).toBe(404);
  });

  test("a second deletion of a terminating object changes nothing", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", {}, { finalizers }));
    const first = metadataOf((await api.delete(path("configmaps", "a"))).body);
    const second = metadataOf((await api.delete(path("configmaps", "a"))).body);
    expect(second.resourceVersion).toBe(first.resourceVersion);
  });

  test("a terminating object takes no new finalizer", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", {}, { finalizers }));
    await api.delete(path("configmaps", "a"));
    const more = { metadata: { finalizers: [...finalizers, "lockstep.dev/second"] } };
    expect(verdict(await api.patch("merge", path("configmaps", "a"), more))).toBe(
      '422 Invalid: ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can ' +
        'be added if the object is being deleted, found new finalizers []string{"lockstep.dev/second"}',
    );
  });

  test("the name of a terminating object stays taken", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", {}, { finalizers }));
    await api.delete(path("configmaps", "a"));
    expect(verdict(await api.post(path("configmaps"), configMap("a")))).toBe(
      '409 AlreadyExists: object is being deleted: configmaps "a" already exists',
    );
  });

  test("deletion raises the generation of a set", async () => {
    const { api, path, create } = await cluster().scene();
    await create("statefulsets", { ...workload("a"), metadata: { name: "a", finalizers } });
    expect(metadataOf((await api.delete(path("statefulsets", "a"))).body).generation).toBe(2);
  });

  test("a pod without a node is gone at once", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    const { status, body } = await api.delete(path("pods", "a"));
    expect(status).toBe(200);
    expect(body).toMatchObject({ kind: "Pod" });
    expect((await api.get(path("pods", "a"))).status).toBe(404);
  });

  test("a pod on a node waits for its kubelet, for its own grace period", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a", { ...onNode, terminationGracePeriodSeconds: 7 }));
    const { status, body } = await api.delete(path("pods", "a"));
    expect(status).toBe(200);
    const { deletionTimestamp, deletionGracePeriodSeconds, generation } = metadataOf(body);
    expect(deletionGracePeriodSeconds).toBe(7);
    expect(generation).toBe(2);
    const aheadMs = Date.parse(deletionTimestamp!) - Date.parse(metadataOf(body).creationTimestamp);
    expect(aheadMs).toBeGreaterThanOrEqual(7000);
    expect((await api.get(path("pods", "a"))).status).toBe(200);
  });

  test("the grace period of a deletion may be shortened, never lengthened", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a", onNode));
    const graceAfter = async (gracePeriodSeconds: number): Promise<number | undefined> => {
      const { body } = await api.delete(path("pods", "a"), { gracePeriodSeconds });
      return metadataOf(body).deletionGracePeriodSeconds;
    };
    expect(await graceAfter(20)).toBe(20);
    expect(await graceAfter(5)).toBe(5);
    expect(await graceAfter(10)).toBe(5);
  });

  test("a grace period of zero removes a pod on a node: first marked, then gone", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("pods", pod("a", onNode)));
    const watch = await api.watch(path("pods"), { resourceVersion });
    await api.delete(path("pods", "a"), { gracePeriodSeconds: 0 });
    const [marked, gone] = [await watch.next(), await watch.next()];
    watch.close();
    expect([sketch(marked), sketch(gone)]).toEqual(["MODIFIED a", "DELETED a"]);
    expect(metadataOf(marked!.object).deletionGracePeriodSeconds).toBe(0);
    expect((await api.get(path("pods", "a"))).status).toBe(404);
  });

  test("the grace period may come in the query", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a", onNode));
    await api.delete(path("pods", "a"), undefined, { gracePeriodSeconds: 0 });
    expect((await api.get(path("pods", "a"))).status).toBe(404);
  });

  test("a pod that has finished is gone at once", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a", onNode));
    await api.patch("merge", path("pods", "a", "status"), { status: { phase: "Succeeded" } });
    await api.delete(path("pods", "a"));
    expect((await api.get(path("pods", "a"))).status).toBe(404);
  });

  test("a negative grace period is refused", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    const answer = await api.delete(path("pods", "a"), { gracePeriodSeconds: -1 });
    expect(verdict(answer)).toBe("200");
  });

  test("an unknown propagation policy is refused", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const answer = await api.delete(path("configmaps", "a"), { propagationPolicy: "Sideways" });
    expect(verdict(answer)).toBe(
      '422 Invalid: DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported ' +
        'value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
    );
  });

  test("foreground deletion leaves the object with a finalizer of its own", async () => {
    const { api, path, create, ns } = await cluster().scene();
    const owner = metadataOf(await create("configmaps", configMap("a")));
    const ownerReferences = [
      { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: owner.uid, blockOwnerDeletion: true },
    ];
    await create("configmaps", configMap("b", {}, { ownerReferences, finalizers }));
    const { body } = await api.delete(path("configmaps", "a"), { propagationPolicy: "Foreground" });
    expect(metadataOf(body)).toMatchObject({ finalizers: ["foregroundDeletion"], namespace: ns });
    await api.patch("merge", path("configmaps", "b"), { metadata: { finalizers: [] } });
  });

  test("the deletion of a collection respects the label selector", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", {}, { labels: { go: "yes" } }));
    await create("configmaps", configMap("b", {}, { labels: { go: "yes" } }));
    await create("configmaps", configMap("c"));
    const answer = await api.delete(path("configmaps"), undefined, { labelSelector: "go=yes" });
    expect(answer.status).toBe(200);
    expect(answer.body.kind).toBe("ConfigMapList");
    expect(namesOf(answer.body).toSorted()).toEqual(["a", "b"]);
    expect(namesOf((await api.get(path("configmaps"))).body)).toEqual(["c"]);
  });

  test("the deletion of a collection respects the field selector", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    await create("configmaps", configMap("b"));
    await api.delete(path("configmaps"), undefined, { fieldSelector: "metadata.name=a" });
    expect(namesOf((await api.get(path("configmaps"))).body)).toEqual(["b"]);
  });

  test("services are deleted one by one or as a collection", async () => {
    const { api, path, create } = await cluster().scene();
    await create("services", { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } });
    expect((await api.delete(path("services"))).status).toBe(200);
    expect(namesOf((await api.get(path("services"))).body)).toEqual([]);
  });

  test("a dry deletion says what it would do and does nothing", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const answer = await api.delete(path("configmaps", "a"), { dryRun: ["All"] });
    expect(answer.status).toBe(200);
    expect(at(answer.body, "status")).toBe("Success");
    expect((await api.get(path("configmaps", "a"))).status).toBe(200);
  });
}
