import { expect, test } from "vitest";
import type { PodTemplate } from "../../api/apps.ts";
import { canonicalJson } from "../../api/canonical-json.ts";
import { revisionData, revisionHash, revisionName } from "./revision-data.ts";

const template = {
  spec: {
    terminationGracePeriodSeconds: 30,
    securityContext: {},
    schedulerName: "default-scheduler",
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    containers: [
      {
        name: "test",
        image: "test",
        imagePullPolicy: "Always",
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
      },
    ],
  },
  metadata: { labels: { app: "foo" }, annotations: { test: "value" } },
} as unknown as PodTemplate;

test("ST10 the hash of a template is the one Kubernetes computes", () => {
  expect(revisionHash(canonicalJson(revisionData(template)), 0)).toBe("776999688b");
});

test("ST10 a null creationTimestamp, as older versions wrote it, has their hash", () => {
  const old = {
    ...template,
    metadata: { ...template.metadata, creationTimestamp: null as unknown as string },
  };
  expect(revisionHash(canonicalJson(revisionData(old)), 0)).toBe("c77f6d978");
});

test("ST10 a long name is cut before the hash is added", () => {
  expect(revisionName("a".repeat(300), "{}", 0)).toHaveLength(
    223 + 1 + revisionHash("{}", 0).length,
  );
});

test("ST10 another collision count gives another name", () => {
  expect(revisionName("web", "{}", 1)).not.toBe(revisionName("web", "{}", 0));
});

const texts: Record<string, { value: unknown; want: string }> = {
  "keys are sorted by byte, also where they look like integers": {
    value: { "9": 1, "10": 2, a: 3, A: 4 },
    want: '{"10":2,"9":1,"A":4,"a":3}',
  },
  "characters that HTML minds are escaped": {
    value: { c: "<a>&b\u2028\u2029" },
    want: '{"c":"\\u003ca\\u003e\\u0026b\\u2028\\u2029"}',
  },
  "undefined fields are left out, null ones stay": {
    value: { a: undefined, b: null },
    want: '{"b":null}',
  },
  "lists keep their order": { value: [3, "x", { b: 1, a: [] }], want: '[3,"x",{"a":[],"b":1}]' },
};

test.each(Object.entries(texts))("ST10 %s", (_sentence, { value, want }) => {
  expect(canonicalJson(value)).toBe(want);
});
