/** Names, labels, annotations and the other metadata that a server refuses, with its words. */
import { configMap } from "../objects.ts";
import type { Refusals } from "../refusals.ts";
import { refusalTests } from "../refusals.ts";
import type { Cluster } from "../scene.ts";
import { labelValueRule, qualifiedNameRule, subdomainRule } from "../wording.ts";

const create = (metadata: Record<string, unknown>): { ask: string; body: unknown } => ({
  ask: "POST configmaps",
  body: { metadata: { name: "a", ...metadata } },
});
const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "1" };

const refusals: Refusals = {
  "a name with capitals is refused": {
    ...create({ name: "Web" }),
    want:
      '422 Invalid: ConfigMap "Web" is invalid: metadata.name: Invalid value: "Web": ' +
      subdomainRule,
  },
  "a name that starts with a dash is refused": {
    ...create({ name: "-web" }),
    want:
      '422 Invalid: ConfigMap "-web" is invalid: metadata.name: Invalid value: "-web": ' +
      subdomainRule,
  },
  "a name with an underscore is refused": {
    ...create({ name: "a_b" }),
    want:
      '422 Invalid: ConfigMap "a_b" is invalid: metadata.name: Invalid value: "a_b": ' +
      subdomainRule,
  },
  "a name of 254 characters is refused": {
    ...create({ name: "a".repeat(254) }),
    want:
      '422 Invalid: ConfigMap "' +
      "a".repeat(254) +
      '" is invalid: metadata.name: Invalid value: "' +
      "a".repeat(254) +
      '": must be no more than 253 characters',
  },
  "an object without a name is refused": {
    ask: "POST configmaps",
    body: {},
    want:
      '422 Invalid: ConfigMap "" is invalid: metadata.name: Required value: name or ' +
      "generateName is required",
  },
  "a service name with dots is refused": {
    ask: "POST services",
    body: { metadata: { name: "a.b" }, spec: { ports: [{ port: 80 }] } },
    want:
      '422 Invalid: Service "a.b" is invalid: metadata.name: Invalid value: "a.b": must not ' +
      "contain dots",
  },
  "a namespace name with dots is refused": {
    ask: "POST namespaces",
    body: { metadata: { name: "a.b" } },
    want:
      '422 Invalid: Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": must not ' +
      "contain dots",
  },
  "an object of another namespace is refused": {
    ...create({ namespace: "other" }),
    want:
      "400 BadRequest: the namespace of the provided object does not match the namespace sent " +
      "on the request",
  },
  "a label value with a space is refused": {
    ...create({ labels: { app: "a b" } }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.labels: Invalid value: "a b": ' +
      labelValueRule,
  },
  "a label value of 64 characters is refused": {
    ...create({ labels: { app: "a".repeat(64) } }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.labels: Invalid value: "' +
      "a".repeat(64) +
      '": must be no more than 63 bytes',
  },
  "a label key with two slashes is refused": {
    ...create({ labels: { "a/b/c": "x" } }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.labels: Invalid value: "a/b/c": a valid ' +
      "label key " +
      qualifiedNameRule +
      " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
  },
  "a label key with a bad prefix is refused": {
    ...create({ labels: { "A_/b": "x" } }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.labels: Invalid value: "A_/b": prefix ' +
      "part " +
      subdomainRule,
  },
  "an empty label key is refused": {
    ...create({ labels: { "": "x" } }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: [metadata.labels: Invalid value: "": name part ' +
      'must be non-empty, metadata.labels: Invalid value: "": name part ' +
      qualifiedNameRule +
      "]",
  },
  "a label that is a number is refused": {
    ...create({ labels: { app: 1 } }),
    want:
      '400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: ' +
      "cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
  },
  "an annotation key with a space is refused": {
    ...create({ annotations: { "a b": "x" } }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.annotations: Invalid value: "a b": name ' +
      "part " +
      qualifiedNameRule,
  },
  "annotations above 256 KiB are refused": {
    ...create({ annotations: { big: "x".repeat(262_145) } }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more ' +
      "than 262144 bytes",
  },
  "a finalizer without a slash is refused": {
    ...create({ finalizers: ["mine"] }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.finalizers[0]: Invalid value: "mine": ' +
      "name is neither a standard finalizer name nor is it fully qualified",
  },
  "an owner without a uid is refused": {
    ...create({ ownerReferences: [{ ...owner, uid: "" }] }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.ownerReferences.uid: Invalid value: "": ' +
      "must not be empty",
  },
  "two controllers of one object are refused": {
    ...create({
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, name: "second", uid: "2", controller: true },
      ],
    }),
    want:
      '422 Invalid: ConfigMap "a" is invalid: metadata.ownerReferences: Invalid value: ' +
      '[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"1","controller":true},{"api' +
      'Version":"v1","kind":"ConfigMap","name":"second","uid":"2","controller":true}]: Only ' +
      'one reference can have Controller set to true. Found "true" in references for ' +
      "ConfigMap/owner and ConfigMap/second",
  },
  "a namespace that does not exist is refused": {
    ask: "POST configmaps",
    body: { metadata: { name: "a", namespace: "$ns-other" } },
    want:
      "400 BadRequest: the namespace of the provided object does not match the namespace sent " +
      "on the request",
  },
  "a name that is taken is refused": {
    given: [["configmaps", configMap("a")]],
    ...create({}),
    want: '409 AlreadyExists: configmaps "a" already exists',
  },
  "another kind than the path's is refused": {
    ask: "POST configmaps",
    body: { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } },
    want:
      '400 BadRequest: Secret in version "v1" cannot be handled as a ConfigMap: converting ' +
      "(v1.Secret) to (core.ConfigMap): unknown conversion",
  },
  "another version than the path's is refused": {
    ask: "POST configmaps",
    body: { apiVersion: "v2", kind: "ConfigMap", metadata: { name: "a" } },
    want: '400 BadRequest: ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind ...',
  },
  "a body that is no JSON is refused": {
    ask: "POST configmaps",
    body: "{not json",
    want:
      "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): " +
      "couldn't get version/kind; json parse error: invalid character 'n' looking for " +
      "beginning of object key string ({not json)",
  },
  "a body that is a list is refused": {
    ask: "POST configmaps",
    body: [],
    want: "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): ...",
  },
  "a body whose metadata is a string is refused": {
    ask: "POST configmaps",
    body: { metadata: "a" },
    want:
      '400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: ' +
      "cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
  },
  "an update under another name is refused": {
    given: [["configmaps", configMap("a")]],
    ask: "PUT configmaps/a",
    body: configMap("b"),
    want: "400 BadRequest: the name of the object (b) does not match the name on the URL (a)",
  },
  "an update of what is not there is refused": {
    ask: "PUT configmaps/a",
    body: configMap("a"),
    want: '404 NotFound: configmaps "a" not found',
  },
  "an update with a stale version is refused": {
    given: [["configmaps", configMap("a")]],
    ask: "PUT configmaps/a",
    body: configMap("a", {}, { resourceVersion: "1" }),
    want:
      '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been ' +
      "modified; please apply your changes to the latest version and try again",
  },
  "an update with a version that is no number is refused": {
    given: [["configmaps", configMap("a")]],
    ask: "PUT configmaps/a",
    body: configMap("a", {}, { resourceVersion: "abc" }),
    want: '500 no reason: strconv.ParseUint: parsing "abc": invalid syntax',
  },
  "an update with another uid is refused": {
    given: [["configmaps", configMap("a")]],
    ask: "PUT configmaps/a",
    body: configMap("a", {}, { uid: "other" }),
    want: '409 Conflict: Operation cannot be fulfilled on configmaps "a": ...',
  },
  "a create with a version is refused": {
    ...create({ resourceVersion: "1" }),
    want: "500 no reason: resourceVersion should not be set on objects to be created",
  },
  "reading what is not there is refused": {
    ask: "GET configmaps/a",
    want: '404 NotFound: configmaps "a" not found',
  },
  "deleting what is not there is refused": {
    ask: "DELETE configmaps/a",
    want: '404 NotFound: configmaps "a" not found',
  },
  "patching what is not there is refused": {
    ask: "PATCH configmaps/a",
    body: {},
    want: "415 UnsupportedMediaType: 415: Unsupported Media Type",
  },
  "POST to one object is refused": {
    ask: "POST configmaps/a",
    body: configMap("a"),
    want: "405 MethodNotAllowed: the server does not allow this method on the requested resource",
  },
  "PUT to a collection is refused": {
    ask: "PUT configmaps",
    body: configMap("a"),
    want: "405 MethodNotAllowed: the server does not allow this method on the requested resource",
  },
  "a subresource that is not there is refused": {
    ask: "GET configmaps/a/status",
    want: "404 NotFound: the server could not find the requested resource",
  },
};

export const namesAndLabels = (cluster: () => Cluster): void => refusalTests(cluster, refusals);
