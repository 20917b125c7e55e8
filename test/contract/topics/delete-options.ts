/** Options of a deletion that cannot be read: nothing is deleted, since what they ask for would be lost. */
import { expect, test } from "vitest";
import { at, metadataOf } from "../json.ts";
import { configMap, pod } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { asFarAs, verdict } from "../verdict.ts";

interface Asked {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly want: string;
}

const unreadable = "400 BadRequest: couldn't get version/kind; json parse error:";
const cannot = (type: string, field: string, into: string): string =>
  `400 BadRequest: json: cannot unmarshal ${type} into Go struct field ${field} of type ${into}`;
const notParsed = (text: string): string =>
  `400 BadRequest: strconv.ParseInt: parsing "${text}": invalid syntax`;
const invalid = '422 Invalid: DeleteOptions.meta.k8s.io "" is invalid:';
const policies = 'supported values: "Foreground", "Background", "Orphan", "nil"';

const refused: Readonly<Record<string, Asked>> = {
  "a body that ends too early": { body: "{", want: `${unreadable} unexpected end of JSON input` },
  "a body of spaces": { body: "  ", want: `${unreadable} unexpected end of JSON input` },
  "a list": { body: [], want: `${unreadable} json: cannot unmarshal array into Go value ...` },
  "a uid that is a number": {
    body: { preconditions: { uid: 5 } },
    want: cannot("number", "Preconditions.preconditions.uid", "types.UID"),
  },
  "a version that is a number": {
    body: { preconditions: { resourceVersion: 5 } },
    want: cannot("number", "Preconditions.preconditions.resourceVersion", "string"),
  },
  "preconditions that are text": {
    body: { preconditions: "uid" },
    want: cannot("string", "DeleteOptions.preconditions", "v1.Preconditions"),
  },
  "preconditions that are a list": {
    body: { preconditions: [] },
    want: cannot("array", "DeleteOptions.preconditions", "v1.Preconditions"),
  },
  "a grace period that is text": {
    body: { gracePeriodSeconds: "x" },
    want: cannot("string", "DeleteOptions.gracePeriodSeconds", "int64"),
  },
  "a grace period beyond 64 bits": {
    body: { gracePeriodSeconds: 1e308 },
    want: cannot("number 1e+308", "DeleteOptions.gracePeriodSeconds", "int64"),
  },
  "half a second": {
    body: { gracePeriodSeconds: 0.5 },
    want: cannot("number 0.5", "DeleteOptions.gracePeriodSeconds", "int64"),
  },
  "a policy that is a number": {
    body: { propagationPolicy: 5 },
    want: cannot("number", "DeleteOptions.propagationPolicy", "v1.DeletionPropagation"),
  },
  "a dry run that is text": {
    body: { dryRun: "All" },
    want: cannot("string", "DeleteOptions.dryRun", "[]string"),
  },
  "a dry run of numbers": {
    body: { dryRun: [5] },
    want: cannot("number", "DeleteOptions.dryRun", "string"),
  },
  "orphans by text": {
    body: { orphanDependents: "true" },
    want: cannot("string", "DeleteOptions.orphanDependents", "bool"),
  },
  "a kind that is a number": { body: { kind: 5 }, want: `${unreadable} ...` },
  "another kind": {
    body: { kind: "Foo", apiVersion: "foo/v1" },
    want: '400 BadRequest: no kind "Foo" is registered for version "foo/v1" in scheme ...',
  },
  "another kind without a version": {
    body: { kind: "ConfigMap" },
    want: '400 BadRequest: no kind "ConfigMap" is registered for version "meta.k8s.io/v1" in scheme ...',
  },
  "an object of its own kind": {
    body: { kind: "ConfigMap", apiVersion: "v1" },
    want: '400 BadRequest: no kind "ConfigMap" is registered for version "v1" in scheme ...',
  },
  "a grace period in the query that is text": {
    query: { gracePeriodSeconds: "x" },
    want: notParsed("x"),
  },
  "one in hexadecimal": { query: { gracePeriodSeconds: "0x5" }, want: notParsed("0x5") },
  "one that is empty": { query: { gracePeriodSeconds: "" }, want: notParsed("") },
  "one beyond 64 bits": {
    query: { gracePeriodSeconds: "99999999999999999999" },
    want: '400 BadRequest: strconv.ParseInt: parsing "99999999999999999999": value out of range',
  },
  "a policy in the query that is empty": {
    query: { propagationPolicy: "" },
    want: `${invalid} propagationPolicy: Unsupported value: "": ${policies}`,
  },
  "a dry run in the query that is empty": {
    query: { dryRun: "" },
    want: `${invalid} dryRun: Unsupported value: [""]: supported values: "All"`,
  },
};

const taken: Readonly<Record<string, Omit<Asked, "want">>> = {
  null: { body: null },
  nulls: { body: { gracePeriodSeconds: null, preconditions: { uid: null }, dryRun: null } },
  "options of another group": { body: { kind: "DeleteOptions", apiVersion: "apps/v1" } },
  "fields that nobody knows": { body: { foo: 1 } },
  "a query that the body makes void": { body: {}, query: { gracePeriodSeconds: "x" } },
  "a sign": { query: { gracePeriodSeconds: "+5" } },
};

export function deleteOptions(cluster: () => Cluster): void {
  test.each(Object.entries(refused))(
    "%s is refused, and nothing deleted",
    async (_sentence, { body, query, want }) => {
      const { api, path, create } = await cluster().scene();
      await create("configmaps", configMap("a"));
      for (const target of [path("configmaps", "a"), path("configmaps")]) {
        expect(asFarAs(want, verdict(await api.delete(target, body, query)))).toBe(want);
      }
      const { metadata } = (await api.get(path("configmaps", "a"))).body;
      expect(metadata).not.toHaveProperty("deletionTimestamp");
    },
  );

  test.each(Object.entries(taken))("%s: it is deleted", async (_sentence, { body, query }) => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    expect(verdict(await api.delete(path("configmaps", "a"), body, query))).toBe("200");
  });

  test("a body counts alone: the policy beside it in the query is not read", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", {}, { finalizers: ["lockstep.dev/test"] }));
    const policy = { propagationPolicy: "Foreground" };
    const { body } = await api.delete(path("configmaps", "a"), {}, policy);
    expect(metadataOf(body)).toMatchObject({ finalizers: ["lockstep.dev/test"] });
  });

  test("of a parameter that is given twice the first counts", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const target = path("configmaps", "a");
    const refusal = verdict(await api.delete(`${target}?dryRun=x&dryRun=All`));
    expect(refusal).toMatch(/^422 Invalid: DeleteOptions/);
    const twice = "gracePeriodSeconds=5&gracePeriodSeconds=x";
    expect(verdict(await api.delete(`${target}?${twice}`))).toBe("200");
  });

  test.each([
    [10_000_000_000, -267],
    [2 ** 53 - 1, 146],
    [9_223_372_036, 292],
    [-5, 0],
  ])(
    "a pod with a grace period of %d seconds ends as Go counts nanoseconds",
    async (terminationGracePeriodSeconds, wantYears) => {
      const { api, path, create } = await cluster().scene();
      const made = await create("pods", pod("a", { nodeName: "n", terminationGracePeriodSeconds }));
      const deleted = metadataOf((await api.delete(path("pods", "a"))).body);
      const aheadMs =
        Date.parse(deleted.deletionTimestamp!) - Date.parse(metadataOf(made).creationTimestamp);
      expect(Math.trunc(aheadMs / (365.2425 * 86_400_000))).toBe(wantYears);
      const shorter = await api.delete(path("pods", "a"), { gracePeriodSeconds: 0 });
      expect(at(shorter.body, "metadata.deletionGracePeriodSeconds")).toBe(0);
      expect((await api.get(path("pods", "a"))).status).toBe(404);
    },
  );
}
