import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../served-resource.ts";
import { decoderOf } from "../schema/decode.ts";
import { copyJson } from "../schema/own-property.ts";
import {
  valueAt,
  patchedDeployment,
  strategicCases,
  strategicRefusals,
} from "./strategic-cases.ts";
import { strategicMergeOf } from "./strategic-patch.ts";

const gvk = { group: "apps", version: "v1", kind: "Deployment" };
const decode = decoderOf(gvk);
const { merge, refusal } = strategicMergeOf(gvk)!;
const { merge: pod } = strategicMergeOf({ group: "", version: "v1", kind: "Pod" })!;

/** As a request does it: merged, then read as an object of the kind. */
function patched(patch: JsonObject): unknown {
  const merged = merge(patchedDeployment, patch);
  try {
    return decode(merged).object;
  } catch {
    throw refusal(merged, patch);
  }
}

test.each(Object.entries(strategicCases))("%s", (_rule, { patch, path, want }) => {
  expect(valueAt(patched(patch), path)).toEqual(want);
});

test.each(Object.entries(strategicRefusals))("%s is refused", (_rule, given) => {
  const attempt = (): unknown => patched(given.patch as JsonObject);
  expect(attempt).toThrow(expect.objectContaining({ code: given.code, message: given.message }));
});

test("finalizers are added once and taken out by value", () => {
  const original = { metadata: { finalizers: ["a/x", "b/x"] } };
  expect(merge(original, { metadata: { finalizers: ["b/x", "c/x"] } })).toEqual({
    metadata: { finalizers: ["a/x", "b/x", "c/x"] },
  });
  const gone = { metadata: { "$deleteFromPrimitiveList/finalizers": ["a/x", "q/x"] } };
  expect(merge(original, gone)).toEqual({ metadata: { finalizers: ["b/x"] } });
});

test("directives in what a patch adds leave no trace", () => {
  const patch = {
    spec: { volumes: [{ name: "v", $retainKeys: ["name", "emptyDir"], emptyDir: {} }] },
  };
  expect(pod({}, patch)).toEqual({ spec: { volumes: [{ name: "v", emptyDir: {} }] } });
});

test("null in what a patch adds has nothing to remove and vanishes", () => {
  const patch = { spec: { securityContext: { runAsUser: null, runAsGroup: 1 } } };
  expect(pod({}, patch)).toEqual({ spec: { securityContext: { runAsGroup: 1 } } });
});

test("__proto__ in a patch is data, not a prototype", () => {
  const patch = JSON.parse('{"metadata":{"labels":{"__proto__":"x"}}}') as JsonObject;
  const merged = merge(patchedDeployment, patch) as { metadata: { labels: object } };
  expect(Object.keys(merged.metadata.labels)).toContain("__proto__");
  expect(Object.getPrototypeOf(merged.metadata.labels)).toBe(Object.prototype);
});

const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 5 });
const elements = names.map((list) => list.map((name, value) => ({ name, value: String(value) })));
const withEnv = (env: readonly unknown[]): JsonObject => ({
  spec: { containers: [{ name: "m", env }] },
});
const envOf = (object: JsonObject): { name: string; value: string }[] =>
  valueAt(object, ["spec", "containers", 0, "env"]) as { name: string; value: string }[];

test("what a patch leaves alone is not copied", () => {
  const original = { metadata: { labels: { a: "1" } }, spec: { containers: [{ name: "m" }] } };
  const merged = pod(original, { status: { phase: "Running" } });
  expect(merged["spec"]).toBe(original.spec);
});

test("the arguments are never changed", () => {
  fc.assert(
    fc.property(elements, elements, (before, patch) => {
      const [original, given] = [withEnv(before), withEnv(patch)];
      const copies = [copyJson(original), copyJson(given)];
      pod(original, given);
      expect([original, given]).toEqual(copies);
    }),
  );
});

test("a patch applied twice gives what it gave once", () => {
  fc.assert(
    fc.property(elements, elements, (before, patch) => {
      const once = pod(withEnv(before), withEnv(patch));
      expect(pod(once, withEnv(patch))).toEqual(once);
    }),
  );
});

test("everything of both sides is there, the patch's values and its order win", () => {
  fc.assert(
    fc.property(elements, elements, (before, patch) => {
      const merged = envOf(pod(withEnv(before), withEnv(patch)));
      const all = new Map([...before, ...patch].map((item) => [item.name, item.value]));
      expect(new Map(merged.map((item) => [item.name, item.value]))).toEqual(all);
      expect(merged).toHaveLength(all.size);
      const isPatched = new Set<string>(patch.map((item) => item.name));
      expect(merged.filter((item) => isPatched.has(item.name))).toEqual(patch);
      const untouched = before.filter((item) => !isPatched.has(item.name));
      expect(merged.filter((item) => !isPatched.has(item.name))).toEqual(untouched);
    }),
  );
});

test("a full $setElementOrder decides the whole order", () => {
  fc.assert(
    fc.property(elements, elements, fc.infiniteStream(fc.nat()), (before, patch, chance) => {
      const all = [...new Set([...before, ...patch].map((item) => item.name))];
      const keyed = all.map((name) => [chance.next().value as number, name] as const);
      const order = keyed.toSorted((a, b) => a[0] - b[0]).map(([, name]) => name);
      const sorted = patch.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
      const given = {
        spec: {
          containers: [
            { name: "m", "$setElementOrder/env": order.map((name) => ({ name })), env: sorted },
          ],
        },
      };
      const merged = envOf(pod(withEnv(before), given)) ?? [];
      expect(merged.map((item) => item.name)).toEqual(order);
    }),
  );
});
