import { expect, test } from "vitest";
import { dns1123SubdomainProblems } from "./dns-name.ts";
import { fieldErrorsText } from "./field-error.ts";
import type { ObjectMeta } from "./object.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  String.raw`'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`;
const keyName =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
  "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const owner = { apiVersion: "v1", kind: "Pod", name: "a", uid: "1", controller: true };

/** Texts of a real server. */
const refused: Record<string, { given: ObjectMeta; want: string }> = {
  "an upper case name": {
    given: { name: "A_b" },
    want: `metadata.name: Invalid value: "A_b": ${subdomain}`,
  },
  "a long name": {
    given: { name: "a".repeat(254) },
    want: `metadata.name: Invalid value: "${"a".repeat(254)}": must be no more than 253 characters`,
  },
  "no name": {
    given: {},
    want: "metadata.name: Required value: name or generateName is required",
  },
  "a label key of three parts": {
    given: { name: "x", labels: { "a/b/c": "v" } },
    want:
      `metadata.labels: Invalid value: "a/b/c": a valid label key ${keyName} ` +
      "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
  },
  "an empty prefix and a bad value": {
    given: { name: "x", labels: { "/a": "-v" } },
    want:
      '[metadata.labels: Invalid value: "/a": prefix part must be non-empty, ' +
      `metadata.labels: Invalid value: "-v": ${labelValue}]`,
  },
  "a bad name part": {
    given: { name: "x", labels: { "-a": "v" } },
    want: `metadata.labels: Invalid value: "-a": name part ${keyName}`,
  },
  "an upper case prefix of a label": {
    given: { name: "x", labels: { "A.x/b": "x" } },
    want: `metadata.labels: Invalid value: "A.x/b": prefix part ${subdomain}`,
  },
  "a long label value": {
    given: { name: "x", labels: { a: "v".repeat(64) } },
    want: `metadata.labels: Invalid value: "${"v".repeat(64)}": must be no more than 63 bytes`,
  },
  "an annotation key with a space, upper case being fine": {
    given: { name: "x", annotations: { "A.x/b": "v", "a b": "v" } },
    want: `metadata.annotations: Invalid value: "a b": name part ${keyName}`,
  },
  "too many annotations": {
    given: { name: "x", annotations: { a: "x".repeat(262_144) } },
    want: "metadata.annotations: Too long: may not be more than 262144 bytes",
  },
  "both deletion finalizers": {
    given: { name: "x", finalizers: ["orphan", "foregroundDeletion"] },
    want:
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: ' +
      "finalizer orphan and foregroundDeletion cannot be both set",
  },
  "an owner without name": {
    given: { name: "x", ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "", uid: "" }] },
    want:
      '[metadata.ownerReferences.name: Invalid value: "": must not be empty, ' +
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty]',
  },
  "two controllers": {
    given: { name: "x", ownerReferences: [owner, { ...owner, name: "b" }] },
    want:
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"a","uid":"1",' +
      '"controller":true},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"1","controller":true}]: Only one ' +
      'reference can have Controller set to true. Found "true" in references for Pod/a and Pod/b',
  },
  "a negative generation": {
    given: { name: "x", generation: -1 },
    want: "metadata.generation: Invalid value: -1: must be greater than or equal to 0",
  },
};

test.each(Object.entries(refused))("%s is refused on create", (_case, { given, want }) => {
  const rules = { namespaced: true, checkName: dns1123SubdomainProblems };
  expect(fieldErrorsText(validateObjectMeta({ namespace: "default", ...given }, rules))).toBe(want);
});

test("a generateName may end in a dash", () => {
  const meta = { generateName: "web-", name: "web-x1", namespace: "default" };
  const rules = { namespaced: true, checkName: dns1123SubdomainProblems };
  expect(validateObjectMeta(meta, rules)).toEqual([]);
});

test("an update keeps the identity and adds no finalizer to a terminating object", () => {
  const old = { name: "a", uid: "1", resourceVersion: "1", deletionTimestamp: "t", generation: 2 };
  const meta = { ...old, uid: "2", resourceVersion: "", generation: 1, finalizers: ["x/y"] };
  expect(fieldErrorsText(validateObjectMetaUpdate(meta, old))).toBe(
    "[metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, " +
      'found new finalizers []string{"x/y"}, ' +
      'metadata.resourceVersion: Invalid value: "": must be specified for an update, ' +
      "metadata.generation: Invalid value: 1: must not be decremented, " +
      'metadata.uid: Invalid value: "2": field is immutable]',
  );
});
