/** Details in which the embedded server once differed from a real one. */
import { expect, test } from "vitest";
import type { Json } from "../json.ts";
import { at, metadataOf } from "../json.ts";
import { defineKind, widgetSchema, widgetVersion } from "../custom-kind.ts";
import { configMap } from "../objects.ts";
import type { Refusals } from "../refusals.ts";
import { refusalTests } from "../refusals.ts";
import type { Answer } from "../contract-client.ts";
import type { Cluster, Scene } from "../scene.ts";
import { verdict } from "../verdict.ts";

const podSpec = { containers: [{ name: "c", image: "i" }] };
const workload = (labels: Json, templateLabels: Json = labels): Json => ({
  metadata: { name: "w" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels: templateLabels }, spec: podSpec },
  },
});
const statefulSet = (labels: Json, templateLabels: Json = labels): Json => ({
  metadata: { name: "w" },
  spec: { serviceName: "w", ...(workload(labels, templateLabels).spec as object) },
});

const revision = (data: unknown, number = 1): Json => ({
  metadata: { name: "r" },
  revision: number,
  data,
});
const given: Refusals[string]["given"] = [["controllerrevisions", revision({ spec: { a: 1 } })]];
const immutable = (data: string): string =>
  `422 Invalid: ControllerRevision.apps "r" is invalid: data: Invalid value: ${data}: field is immutable`;

const set = ["statefulsets", statefulSet({ a: "b" })] as const;
const scaleRefusal = (kind: string): string =>
  `400 BadRequest: ${kind} in version "v1" cannot be handled as a Scale: `;

const refusals: Refusals = {
  "the data of a revision cannot change": {
    given,
    ask: "PUT controllerrevisions/r",
    body: revision({ spec: { a: 2 } }),
    want: immutable('{"spec":{"a":2}}'),
  },
  "nor get an empty list": {
    given,
    ask: "PUT controllerrevisions/r",
    body: revision({ n: [], spec: { a: 1 } }),
    want: immutable('{"n":[],"spec":{"a":1}}'),
  },
  "the number of a revision may change": {
    given,
    ask: "PUT controllerrevisions/r",
    body: revision({ spec: { a: 1 } }, 2),
    want: "200",
  },
  "a scale is not written from another kind": {
    given: [set],
    ask: "PUT statefulsets/w/scale",
    body: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "w" }, spec: { replicas: 2 } },
    want: `${scaleRefusal("ConfigMap")}converting (v1.ConfigMap) to (autoscaling.Scale): unknown conversion`,
  },
  "nor from an unknown one": {
    given: [set],
    ask: "PUT statefulsets/w/scale",
    body: { kind: "Foo", apiVersion: "bar/v1", metadata: { name: "w" } },
    want: `${scaleRefusal("Foo")}no kind "Foo" is registered for version "bar/v1" in scheme ...`,
  },
  "nor from a list": {
    given: [set],
    ask: "PUT statefulsets/w/scale",
    body: [1],
    want: "400 BadRequest: the object provided is unrecognized (must be of type Scale): ...",
  },
  "nor without a name": {
    given: [set],
    ask: "PUT statefulsets/w/scale",
    body: { spec: { replicas: 2 } },
    want: "400 BadRequest: the name of the object (w based on URL) was undeterminable: name must be provided",
  },
  "a scale may leave its kind to the path": {
    given: [set],
    ask: "PUT statefulsets/w/scale",
    body: { metadata: { name: "w" }, spec: { replicas: 2 } },
    want: "200",
  },
};

const causesOf = ({ body }: Answer): string[] =>
  (at(body, "details.causes") as readonly { field: string; message: string }[]).map(
    ({ field, message }) => `${field}: ${message}`.replace(/: (a valid label|name part) .*/, ""),
  );

/** Label maps with several errors: where each is reported. */
const labelCauses: Readonly<
  Record<string, { resource: string; object: Json; want: readonly string[] }>
> = {
  "two equal values of one map": {
    resource: "configmaps",
    object: { metadata: { name: "a", labels: { a: "x y", b: "x y" } } },
    want: ['metadata.labels: Invalid value: "x y"', 'metadata.labels: Invalid value: "x y"'],
  },
  "a key and its value": {
    resource: "configmaps",
    object: { metadata: { name: "a", labels: { "a b": "x y" } } },
    want: ['metadata.labels: Invalid value: "a b"', 'metadata.labels: Invalid value: "x y"'],
  },
  "the selector of a StatefulSet, which silences its template": {
    resource: "statefulsets",
    object: statefulSet({ a: "x y" }),
    want: [
      'spec.selector.matchLabels: Invalid value: "x y"',
      'spec.selector: Invalid value: {"matchLabels":{"a":"x y"}}',
    ],
  },
  "the selector of a Deployment": {
    resource: "deployments",
    object: workload({ a: "x y" }),
    want: [
      'spec.selector.matchLabels: Invalid value: "x y"',
      'spec.selector: Invalid value: {"matchLabels":{"a":"x y"}}: invalid label selector',
    ],
  },
  "the template of a StatefulSet, checked twice": {
    resource: "statefulsets",
    object: statefulSet({ a: "x" }, { a: "x", b: "y z" }),
    want: [
      'spec.template.labels: Invalid value: "y z"',
      'spec.template.labels: Invalid value: "y z"',
    ],
  },
};

/** Conditions written without times, as they are read again. */
const conditions: Readonly<Record<string, { object: Json; times: readonly string[] }>> = {
  pods: {
    object: { metadata: { name: "w" }, spec: podSpec },
    times: ["lastProbeTime", "lastTransitionTime"],
  },
  statefulsets: { object: statefulSet({ a: "b" }), times: ["lastTransitionTime"] },
  deployments: { object: workload({ a: "b" }), times: ["lastUpdateTime", "lastTransitionTime"] },
  replicasets: { object: workload({ a: "b" }), times: ["lastTransitionTime"] },
  persistentvolumeclaims: {
    object: {
      metadata: { name: "w" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    times: ["lastProbeTime", "lastTransitionTime"],
  },
};

export function compared(cluster: () => Cluster): void {
  refusalTests(cluster, refusals);

  test.each(Object.entries(labelCauses))(
    "every error is a cause: %s",
    async (_sentence, { resource, object, want }) => {
      const { api, path } = await cluster().scene();
      expect(causesOf(await api.post(path(resource), object))).toEqual(want);
    },
  );

  test.each(Object.entries(conditions))(
    "the times that a condition of %s lacks are null",
    async (resource, { object, times }) => {
      const { api, path, create } = await cluster().scene();
      await create(resource, object);
      const status = { replicas: 0, conditions: [{ type: "Custom", status: "True" }] };
      const known = resource.endsWith("sets") ? status : { conditions: status.conditions };
      const written = await api.patch("merge", path(resource, "w", "status"), { status: known });
      const nulls = Object.fromEntries(times.map((time) => [time, null]));
      expect(at(written.body, "status.conditions")).toEqual([
        { type: "Custom", status: "True", ...nulls },
      ]);
    },
  );

  test.each(["configmaps", "secrets", "leases", "controllerrevisions"])(
    "a finalizer that %s get while they are deleted is refused twice",
    async (resource) => {
      const { api, path, create } = await cluster().scene();
      const base = resource === "controllerrevisions" ? revision({}) : configMap("r");
      const { data: _data, ...bare } = base;
      const object = resource === "controllerrevisions" ? base : bare;
      await create(resource, { ...object, metadata: { name: "r", finalizers: ["a.io/one"] } });
      await api.delete(path(resource, "r"));
      const finalizers = ["a.io/one", "a.io/two"];
      const answer = await api.patch("merge", path(resource, "r"), { metadata: { finalizers } });
      const cause =
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, " +
        'found new finalizers []string{"a.io/two"}';
      expect(causesOf(answer)).toEqual([cause, cause]);
    },
  );

  test("a terminating namespace has no grace period", async () => {
    const { api, ns } = await cluster().scene();
    const path = `/api/v1/namespaces/${ns}-held`;
    const metadata = { name: `${ns}-held`, finalizers: ["a.io/one"] };
    await api.post("/api/v1/namespaces", { metadata });
    const deleted = metadataOf((await api.delete(path)).body);
    await api.patch("merge", path, { metadata: { finalizers: null } });
    expect(deleted).toHaveProperty("deletionTimestamp");
    expect(deleted).not.toHaveProperty("deletionGracePeriodSeconds");
  });

  test("a deprecated version says so with every answer, and names the newest that is not", async () => {
    const scene = await cluster().scene();
    const kind = await defineVersions(scene);
    const { api, unfill } = scene;
    await api.post(kind.path(), kind.widget("w"));
    const old = `$ns.lockstep.dev/v1beta1 Widget is deprecated; use $ns.lockstep.dev/v3 Widget`;
    const asked = (version: string): Promise<Answer>[] => [
      api.get(kind.path("w", undefined, version)),
      api.get(kind.path(undefined, undefined, version)),
      api.get(kind.path("missing", undefined, version)),
      api.get(kind.path(undefined, undefined, version), { watch: true, timeoutSeconds: 1 }),
      api.patch("merge", kind.path("w", undefined, version), { spec: {} }),
    ];
    const warningsOf = async (version: string): Promise<unknown> =>
      unfill((await Promise.all(asked(version))).map(({ warnings }) => warnings));
    expect(await warningsOf("v1")).toEqual([[], [], [], [], []]);
    expect(await warningsOf("v1beta1")).toEqual([[old], [old], [old], [old], [old]]);
    expect(await warningsOf("v2")).toEqual([["go on"], ["go on"], ["go on"], ["go on"], ["go on"]]);
  });

  test("a cluster-scoped kind is not found in a namespace", async () => {
    const scene = await cluster().scene();
    const { api, ns } = scene;
    const kind = await defineKind(scene, [widgetVersion(widgetSchema({}))], { scope: "Cluster" });
    const inside = `/apis/${kind.group}/v1/namespaces/${ns}/widgets`;
    for (const answer of [
      await api.get(inside),
      await api.post(inside, kind.widget("w")),
      await api.put(`${inside}/w`, kind.widget("w")),
      await api.delete(`${inside}/w`),
    ]) {
      expect(verdict(answer)).toBe("404 404 page not found");
    }
    const nodes = await api.post(`/api/v1/namespaces/${ns}/nodes`, { metadata: { name: "n" } });
    expect(verdict(nodes)).toBe("404 NotFound: the server could not find the requested resource");
  });
}

function defineVersions(scene: Scene): ReturnType<typeof defineKind> {
  const version = (name: string, more: Json = {}): Json => ({
    ...widgetVersion(widgetSchema({})),
    name,
    storage: name === "v1",
    ...more,
  });
  return defineKind(scene, [
    version("v1"),
    version("v1beta1", { deprecated: true }),
    version("v2", { deprecated: true, deprecationWarning: "go on" }),
    version("v3"),
    version("v11", { served: false }),
  ]);
}
