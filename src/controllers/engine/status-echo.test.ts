import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { isStatusEcho } from "./status-echo.ts";

const clique: KubeObject = {
  metadata: { name: "web", generation: 1, labels: { a: "1" }, resourceVersion: "1" },
  spec: { replicas: 2 },
};
const plain: KubeObject = { metadata: { name: "web" }, spec: { replicas: 2 } };
const later = (metadata: KubeObject["metadata"]): KubeObject => ({
  ...clique,
  metadata: { ...clique.metadata, ...metadata },
});

const cases: Record<string, { old: KubeObject; object: KubeObject; want: boolean }> = {
  "a status was written": {
    old: clique,
    object: { ...later({ resourceVersion: "2" }), status: { replicas: 2 } },
    want: true,
  },
  "the spec changed": { old: clique, object: later({ generation: 2 }), want: false },
  "a label changed": { old: clique, object: later({ labels: { a: "2" } }), want: false },
  "an annotation came": { old: clique, object: later({ annotations: { b: "1" } }), want: false },
  "a finalizer came": { old: clique, object: later({ finalizers: ["x"] }), want: false },
  "it is to go": {
    old: clique,
    object: later({ deletionTimestamp: "2026-01-01T00:00:00Z" }),
    want: false,
  },
  "without a generation the spec itself tells": {
    old: plain,
    object: { ...plain, spec: { replicas: 3 } },
    want: false,
  },
};

test.each(Object.entries(cases))("an echo of a status, or more: %s", (_name, each) => {
  const { old, object, want } = each;
  expect(isStatusEcho({ type: "updated", old, object })).toBe(want);
});
