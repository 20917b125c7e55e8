/** Status, scale and binding, and what may change in an existing pod. */
import { expect, test } from "vitest";
import { at, metadataOf } from "../json.ts";
import { container, pod, workload } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";

const gates = (...names: string[]): unknown => names.map((name) => ({ name }));

export function subresources(cluster: () => Cluster): void {
  test("a status update changes the status and nothing of the spec", async () => {
    const { api, path, create } = await cluster().scene();
    const created = await create("statefulsets", workload("a", { replicas: 2 }));
    const body = {
      ...created,
      spec: { ...(created.spec as object), replicas: 9 },
      status: { replicas: 2, observedGeneration: 1 },
    };
    const { status, body: updated } = await api.put(path("statefulsets", "a", "status"), body);
    expect(status).toBe(200);
    expect(at(updated, "spec.replicas")).toBe(2);
    expect(at(updated, "status.replicas")).toBe(2);
    expect(metadataOf(updated).generation).toBe(1);
  });

  test("an update of the object leaves the status alone", async () => {
    const { api, path, create } = await cluster().scene();
    await create("statefulsets", workload("a"));
    const patched = { status: { replicas: 1, readyReplicas: 1 } };
    await api.patch("merge", path("statefulsets", "a", "status"), patched);
    const changed = { ...workload("a", { replicas: 5 }), status: { replicas: 9 } };
    const { body } = await api.put(path("statefulsets", "a"), changed);
    expect(at(body, "status.replicas")).toBe(1);
    expect(at(body, "spec.replicas")).toBe(5);
  });

  test("the status of an object is read as the object", async () => {
    const { api, path, create } = await cluster().scene();
    const created = await create("statefulsets", workload("a"));
    expect((await api.get(path("statefulsets", "a", "status"))).body).toEqual(created);
  });

  test("labels sent through the status of a pod are stored", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    const patch = { metadata: { labels: { x: "1" } } };
    await api.patch("merge", path("pods", "a", "status"), patch);
    const { body } = await api.get(path("pods", "a"));
    expect(metadataOf(body).labels).toEqual({ x: "1" });
  });

  test("impossible counts in a status are refused", async () => {
    const { api, path, create } = await cluster().scene();
    await create("statefulsets", workload("a"));
    const patch = { status: { replicas: 3, readyReplicas: 4, observedGeneration: -1 } };
    expect(verdict(await api.patch("merge", path("statefulsets", "a", "status"), patch))).toBe(
      '422 Invalid: StatefulSet.apps "a" is invalid: [status.observedGeneration: Invalid value: -1: ' +
        "must be greater than or equal to 0, status.readyReplicas: Invalid value: 4: " +
        "cannot be greater than status.replicas]",
    );
  });

  test.each(["statefulsets", "deployments", "replicasets"])("the scale of %s", async (kind) => {
    const { api, path, create, ns } = await cluster().scene();
    const { uid } = metadataOf(await create(kind, workload("a", { replicas: 2 })));
    const { status, body } = await api.get(path(kind, "a", "scale"));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "a", namespace: ns, uid },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: "app=web" },
    });
  });

  test("scaling by PUT and by patch raises the generation", async () => {
    const { api, path, create } = await cluster().scene();
    await create("statefulsets", workload("a", { replicas: 2 }));
    const scale = (await api.get(path("statefulsets", "a", "scale"))).body;
    const put = await api.put(path("statefulsets", "a", "scale"), {
      ...scale,
      spec: { replicas: 3 },
    });
    expect([put.status, at(put.body, "spec.replicas")]).toEqual([200, 3]);
    const patch = { spec: { replicas: 0 } };
    const patched = await api.patch("merge", path("statefulsets", "a", "scale"), patch);
    expect(patched.body.spec).toEqual({});
    const { body } = await api.get(path("statefulsets", "a"));
    expect(at(body, "spec.replicas")).toBe(0);
    expect(metadataOf(body).generation).toBe(3);
  });

  test("a stale scale is refused", async () => {
    const { api, path, create } = await cluster().scene();
    await create("statefulsets", workload("a"));
    const stale = { metadata: { name: "a", resourceVersion: "1" }, spec: { replicas: 3 } };
    expect(verdict(await api.put(path("statefulsets", "a", "scale"), stale))).toBe(
      '409 Conflict: Operation cannot be fulfilled on statefulsets.apps "a": the object has been ' +
        "modified; please apply your changes to the latest version and try again",
    );
  });

  test("a negative scale is refused", async () => {
    const { api, path, create } = await cluster().scene();
    await create("statefulsets", workload("a"));
    const patch = { spec: { replicas: -1 } };
    const answer = await api.patch("merge", path("statefulsets", "a", "scale"), patch);
    expect(verdict(answer)).toBe(
      '422 Invalid: Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: must ' +
        "be greater than or equal to 0",
    );
  });

  test("a pod has no scale", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    expect(verdict(await api.get(path("pods", "a", "scale")))).toBe(
      "404 NotFound: the server could not find the requested resource",
    );
  });
}

export function bindings(cluster: () => Cluster): void {
  const bind = (node: string): unknown => ({
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name: "a" },
    target: { apiVersion: "v1", kind: "Node", name: node },
  });

  test("a binding puts a pod on a node and says so in a condition", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    const { status, body } = await api.post(path("pods", "a", "binding"), bind("some-node"));
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: "Status", status: "Success", code: 201 });
    const bound = (await api.get(path("pods", "a"))).body;
    expect(at(bound, "spec.nodeName")).toBe("some-node");
    expect(metadataOf(bound).generation).toBe(1);
    expect(at(bound, "status.conditions.0")).toMatchObject({
      type: "PodScheduled",
      status: "True",
    });
  });

  test("a bound pod is not bound again", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    await api.post(path("pods", "a", "binding"), bind("some-node"));
    expect(verdict(await api.post(path("pods", "a", "binding"), bind("other")))).toBe(
      '409 Conflict: Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to ' +
        'node "some-node"',
    );
  });

  test("a gated pod is not bound", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a", { schedulingGates: gates("a.b/c") }));
    const answer = await api.post(path("pods", "a", "binding"), bind("some-node"));
    expect(verdict(answer)).toBe(
      '409 Conflict: Operation cannot be fulfilled on pods/binding "a": pod a has non-empty ' +
        ".spec.schedulingGates",
    );
  });

  test("a terminating pod is not bound", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a", {}, { finalizers: ["lockstep.dev/test"] }));
    await api.delete(path("pods", "a"));
    const answer = await api.post(path("pods", "a", "binding"), bind("some-node"));
    expect(verdict(answer)).toBe(
      '409 Conflict: Operation cannot be fulfilled on pods/binding "a": pod a is being ' +
        "deleted, cannot be assigned to a host",
    );
  });

  test("a pod that is not there is not bound", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.post(path("pods", "a", "binding"), bind("some-node"));
    expect(verdict(answer)).toBe('404 NotFound: pods "a" not found');
  });

  test("labels of a binding are added to the pod", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    const binding = { ...(bind("n") as object), metadata: { name: "a", annotations: { x: "1" } } };
    await api.post(path("pods", "a", "binding"), binding);
    expect(metadataOf((await api.get(path("pods", "a"))).body).annotations).toEqual({ x: "1" });
  });
}

export function podUpdates(cluster: () => Cluster): void {
  const gated = pod("a", {
    schedulingGates: gates("a.b/one", "a.b/two"),
    nodeSelector: { zone: "one" },
  });

  test("an image may change", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a", { containers: [container("main", "nginx:1")] }));
    const changed = pod("a", { containers: [container("main", "nginx:2")] });
    const { body } = await api.put(path("pods", "a"), changed);
    expect(at(body, "spec.containers.0.image")).toBe("nginx:2");
  });

  test("another field may not change, and the refusal lists what may", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    const answer = await api.patch("merge", path("pods", "a"), {
      spec: { restartPolicy: "Never" },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(
      "spec: Forbidden: pod updates may not change fields other than " +
        "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`," +
        "`spec.tolerations` (only additions to existing tolerations)," +
        "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    );
  });

  test("tolerations may be added, not taken away", async () => {
    const { api, path, create } = await cluster().scene();
    const tolerations = [{ key: "a", operator: "Exists" }];
    await create("pods", pod("a", { tolerations }));
    const added = { spec: { tolerations: [...tolerations, { key: "b", operator: "Exists" }] } };
    expect((await api.patch("merge", path("pods", "a"), added)).status).toBe(200);
    const removed = { spec: { tolerations: [] } };
    expect((await api.patch("merge", path("pods", "a"), removed)).status).toBe(422);
  });

  test("a gated pod says in a condition why it is not scheduled", async () => {
    const { create } = await cluster().scene();
    const created = await create("pods", gated);
    expect(at(created, "status.conditions.0")).toMatchObject({
      type: "PodScheduled",
      status: "False",
      reason: "SchedulingGated",
      message: "Scheduling is blocked due to non-empty scheduling gates",
    });
  });

  test("scheduling gates may be removed one by one", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", gated);
    const fewer = { spec: { schedulingGates: gates("a.b/two") } };
    const { status, body } = await api.patch("merge", path("pods", "a"), fewer);
    expect(status).toBe(200);
    expect(at(body, "spec.schedulingGates")).toEqual([{ name: "a.b/two" }]);
    const none = { spec: { schedulingGates: null } };
    expect((await api.patch("merge", path("pods", "a"), none)).status).toBe(200);
  });

  test("a gated pod's node selector may be narrowed", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", gated);
    const more = { spec: { nodeSelector: { disk: "ssd" } } };
    const { status, body } = await api.patch("merge", path("pods", "a"), more);
    expect(status).toBe(200);
    expect(at(body, "spec.nodeSelector")).toEqual({ zone: "one", disk: "ssd" });
  });

  test("a gated pod's node selector may not be changed", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", gated);
    const other = { spec: { nodeSelector: { zone: "two" } } };
    expect(verdict(await api.patch("merge", path("pods", "a"), other))).toBe(
      '422 Invalid: Pod "a" is invalid: spec.nodeSelector: Invalid value: {"zone":"two"}: only ' +
        "additions to spec.nodeSelector are allowed (no mutations or deletions)",
    );
  });

  test("a pod without gates may not narrow its node selector", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    const more = { spec: { nodeSelector: { disk: "ssd" } } };
    expect((await api.patch("merge", path("pods", "a"), more)).status).toBe(422);
  });

  test("labels of a pod may change", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    const labels = { metadata: { labels: { x: "1" } } };
    const { body } = await api.patch("merge", path("pods", "a"), labels);
    expect(metadataOf(body).labels).toEqual({ x: "1" });
    expect(metadataOf(body).generation).toBe(1);
  });
}
