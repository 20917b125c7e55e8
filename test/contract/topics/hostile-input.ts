/** What an attacker or an accident sends: refused in bounded time, in the words of a real server. */
import { expect, test } from "vitest";
import type { CustomKind } from "../custom-kind.ts";
import { defineKind, widgetSchema, widgetVersion } from "../custom-kind.ts";
import type { Json } from "../json.ts";
import { configMap } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { asFarAs, verdict } from "../verdict.ts";

const unreadable =
  "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): ";

/** YAML bodies and the verdict on them. */
const yamlBodies: Readonly<Record<string, { text: string; want: string }>> = {
  "a number that is none is refused": {
    text: "metadata: {name: a}\nfoo: .nan\n",
    want: `${unreadable}json: unsupported value: NaN ...`,
  },
  "an infinite number is refused": {
    text: "metadata: {name: a}\nfoo: -.inf\n",
    want: `${unreadable}json: unsupported value: -Inf ...`,
  },
  "a value that contains itself is refused": {
    text: "metadata: {name: a}\ndata: &a {x: *a}\n",
    want: `${unreadable}yaml: anchor 'a' value contains itself ...`,
  },
  "an alias of nothing is refused": {
    text: "metadata: {name: a}\ndata: *a\n",
    want: `${unreadable}yaml: unknown anchor 'a' referenced ...`,
  },
  "a merged mapping is read": {
    text: "metadata: {name: a}\nx: &x {k: one}\ndata: {<<: *x, b: two}\n",
    want: "201",
  },
  "a time of day is text": { text: "metadata: {name: a}\ndata: {a: 1:30}\n", want: "201" },
  "only the first document counts": {
    text: "metadata: {name: a}\n---\nmetadata: [\n",
    want: "201",
  },
};

/** A widget whose fields have the checks that can be made to take long. */
const costly = widgetSchema({
  properties: {
    proto: { type: "string", format: "__proto__" },
    constructed: { type: "string", format: "constructor" },
    lasting: { type: "string", format: "duration" },
    nested: { type: "string", pattern: "^(a+)+$" },
    numbers: {
      type: "array",
      maxItems: 1000,
      items: { type: "integer" },
      "x-kubernetes-validations": [{ rule: "self.all(x, self.all(y, x + y >= 0))" }],
    },
  },
});

const ones = (length: number): readonly number[] => Array.from({ length }, () => 1);
const tooCostly =
  "spec.numbers: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further " +
  "validation rules will be run due to call cost exceeds limit for rule: self.all(x, self.all(y, x + y >= 0))";

type Verdicts = Readonly<Record<string, { spec: unknown; want: string }>>;

const specs: Verdicts = {
  "a format called __proto__ is one that nobody knows": { spec: { proto: "x" }, want: "201" },
  "and so is one called constructor": { spec: { constructed: "x" }, want: "201" },
  "a duration of many digits is none": {
    spec: { lasting: "1".repeat(100_000) },
    want: '422 Invalid: Widget.$ns.lockstep.dev "w" is invalid: [spec.lasting: Invalid value: ...',
  },
  "a pattern takes no longer for having many ways to match": {
    spec: { nested: `${"a".repeat(60)}!` },
    want:
      `422 Invalid: Widget.$ns.lockstep.dev "w" is invalid: spec.nested: Invalid value: "${"a".repeat(60)}!": ` +
      "spec.nested in body should match '^(a+)+$'",
  },
  "a rule may cost a million steps": { spec: { numbers: ones(360) }, want: "201" },
  "and no more": {
    spec: { numbers: ones(400) },
    want: `422 Invalid: Widget.$ns.lockstep.dev "w" is invalid: ${tooCostly}`,
  },
};

const outOfBudget =
  'spec.often: Invalid value: "array": validation failed due to running out of cost budget, ' +
  "no further validation rules will be run";

/** What is priced, and what a server says to it. */
const prices: Readonly<Record<string, readonly [schema: Json, specs: Verdicts]>> = {
  "values that checks could take long for": [costly, specs],
  "rules that are too much only together": [
    widgetSchema({
      properties: {
        often: {
          type: "array",
          maxItems: 400,
          items: { type: "integer" },
          "x-kubernetes-validations": Array.from({ length: 14 }, (_, index) => ({
            rule: `self.all(x, self.all(y, x + y >= -${index}))`,
          })),
        },
      },
    }),
    {
      "all rules of an object may cost ten million": { spec: { often: ones(200) }, want: "201" },
      "and together no more either": {
        spec: { often: ones(360) },
        want: `422 Invalid: Widget.$ns.lockstep.dev "w" is invalid: ${outOfBudget}`,
      },
    },
  ],
  "messages that are computed": [
    widgetSchema({
      properties: {
        empty: {
          type: "array",
          maxItems: 1000,
          items: { type: "integer" },
          "x-kubernetes-validations": [
            {
              rule: "self.size() == 0",
              messageExpression: "self.all(x, self.all(y, x + y >= 0)) ? 'none is negative' : 'no'",
            },
          ],
        },
        never: {
          type: "array",
          maxItems: 400,
          items: { type: "integer" },
          "x-kubernetes-validations": Array.from({ length: 14 }, (_, index) => ({
            rule: `self.size() < -${index}`,
            messageExpression: "self.all(x, self.all(y, x + y >= 0)) ? 'no' : 'none'",
          })),
        },
      },
    }),
    {
      "a message may be computed": {
        spec: { empty: ones(3) },
        want: '422 Invalid: Widget.$ns.lockstep.dev "w" is invalid: spec.empty: Invalid value: none is negative',
      },
      "at no higher price than a rule": {
        spec: { empty: ones(400) },
        want:
          '422 Invalid: Widget.$ns.lockstep.dev "w" is invalid: spec.empty: Invalid value: "array": no further ' +
          "validation rules will be run due to call cost exceeds limit for messageExpression: " +
          `"self.all(x, self.all(y, x + y >= 0)) ? 'none is negative' : 'no'"`,
      },
      "and together no more than all rules": {
        spec: { never: ones(360) },
        want:
          '422 Invalid: Widget.$ns.lockstep.dev "w" is invalid: [' +
          "spec.never: Invalid value: no, " +
          'spec.never: Invalid value: "array": messageExpression evaluation failed due to running out of cost ' +
          "budget, no further validation rules will be run]",
      },
    },
  ],
};

export function hostileInput(cluster: () => Cluster): void {
  test.each(Object.entries(yamlBodies))("in YAML %s", async (_sentence, { text, want }) => {
    const { api, path } = await cluster().scene();
    const headers = { "content-type": "application/yaml" };
    const answer = await api.send("POST", path("configmaps"), { body: text, headers });
    expect(asFarAs(want, verdict(answer))).toBe(want);
  });

  test("copies of copies in a JSON patch are refused before they fill the memory", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", { k: "x".repeat(1000) }));
    const doubling = Array.from({ length: 30 }, (_, index) => {
      return { op: "copy", from: "/data", path: `/data/c${index}` };
    });
    expect(verdict(await api.patch("json", path("configmaps", "a"), doubling))).toBe(
      "422 Invalid: the server rejected our request due to an error in our request",
    );
  });

  test("copies up to three mebibytes are made", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", { k: "x".repeat(1000) }));
    const copies = Array.from({ length: 3000 }, () => {
      return { op: "copy", from: "/data/k", path: "/data/l" };
    });
    expect((await api.patch("json", path("configmaps", "a"), copies)).status).toBe(200);
    const more = [...copies, ...copies];
    expect((await api.patch("json", path("configmaps", "a"), more)).status).toBe(422);
  });

  test.each(["bearer", "BEARER"])("a token may be announced as %s", async (scheme) => {
    const { endpoint, api } = cluster();
    const headers = { authorization: `${scheme} ${endpoint.token}` };
    expect((await api.send("GET", "/api/v1/namespaces", { headers })).status).toBe(200);
  });

  test("health is answered whatever comes along", async () => {
    const { api } = cluster();
    const body = Array.from({ length: 20_000 }, (_, index) => `k${index}: v\n`).join("");
    const headers = { "content-type": "application/yaml" };
    const answer = await api.send("POST", "/livez", { body, headers });
    expect(`${answer.status} ${answer.text}`).toBe("200 ok");
  });

  test.each(Object.entries(prices))("%s get their verdict", async (_what, [schema, table]) => {
    const scene = await cluster().scene();
    const kind: CustomKind = await defineKind(scene, [widgetVersion(schema)]);
    const verdicts: [string, string][] = [];
    for (const [sentence, { spec, want }] of Object.entries(table)) {
      const answer = await scene.api.post(kind.path(), kind.widget("w", spec));
      verdicts.push([sentence, asFarAs(want, scene.unfill(verdict(answer)))]);
      if (answer.status === 201) await scene.api.delete(kind.path("w"));
    }
    expect(verdicts).toEqual(Object.entries(table).map(([sentence, { want }]) => [sentence, want]));
  });
}
