/** Autoscalers in both versions: what is written in one can be read and written in the other. */
import { expect, test } from "vitest";
import { at, metadataOf } from "../json.ts";
import type { Json } from "../json.ts";
import type { Cluster, Scene } from "../scene.ts";
import { verdict } from "../verdict.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" };
const noted = "autoscaling.alpha.kubernetes.io";

const inVersion1 = (path: string): string => path.replace("/autoscaling/v2/", "/autoscaling/v1/");

const autoscaler = (spec: Json): Json => ({
  metadata: { name: "a" },
  spec: { scaleTargetRef, maxReplicas: 5, ...spec },
});

const metrics = [
  {
    type: "Pods",
    pods: {
      metric: { name: "queue", selector: { matchLabels: { a: "b" } } },
      target: { type: "AverageValue", averageValue: "30" },
    },
  },
  {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
  },
  {
    type: "Resource",
    resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
  },
  {
    type: "External",
    external: { metric: { name: "jobs" }, target: { type: "AverageValue", averageValue: "4" } },
  },
  {
    type: "Object",
    object: {
      describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "front" },
      metric: { name: "hits" },
      target: { type: "Value", value: "1k" },
    },
  },
  {
    type: "ContainerResource",
    containerResource: {
      name: "cpu",
      container: "main",
      target: { type: "Utilization", averageUtilization: 70 },
    },
  },
];

const notesOf = (object: Json): Json =>
  Object.fromEntries(
    Object.entries((metadataOf(object).annotations ?? {}) as Record<string, string>).map(
      ([key, text]) => [key.replace(`${noted}/`, ""), JSON.parse(text) as unknown],
    ),
  );

export function autoscalers(cluster: () => Cluster): void {
  const opened = async (): Promise<Scene & { v1: string; v2: string }> => {
    const scene = await cluster().scene();
    const v2 = scene.path("horizontalpodautoscalers");
    return { ...scene, v1: inVersion1(v2), v2 };
  };

  test("version 1 without a target means 80% of the requested CPU, in both versions", async () => {
    const { api, v1, v2 } = await opened();
    const created = await api.post(v1, autoscaler({}));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      kind: "HorizontalPodAutoscaler",
      apiVersion: "autoscaling/v1",
    });
    const want = { scaleTargetRef, minReplicas: 1, maxReplicas: 5 };
    expect(created.body.spec).toEqual({ ...want, targetCPUUtilizationPercentage: 80 });
    const { body } = await api.get(`${v2}/a`);
    const target = { type: "Utilization", averageUtilization: 80 };
    const cpu = { type: "Resource", resource: { name: "cpu", target } };
    expect(body.spec).toEqual({ ...want, metrics: [cpu] });
    expect(metadataOf(body).annotations).toBeUndefined();
  });

  test("version 1 shows the CPU target and keeps all other metrics in an annotation", async () => {
    const { api, v1, v2 } = await opened();
    await api.post(v2, autoscaler({ metrics }));
    const { body } = await api.get(`${v1}/a`);
    expect(at(body, "spec.targetCPUUtilizationPercentage")).toBe(60);
    expect(notesOf(body)).toEqual({
      metrics: [
        {
          type: "Pods",
          pods: {
            metricName: "queue",
            targetAverageValue: "30",
            selector: { matchLabels: { a: "b" } },
          },
        },
        { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } },
        { type: "External", external: { metricName: "jobs", targetAverageValue: "4" } },
        {
          type: "Object",
          object: {
            target: { apiVersion: "apps/v1", kind: "Deployment", name: "front" },
            metricName: "hits",
            targetValue: "1k",
          },
        },
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "main", targetAverageUtilization: 70 },
        },
      ],
    });
  });

  test("an update in version 1 keeps the other metrics, the CPU target last", async () => {
    const { api, v1, v2 } = await opened();
    await api.post(v2, autoscaler({ metrics }));
    const { body } = await api.get(`${v1}/a`);
    const changed = { ...body, spec: { ...(body.spec as object), maxReplicas: 9 } };
    expect((await api.put(`${v1}/a`, changed)).status).toBe(200);
    const after = (await api.get(`${v2}/a`)).body;
    expect(at(after, "spec.maxReplicas")).toBe(9);
    const [pods, cpu, ...others] = metrics;
    expect(at(after, "spec.metrics")).toEqual([pods, ...others, cpu]);
    expect(metadataOf(after).annotations).toBeUndefined();
  });

  test("version 1 keeps how fast it may scale", async () => {
    const { api, v1, v2 } = await opened();
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const created = await api.post(v2, autoscaler({ behavior }));
    const { body } = await api.get(`${v1}/a`);
    await api.put(`${v1}/a`, body);
    expect(at((await api.get(`${v2}/a`)).body, "spec.behavior")).toEqual(
      at(created.body, "spec.behavior"),
    );
  });

  test("the status of version 2 is read in version 1", async () => {
    const { api, v1, v2 } = await opened();
    await api.post(v2, autoscaler({}));
    const current = { averageUtilization: 40, averageValue: "400m" };
    const condition = {
      type: "ScalingActive",
      status: "True",
      reason: "ValidMetricFound",
      message: "ok",
      lastTransitionTime: "2026-01-02T03:04:05Z",
    };
    const status = {
      currentReplicas: 2,
      desiredReplicas: 3,
      lastScaleTime: "2026-01-02T03:04:05Z",
      currentMetrics: [{ type: "Resource", resource: { name: "cpu", current } }],
      conditions: [condition],
    };
    const patched = await api.patch("merge", `${v2}/a/status`, { status });
    expect(patched.status).toBe(200);
    const { body } = await api.get(`${v1}/a`);
    expect(body.status).toEqual({
      currentReplicas: 2,
      desiredReplicas: 3,
      lastScaleTime: "2026-01-02T03:04:05Z",
      currentCPUUtilizationPercentage: 40,
    });
    const resource = {
      name: "cpu",
      currentAverageUtilization: 40,
      currentAverageValue: "400m",
    };
    expect(notesOf(body)).toEqual({
      conditions: [condition],
      "current-metrics": [{ type: "Resource", resource }],
    });
  });

  test("wrong bounds are refused in version 1 as in version 2", async () => {
    const { api, v1 } = await opened();
    const answer = await api.post(v1, autoscaler({ minReplicas: 7 }));
    expect(verdict(answer)).toBe(
      '422 Invalid: HorizontalPodAutoscaler.autoscaling "a" is invalid: spec.maxReplicas: ' +
        "Invalid value: 5: must be greater than or equal to `minReplicas`",
    );
  });

  test("a watch of version 1 sees what is written in version 2", async () => {
    const { api, v1, v2 } = await opened();
    const list = await api.get(v1);
    const resourceVersion = metadataOf(list.body).resourceVersion;
    const stream = await api.watch(v1, { resourceVersion });
    await api.post(v2, autoscaler({}));
    const event = await stream.next();
    stream.close();
    expect(event).toMatchObject({
      type: "ADDED",
      object: { apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 80 } },
    });
  });
}
