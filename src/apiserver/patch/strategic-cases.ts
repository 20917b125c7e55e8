/** Strategic merge patches with the results of a real server; checked here and, in the k8s run, there. */
import type { JsonObject } from "../served-resource.ts";

/** Stored as a Deployment; every case patches this. */
export const patchedDeployment: JsonObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "patched", labels: { x: "1", y: "2" } },
  spec: {
    selector: { matchLabels: { a: "b" } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels: { a: "b" } },
      spec: {
        containers: [
          {
            name: "a",
            image: "a:1",
            env: [
              { name: "E1", value: "1" },
              { name: "E2", value: "2" },
            ],
            ports: [
              { containerPort: 80, protocol: "TCP" },
              { containerPort: 81, protocol: "TCP" },
            ],
            args: ["1", "2"],
          },
          { name: "b", image: "b:1" },
          { name: "c", image: "c:1" },
        ],
        tolerations: [{ key: "a", operator: "Exists" }],
        volumes: [
          { name: "v1", emptyDir: {} },
          { name: "v2", configMap: { name: "x", defaultMode: 420 } },
        ],
        imagePullSecrets: [{ name: "s1" }],
        nodeSelector: { n: "1" },
      },
    },
  },
};

export interface StrategicCase {
  readonly patch: JsonObject;
  /** Keys down from the object to what `want` is compared with; absent there means undefined. */
  readonly path: readonly (string | number)[];
  readonly want?: unknown;
}

const inPodSpec = (spec: unknown): JsonObject => ({ spec: { template: { spec } } });
const podSpec = ["spec", "template", "spec"];
const images = [...podSpec, "containers", "images"];

/** `want` lists `name=image`; `images` in `path` asks for that form. */
const containers = (
  patch: readonly unknown[],
  want: string,
  extra: JsonObject = {},
): StrategicCase => ({
  patch: inPodSpec({ ...extra, containers: patch }),
  path: images,
  want,
});
const ordered = (...names: string[]): JsonObject => ({
  "$setElementOrder/containers": names.map((name) => ({ name })),
});
const z = { name: "z", image: "z" };
const a = [...podSpec, "containers", 0];

export const strategicCases: Record<string, StrategicCase> = {
  "an element is found by its merge key": containers([{ name: "b", image: "b:2" }], "a:1 b:2 c:1"),
  "a new element follows its neighbour in the patch": containers(
    [{ name: "b", image: "b:2" }, z],
    "a:1 b:2 z c:1",
  ),
  "a new element that is first in the patch goes to the front": containers(
    [z, { name: "b", image: "b:2" }],
    "z a:1 b:2 c:1",
  ),
  "a new element alone goes to the front": containers([z], "z a:1 b:1 c:1"),
  "two new elements keep their order": containers(
    [z, { name: "y", image: "y" }],
    "z y a:1 b:1 c:1",
  ),
  "the patch's order wins over the object's": containers(
    [{ name: "c", image: "c:2" }, z, { name: "a", image: "a:2" }],
    "b:1 c:2 z a:2",
  ),
  "the last of two elements with one key wins": containers(
    [
      { name: "a", image: "q" },
      { name: "a", image: "r" },
    ],
    "r b:1 c:1",
  ),
  "$setElementOrder places everything": containers(
    [z],
    "c:1 z a:1 b:1",
    ordered("c", "z", "a", "b"),
  ),
  "$setElementOrder of some keeps the others where they were": {
    patch: inPodSpec(ordered("c", "a")),
    path: images,
    want: "b:1 c:1 a:1",
  },
  "$setElementOrder with a change": containers(
    [{ name: "c", image: "c:9" }],
    "b:1 c:9 a:1",
    ordered("c", "a"),
  ),
  "$patch delete takes an element out": containers([{ $patch: "delete", name: "b" }], "a:1 c:1"),
  "$patch delete of a missing element does nothing": containers(
    [{ $patch: "delete", name: "q" }],
    "a:1 b:1 c:1",
  ),
  "$patch delete beside $setElementOrder": containers(
    [{ $patch: "delete", name: "b" }],
    "c:1 a:1",
    ordered("c", "a"),
  ),
  "$patch replace in an element of its own replaces the list": containers(
    [{ $patch: "replace" }, z],
    "z",
  ),
  "$patch replace may come last": containers([z, { $patch: "replace" }], "z"),
  "lists inside elements merge too": {
    patch: inPodSpec({
      containers: [
        {
          name: "a",
          env: [
            { name: "E2", value: "9" },
            { name: "E3", value: "3" },
          ],
        },
      ],
    }),
    path: [...a, "env"],
    want: [
      { name: "E1", value: "1" },
      { name: "E2", value: "9" },
      { name: "E3", value: "3" },
    ],
  },
  "a number is a merge key like any other": {
    patch: inPodSpec({ containers: [{ name: "a", ports: [{ containerPort: 81, name: "x" }] }] }),
    path: [...a, "ports"],
    want: [
      { containerPort: 80, protocol: "TCP" },
      { containerPort: 81, protocol: "TCP", name: "x" },
    ],
  },
  "a list without a strategy is replaced": {
    patch: inPodSpec({ containers: [{ name: "a", args: ["9"] }] }),
    path: [...a, "args"],
    want: ["9"],
  },
  "tolerations are replaced as a whole": {
    patch: inPodSpec({ tolerations: [{ key: "b", operator: "Exists" }] }),
    path: [...podSpec, "tolerations"],
    want: [{ key: "b", operator: "Exists" }],
  },
  "null removes a list": {
    patch: inPodSpec({ tolerations: null }),
    path: [...podSpec, "tolerations"],
  },
  "$retainKeys clears what it does not name": {
    patch: inPodSpec({
      volumes: [
        {
          name: "v1",
          $retainKeys: ["name", "configMap"],
          configMap: { name: "y", defaultMode: 420 },
        },
      ],
    }),
    path: [...podSpec, "volumes"],
    want: [
      { name: "v1", configMap: { name: "y", defaultMode: 420 } },
      { name: "v2", configMap: { name: "x", defaultMode: 420 } },
    ],
  },
  "$retainKeys in an object": {
    patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    path: ["spec", "strategy"],
    want: { type: "Recreate" },
  },
  "$patch replace in a map": {
    patch: inPodSpec({ nodeSelector: { $patch: "replace", q: "2" } }),
    path: [...podSpec, "nodeSelector"],
    want: { q: "2" },
  },
  "$patch delete in a map empties it": {
    patch: inPodSpec({ nodeSelector: { $patch: "delete" } }),
    path: [...podSpec, "nodeSelector"],
  },
  "null removes a key": {
    patch: { metadata: { labels: { x: null, z: "1" } } },
    path: ["metadata", "labels"],
    want: { y: "2", z: "1" },
  },
  "finalizers are a set": {
    patch: { metadata: { finalizers: ["a.b/c"] } },
    path: ["metadata", "finalizers"],
    want: ["a.b/c"],
  },
  "$deleteFromPrimitiveList of nothing does nothing": {
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.b/c"] } },
    path: ["metadata", "finalizers"],
  },
  "a secret without neighbours goes to the front": {
    patch: inPodSpec({ imagePullSecrets: [{ name: "s2" }] }),
    path: [...podSpec, "imagePullSecrets"],
    want: [{ name: "s2" }, { name: "s1" }],
  },
};

export interface StrategicRefusal {
  readonly patch: unknown;
  readonly code: number;
  readonly message: string;
}

const invalidStrategic = (patch: unknown, message: string): StrategicRefusal => ({
  patch: inPodSpec(patch),
  code: 500,
  message,
});
const notRestored = (patch: JsonObject, shown: string, problem: string): StrategicRefusal => ({
  patch,
  code: 422,
  message: ` "" is invalid: patch: Invalid value: "${shown}": ${problem}`,
});
const outOfOrder = (patched: string): string =>
  `The order in patch list:\n${patched}\n doesn't match $setElementOrder list:\n[map[name:c] map[name:a]]\n`;

export const strategicRefusals: Record<string, StrategicRefusal> = {
  "an element that the order does not name": invalidStrategic(
    { ...ordered("c", "a"), containers: [{ name: "b", image: "b:9" }] },
    outOfOrder("[map[image:b:9 name:b]]"),
  ),
  "elements in another order than $setElementOrder": invalidStrategic(
    {
      ...ordered("c", "a"),
      containers: [
        { name: "a", image: "x" },
        { name: "c", image: "x" },
      ],
    },
    outOfOrder("[map[image:x name:a] map[image:x name:c]]"),
  ),
  "$patch merge in a list": invalidStrategic(
    { containers: [{ $patch: "merge", name: "a" }] },
    "merging lists cannot yet be specified in the patch",
  ),
  "an unknown $patch in a list": invalidStrategic(
    { containers: [{ $patch: "foo", name: "a" }] },
    "unknown patch type: foo in map: map[$patch:foo name:a]",
  ),
  "an unknown $patch in a map": invalidStrategic(
    { nodeSelector: { $patch: "zz" } },
    "unknown patch type: zz in map: map[$patch:zz]",
  ),
  "a number as $patch": invalidStrategic(
    { nodeSelector: { $patch: 5 } },
    "unknown patch type: %!s(int64=5) in map: map[$patch:5]",
  ),
  "an element without its merge key": invalidStrategic(
    { containers: [{ image: "q" }] },
    "map: map[image:q] does not contain declared merge key: name",
  ),
  "an order that is no list": invalidStrategic(
    { "$setElementOrder/containers": "a" },
    "expected a []interface {}, but received a string",
  ),
  "an order for a field that does not exist": {
    patch: { spec: { "$setElementOrder/foo": ["a"] } },
    code: 500,
    message: 'unable to find api field in struct DeploymentSpec for the json field "foo"',
  },
  "a patched key that $retainKeys leaves out": {
    patch: inPodSpec({
      volumes: [{ name: "v1", $retainKeys: ["name"], configMap: { name: "y" } }],
    }),
    code: 400,
    message: "invalid patch format of retainKeys",
  },
  "an object where a list belongs": notRestored(
    inPodSpec({ containers: { name: "a" } }),
    "map[spec:map[template:map[spec:map[containers:map[name:a]]]]]",
    "cannot restore slice from map",
  ),
  "a list where a map belongs": notRestored(
    inPodSpec({ nodeSelector: ["a"] }),
    "map[spec:map[template:map[spec:map[nodeSelector:[a]]]]]",
    "cannot restore map from slice",
  ),
  "a string where an object belongs": notRestored(
    inPodSpec("x"),
    "map[spec:map[template:map[spec:x]]]",
    "cannot restore struct from: string",
  ),
  "a string where a number belongs": notRestored(
    { spec: { replicas: "x" } },
    "map[spec:map[replicas:x]]",
    "unrecognized type: int32",
  ),
  "a list as the patch": {
    patch: [1],
    code: 400,
    message: "json: cannot unmarshal array into Go value of type map[string]interface {}",
  },
};

/** The value at a path, in the form that `want` has. */
export function valueAt(object: unknown, path: readonly (string | number)[]): unknown {
  let value = object as Record<string | number, unknown> | undefined;
  for (const key of path) {
    if (key === "images") return imagesOf(value);
    value = value?.[key] as typeof value;
  }
  return value;
}

function imagesOf(list: unknown): string {
  return (list as { name: string; image: string }[]).map(({ image }) => image).join(" ");
}
