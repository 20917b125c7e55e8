/** JSON, merge and strategic merge patches, and what the server says of bad ones. */
import { expect, test } from "vitest";
import type { PatchType } from "../contract-client.ts";
import { at, metadataOf } from "../json.ts";
import { configMap, container, pod, podSpec, template, workload } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { labelValueRule } from "../wording.ts";
import { asFarAs, verdict } from "../verdict.ts";

interface Case {
  readonly type: PatchType;
  readonly patch: unknown;
  /** The data afterwards, or the verdict of a refusal. */
  readonly want: unknown;
}

/** All start from a config map with this data. */
const data = { a: "1", b: "2" };

const mapPatches: Readonly<Record<string, Case>> = {
  "JSON add puts a key": {
    type: "json",
    patch: [{ op: "add", path: "/data/c", value: "9" }],
    want: { ...data, c: "9" },
  },
  "JSON replace changes a key": {
    type: "json",
    patch: [{ op: "replace", path: "/data/a", value: "9" }],
    want: { ...data, a: "9" },
  },
  "JSON replace of a missing key puts it": {
    type: "json",
    patch: [{ op: "replace", path: "/data/c", value: "9" }],
    want: { ...data, c: "9" },
  },
  "JSON remove takes a key away": {
    type: "json",
    patch: [{ op: "remove", path: "/data/a" }],
    want: { b: "2" },
  },
  "JSON move and copy work": {
    type: "json",
    patch: [
      { op: "copy", from: "/data/a", path: "/data/c" },
      { op: "move", from: "/data/b", path: "/data/d" },
    ],
    want: { a: "1", c: "1", d: "2" },
  },
  "a JSON test that holds lets the rest happen": {
    type: "json",
    patch: [
      { op: "test", path: "/data/a", value: "1" },
      { op: "remove", path: "/data/a" },
    ],
    want: { b: "2" },
  },
  "a JSON test that fails refuses": {
    type: "json",
    patch: [
      { op: "test", path: "/data/a", value: "other" },
      { op: "remove", path: "/data/a" },
    ],
    want: "422 Invalid: the server rejected our request due to an error in our request",
  },
  "a JSON remove of a missing key is refused": {
    type: "json",
    patch: [{ op: "remove", path: "/data/none" }],
    want: "422 Invalid: the server rejected our request due to an error in our request",
  },
  "a JSON add below a missing parent is refused": {
    type: "json",
    patch: [{ op: "add", path: "/none/c", value: "9" }],
    want: "422 Invalid: the server rejected our request due to an error in our request",
  },
  "an unknown JSON operation is refused": {
    type: "json",
    patch: [{ op: "shake", path: "/data/a" }],
    want: "422 Invalid: the server rejected our request due to an error in our request",
  },
  "a JSON patch that is no list is refused": {
    type: "json",
    patch: { op: "add" },
    want:
      "400 BadRequest: error decoding patch: json: cannot unmarshal object into Go value of " +
      "type []handlers.jsonPatchOp",
  },
  "a JSON patch that is no JSON is refused": {
    type: "json",
    patch: "[{",
    want: "400 BadRequest: error decoding patch: unexpected end of JSON input",
  },
  "merge changes, adds and removes by null": {
    type: "merge",
    patch: { data: { a: "9", b: null, c: "8" } },
    want: { a: "9", c: "8" },
  },
  "an empty merge changes nothing": { type: "merge", patch: {}, want: data },
  "a merge of a string into a map is refused": {
    type: "merge",
    patch: { data: "all" },
    want: '422 Invalid:  "" is invalid: patch: Invalid value: ...',
  },
  "a merge that is a list is refused": {
    type: "merge",
    patch: [],
    want:
      "400 BadRequest: error decoding patch: json: cannot unmarshal array into Go value of " +
      "type map[string]interface {}",
  },
  "a merge that is no JSON is refused": {
    type: "merge",
    patch: "{",
    want: "400 BadRequest: error decoding patch: unexpected end of JSON input",
  },
  "a merge of another name is refused": {
    type: "merge",
    patch: { metadata: { name: "other" } },
    want: "400 BadRequest: the name of the object (other) does not match the name on the URL (a)",
  },
  "a merge with a stale version is refused": {
    type: "merge",
    patch: { metadata: { resourceVersion: "1" } },
    want:
      '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been ' +
      "modified; please apply your changes to the latest version and try again",
  },
  "a merge of a wrong label is refused": {
    type: "merge",
    patch: { metadata: { labels: { app: "-" } } },
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.labels: Invalid value: "-": ' +
      labelValueRule,
  },
  "strategic merges maps as merge does": {
    type: "strategic",
    patch: { data: { a: "9", b: null } },
    want: { a: "9" },
  },
  "strategic replaces a map with $patch: replace": {
    type: "strategic",
    patch: { data: { $patch: "replace", z: "9" } },
    want: { z: "9" },
  },
  "strategic deletes a map with $patch: delete": {
    type: "strategic",
    patch: { data: { $patch: "delete" } },
    want: undefined,
  },
  "a strategic patch that is no JSON is refused": {
    type: "strategic",
    patch: "{",
    want: "400 BadRequest: unexpected end of JSON input",
  },
  "an unknown strategic directive is refused": {
    type: "strategic",
    patch: { data: { $patch: "shake" } },
    want: "500 no reason: unknown patch type: shake in map: map[$patch:shake]",
  },
};

interface ListCase {
  readonly patch: unknown;
  readonly want: unknown;
}

/** All start from a deployment with containers main and side, which has ports and environment. */
const containerPatches: Readonly<Record<string, ListCase>> = {
  "an element with a known key is merged": {
    patch: [{ name: "side", image: "side:2" }],
    want: ["main nginx", "side side:2"],
  },
  "an element with a new key goes to the front": {
    patch: [{ name: "new", image: "new:1" }],
    want: ["new new:1", "main nginx", "side side:1"],
  },
  "an element is deleted by its key": {
    patch: [{ name: "main", $patch: "delete" }],
    want: ["side side:1"],
  },
  "the list is replaced with $patch: replace": {
    patch: [{ name: "new", image: "new:1" }, { $patch: "replace" }],
    want: ["new new:1"],
  },
};

const sideContainer = {
  ...container("side", "side:1"),
  env: [{ name: "A", value: "1" }],
  ports: [{ containerPort: 80 }],
  args: ["one", "two"],
};

export function patches(cluster: () => Cluster): void {
  test.each(Object.entries(mapPatches))("%s", async (_sentence, { type, patch, want }) => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", data));
    const answer = await api.patch(type, path("configmaps", "a"), patch);
    const isRefused = typeof want === "string";
    const { status, body } = answer;
    const got = isRefused ? asFarAs(want, verdict(answer)) : { status, data: body.data };
    expect(got).toEqual(isRefused ? want : { status: 200, data: want });
  });

  test("a patch of an unknown type is refused", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const headers = { "content-type": "application/shake-patch+json" };
    const answer = await api.send("PATCH", path("configmaps", "a"), { body: {}, headers });
    expect(verdict(answer)).toBe("415 UnsupportedMediaType: 415: Unsupported Media Type");
  });

  test("JSON paths escape slashes and tildes", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", {}, { annotations: { "a.b/c": "1" } }));
    const operations = [{ op: "replace", path: "/metadata/annotations/a.b~1c", value: "2" }];
    const { body } = await api.patch("json", path("configmaps", "a"), operations);
    expect(metadataOf(body).annotations).toEqual({ "a.b/c": "2" });
  });

  test("a patch that changes nothing keeps the version", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a", data)));
    const { body } = await api.patch("merge", path("configmaps", "a"), { data: { a: "1" } });
    expect(metadataOf(body).resourceVersion).toBe(resourceVersion);
  });

  test("a patch with the current version succeeds", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a", data)));
    const patch = { metadata: { resourceVersion }, data: { a: "9" } };
    expect((await api.patch("merge", path("configmaps", "a"), patch)).status).toBe(200);
  });

  test("a merge patch replaces a list as a whole", async () => {
    const { api, path, create } = await cluster().scene();
    await create("deployments", twoContainers);
    const body = { spec: { template: { spec: { containers: [container("new", "new:1")] } } } };
    const answer = await api.patch("merge", path("deployments", "a"), body);
    expect(sketchContainers(answer.body)).toEqual(["new new:1"]);
  });
}

const twoContainers = workload("a", {
  template: template({ app: "web" }, podSpec({ containers: [container(), sideContainer] })),
});

export function strategicPatches(cluster: () => Cluster): void {
  const ofPodSpec = (spec: unknown): unknown => ({ spec: { template: { spec } } });

  test.each(Object.entries(containerPatches))("%s", async (_sentence, { patch, want }) => {
    const { api, path, create } = await cluster().scene();
    await create("deployments", twoContainers);
    const body = ofPodSpec({ containers: patch });
    const answer = await api.patch("strategic", path("deployments", "a"), body);
    expect(answer.status).toBe(200);
    expect(sketchContainers(answer.body)).toEqual(want);
  });

  test("the order of elements follows $setElementOrder", async () => {
    const { api, path, create } = await cluster().scene();
    await create("deployments", twoContainers);
    const body = ofPodSpec({
      "$setElementOrder/containers": [{ name: "side" }, { name: "main" }],
      containers: [{ name: "main", image: "nginx:2" }],
    });
    const answer = await api.patch("strategic", path("deployments", "a"), body);
    expect(sketchContainers(answer.body)).toEqual(["side side:1", "main nginx:2"]);
  });

  test("lists inside an element follow their own keys", async () => {
    const { api, path, create } = await cluster().scene();
    await create("deployments", twoContainers);
    const side = {
      name: "side",
      env: [{ name: "B", value: "2" }],
      ports: [{ containerPort: 81 }],
      args: ["three"],
    };
    const answer = await api.patch(
      "strategic",
      path("deployments", "a"),
      ofPodSpec({ containers: [side] }),
    );
    const changed = at(answer.body, "spec.template.spec.containers.1");
    expect(at(changed, "env")).toEqual([
      { name: "B", value: "2" },
      { name: "A", value: "1" },
    ]);
    expect(at(changed, "ports")).toEqual([
      { containerPort: 81, protocol: "TCP" },
      { containerPort: 80, protocol: "TCP" },
    ]);
    expect(at(changed, "args")).toEqual(["three"]);
  });

  test("tolerations are replaced as a whole", async () => {
    const { api, path, create } = await cluster().scene();
    const tolerations = [{ key: "a", operator: "Exists" }];
    await create(
      "deployments",
      workload("a", { template: template({ app: "web" }, podSpec({ tolerations })) }),
    );
    const body = ofPodSpec({ tolerations: [{ key: "b", operator: "Exists" }] });
    const answer = await api.patch("strategic", path("deployments", "a"), body);
    expect(at(answer.body, "spec.template.spec.tolerations")).toEqual([
      { key: "b", operator: "Exists" },
    ]);
  });

  test("an element without its key is refused", async () => {
    const { api, path, create } = await cluster().scene();
    await create("deployments", twoContainers);
    const body = ofPodSpec({ containers: [{ image: "new:1" }] });
    const answer = await api.patch("strategic", path("deployments", "a"), body);
    expect(answer.status).toBe(500);
    expect(answer.body.message).toContain("does not contain declared merge key: name");
  });

  test("retained keys drop the others of a union", async () => {
    const { api, path, create } = await cluster().scene();
    await create("deployments", twoContainers);
    const strategy = { $retainKeys: ["type"], type: "Recreate" };
    const answer = await api.patch("strategic", path("deployments", "a"), { spec: { strategy } });
    expect(at(answer.body, "spec.strategy")).toEqual({ type: "Recreate" });
  });

  test("finalizers merge, and are deleted by their value", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", {}, { finalizers: ["a.b/one"] }));
    const more = { metadata: { finalizers: ["a.b/two"] } };
    const merged = await api.patch("strategic", path("configmaps", "a"), more);
    expect([...metadataOf(merged.body).finalizers!].toSorted()).toEqual(["a.b/one", "a.b/two"]);
    const less = { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.b/one", "a.b/two"] } };
    const emptied = await api.patch("strategic", path("configmaps", "a"), less);
    expect(metadataOf(emptied.body)).not.toHaveProperty("finalizers");
  });

  test("conditions of a pod merge by their type", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("a"));
    const condition = (type: string, status: string): unknown => ({
      status: { conditions: [{ type, status }] },
    });
    await api.patch("strategic", path("pods", "a", "status"), condition("Ready", "False"));
    await api.patch("strategic", path("pods", "a", "status"), condition("Mine", "True"));
    const { body } = await api.patch(
      "strategic",
      path("pods", "a", "status"),
      condition("Ready", "True"),
    );
    const conditions = at(body, "status.conditions") as { type: string; status: string }[];
    expect(conditions.map(({ type, status }) => `${type}=${status}`).toSorted()).toEqual([
      "Mine=True",
      "Ready=True",
    ]);
  });
}

function sketchContainers(deployment: unknown): string[] {
  const containers = at(deployment, "spec.template.spec.containers") as Record<string, string>[];
  return containers.map(({ name, image }) => `${name} ${image}`);
}
