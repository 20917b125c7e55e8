import { expect, test } from "vitest";
import type { JsonObject } from "../served-resource.ts";
import { decoderOf } from "./decode.ts";
import { parseJson } from "./parse-json.ts";
import { parseType } from "./type-expression.ts";
import { typeNames, typeRow } from "./type-table.ts";
import { atLeastOne } from "../../../test/builders/must.ts";

const decodePod = decoderOf({ group: "", version: "v1", kind: "Pod" });
const decodeConfigMap = decoderOf({ group: "", version: "v1", kind: "ConfigMap" });
const decodeSecret = decoderOf({ group: "", version: "v1", kind: "Secret" });
const decodeLease = decoderOf({ group: "coordination.k8s.io", version: "v1", kind: "Lease" });
const decodeEvent = decoderOf({ group: "", version: "v1", kind: "Event" });

const container = (fields: JsonObject): JsonObject => ({ spec: { containers: [fields] } });
const limit = (memory: unknown): JsonObject => container({ resources: { limits: { memory } } });

const mismatch = (given: string, place: string, type: string): string =>
  `json: cannot unmarshal ${given} into Go struct field ${place} of type ${type}`;

/** Go's words, as a real server answered each of these. */
const refusals: Record<string, { given: JsonObject; want: string }> = {
  "a number as a label": {
    given: { metadata: { labels: { a: 1 } } },
    want: mismatch("number", "ObjectMeta.metadata.labels", "string"),
  },
  "a string for a list": {
    given: { spec: { containers: "x" } },
    want: mismatch("string", "PodSpec.spec.containers", "[]v1.Container"),
  },
  "a number for an image": {
    given: container({ image: 5 }),
    want: mismatch("number", "Container.spec.containers.image", "string"),
  },
  "a number for a named type": {
    given: container({ imagePullPolicy: 5 }),
    want: mismatch("number", "Container.spec.containers.imagePullPolicy", "v1.PullPolicy"),
  },
  "an object for an int or string": {
    given: container({ livenessProbe: { httpGet: { port: {} } } }),
    want: mismatch(
      "object",
      "HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port",
      "int32",
    ),
  },
  "a boolean inside an embedded struct": {
    given: { spec: { volumes: [{ name: "a", emptyDir: { medium: true } }] } },
    want: mismatch(
      "bool",
      "EmptyDirVolumeSource.spec.volumes.VolumeSource.emptyDir.medium",
      "v1.StorageMedium",
    ),
  },
  "a fraction for an integer": {
    given: { spec: { priority: 1.5 } },
    want: mismatch("number 1.5", "PodSpec.spec.priority", "int32"),
  },
  "an integer too large": {
    given: { spec: { priority: 99999999999 } },
    want: mismatch("number 99999999999", "PodSpec.spec.priority", "int32"),
  },
  "a list for an object": {
    given: { metadata: [] },
    want: mismatch("array", "Pod.metadata", "v1.ObjectMeta"),
  },
  "no quantity": {
    given: limit("abc"),
    want: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  },
  "a quantity with half a suffix": {
    given: limit("1e"),
    want: "unable to parse quantity's suffix",
  },
  "no time": {
    given: { metadata: { creationTimestamp: "abc" } },
    want: 'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"',
  },
};

test.each(Object.entries(refusals))("%s is refused in Go's words", (_name, { given, want }) => {
  expect(() => decodePod(given)).toThrow(`Pod in version "v1" cannot be handled as a Pod: ${want}`);
});

const times: Record<string, string> = {
  "2024-01-01": 'as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"',
  "2024-01-01T00:00:00": 'as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
  "2024-13-01T00:00:00Z": ": month out of range",
  "2024-01-01T25:00:00Z": ": hour out of range",
  "2024-01-01T00:00:00Zx": ': extra text: "x"',
  "2024-02-30T00:00:00Z": ": day out of range",
  "2024-1-01T00:00:00Z": 'cannot parse "1-01T00:00:00Z" as "01"',
};

test.each(Object.entries(times))("the time %j is refused", (firstTimestamp, want) => {
  expect(() => decodeEvent({ firstTimestamp })).toThrow(want);
});

test("times are written in UTC with the digits their type has", () => {
  const event = decodeEvent({
    firstTimestamp: "2024-01-01T01:00:00.5+02:00",
    lastTimestamp: "2024-01-01T00:00:00Z",
    eventTime: "2024-01-01T00:00:00.123456+02:00",
  }).object;
  expect(event["firstTimestamp"]).toBe("2023-12-31T23:00:00Z");
  expect(event["lastTimestamp"]).toBe("2024-01-01T00:00:00Z");
  expect(event["eventTime"]).toBe("2023-12-31T22:00:00.123456Z");
});

test("a MicroTime needs six fractional digits", () => {
  const renewTime = "2024-01-01T00:00:00.123Z";
  expect(() => decodeLease({ spec: { renewTime } })).toThrow('cannot parse ".123Z" as ".000000"');
});

test("what Go leaves out is left out, what it writes is written", () => {
  const { object, strictProblems } = decodePod({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", annotations: {}, creationTimestamp: null, generateName: "" },
    spec: {
      hostNetwork: false,
      terminationGracePeriodSeconds: 0,
      tolerations: [],
      priority: null,
      securityContext: {},
      containers: [{ name: "a", env: [{ name: "X", value: "" }], ports: [{ hostPort: 0 }] }],
      volumes: [{ name: "v", emptyDir: {} }],
    },
  });
  expect(strictProblems).toEqual([]);
  expect(object).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a" },
    spec: {
      terminationGracePeriodSeconds: 0,
      securityContext: {},
      containers: [
        { name: "a", env: [{ name: "X" }], ports: [{ containerPort: 0 }], resources: {} },
      ],
      volumes: [{ name: "v", emptyDir: {} }],
    },
    status: {},
  });
});

test("quantities are written in their canonical form, numbers become texts", () => {
  const limits = { cpu: "1000m", memory: "1024Ki", "nvidia.com/gpu": 8 };
  const { object } = decodePod(container({ name: "a", resources: { limits } }));
  const pod = object as unknown as { spec: { containers: { resources: { limits: unknown } }[] } };
  expect(pod.spec.containers[0]!.resources.limits).toEqual({
    cpu: "1",
    memory: "1Mi",
    "nvidia.com/gpu": "8",
  });
});

test("unknown fields are dropped and reported with their path; case matters", () => {
  const { object, strictProblems } = decodePod({
    Spec: {},
    ...container({ name: "a", Image: "b", zz: { y: 1 } }),
  });
  expect(object).not.toHaveProperty("Spec");
  expect(strictProblems).toEqual([
    'unknown field "Spec"',
    'unknown field "spec.containers[0].Image"',
    'unknown field "spec.containers[0].zz"',
  ]);
});

test("a map keeps __proto__ as data and null values as empty ones", () => {
  const body = parseJson('{"data":{"__proto__":"x","a":null}}') as JsonObject;
  const data = decodeConfigMap(body).object["data"] as Record<string, unknown>;
  expect(Object.entries(data)).toEqual([
    ["__proto__", "x"],
    ["a", ""],
  ]);
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
});

test("a struct ignores __proto__ as any unknown field", () => {
  const { object, strictProblems } = decodePod(
    parseJson('{"__proto__":{"spec":{}}}') as JsonObject,
  );
  expect(object).not.toHaveProperty("spec.containers");
  expect(strictProblems).toEqual(['unknown field "__proto__"']);
});

test("secret data must be base64", () => {
  expect(() => decodeSecret({ data: { a: "!!" } })).toThrow("illegal base64 data at input byte 0");
  expect(() => decodeSecret({ data: { a: 5 } })).toThrow("Secret.data of type []uint8");
  expect(decodeSecret({ data: { a: "aGk=", b: "" } }).object["data"]).toEqual({ a: "aGk=", b: "" });
});

test("the answer shares nothing with the body", () => {
  const body = { metadata: { labels: { a: "b" } }, spec: { nodeSelector: { c: "d" } } };
  const { object } = decodePod(body);
  body.metadata.labels.a = "changed";
  expect(object.metadata.labels).toEqual({ a: "b" });
});

test("schemas of custom resource definitions may contain themselves", () => {
  const decode = decoderOf({
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
  });
  const leaf = { type: "string", default: { any: [1, null] } };
  const openAPIV3Schema = {
    type: "object",
    properties: {
      a: { type: "array", items: leaf },
      b: { type: "object", additionalProperties: leaf },
      c: { type: "object", additionalProperties: false },
    },
  };
  const { object } = decode({ spec: { versions: [{ name: "v1", schema: { openAPIV3Schema } }] } });
  expect(object).toHaveProperty("spec.versions[0].schema.openAPIV3Schema", openAPIV3Schema);
});

test("every type expression of the table can be read", () => {
  const rows = typeNames.flatMap((name) => Object.values(typeRow(name).fields));
  expect(rows.length).toBeGreaterThan(1000);
  for (const row of atLeastOne(rows)) expect(parseType(row.type)).toBeDefined();
});
