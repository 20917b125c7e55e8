/**
 * A definition and an object, each as large as it may be, multiply: every one of these once ended the server for want
 * of memory, or kept it busy for minutes.
 */
import { afterEach, expect, test } from "vitest";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import type { ApiServer } from "../api-server.ts";
import { createApiServer } from "../api-server.ts";
import { builtinResources } from "../catalogue/builtin-resources.ts";
import { tooManyErrors, tooManySteps } from "./validation-run.ts";

const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
const wrapped = <T>(levels: number, inner: T, wrap: (inner: T) => T): T =>
  many(levels, () => wrap).reduce((value, each) => each(value), inner);

const letters = "aabab".repeat(800);
const slow = String.raw`(\pL*a)(\pL{200})*(\pN|c)$`;
const list = (items: object): object => ({ type: "array", items });
const tooLarge = "etcdserver: request is too large";

interface Product {
  readonly schema: object;
  readonly spec: unknown;
  /** What replaces the spec afterwards. */
  readonly next?: unknown;
  readonly want: string;
}

const products: Record<string, Product> = {
  "values that an enumeration lacks": {
    schema: list({ type: "string", enum: many(100_000, (index) => `v${index}`) }),
    spec: many(200_000, () => "x"),
    want: `422 ${tooManyErrors}`,
  },
  "values that stand last in an enumeration": {
    schema: list({ type: "string", enum: many(100_000, (index) => `v${index}`) }),
    spec: many(100_000, () => "v99999"),
    want: "201",
  },
  "fields that items lack": {
    schema: list({ type: "object", required: many(1_000, (index) => `r${index}`) }),
    spec: many(300_000, () => ({})),
    want: `422 ${tooManyErrors}`,
  },
  "alternatives of every item": {
    schema: list({
      type: "string",
      anyOf: many(2_000, (index) => ({ pattern: `^a{${index}}b$` })),
    }),
    spec: many(20_000, () => "a".repeat(50)),
    want: `422 ${tooManySteps}`,
  },
  "patterns that are slow": {
    schema: list({ type: "string", pattern: slow }),
    spec: many(300, () => `${letters}c`),
    want: `422 ${tooManySteps}`,
  },
  "patterns in rules that are slow": {
    schema: list({
      type: "string",
      "x-kubernetes-validations": [{ rule: `self.matches(r'${slow}')` }],
    }),
    spec: many(300, () => `${letters}c`),
    want: `422 ${tooManySteps}`,
  },
  "rules that every item breaks": {
    schema: list({
      type: "string",
      "x-kubernetes-validations": many(50, () => ({
        rule: "self != 'aa'",
        messageExpression: "'no ' + self",
      })),
    }),
    spec: many(200_000, () => "aa"),
    want: `422 ${tooManyErrors}`,
  },
  "defaults of every item": {
    schema: list({
      type: "object",
      properties: Object.fromEntries(
        many(200, (index) => [`p${index}`, { type: "string", default: "x".repeat(1_000) }]),
      ),
    }),
    spec: many(300_000, () => ({})),
    want: `500 ${tooLarge}`,
  },
  "fields that items do not have": {
    schema: list({
      type: "object",
      properties: Object.fromEntries(many(10_000, (index) => [`p${index}`, { type: "string" }])),
      "x-kubernetes-validations": [{ rule: "true" }],
    }),
    spec: many(200_000, () => ({})),
    want: "201",
  },
  "rules at every level": {
    schema: wrapped(200, list({ type: "integer" }), (inner) => ({
      type: "object",
      properties: { a: inner },
      "x-kubernetes-validations": [{ rule: "true" }],
    })),
    spec: wrapped<unknown>(
      200,
      many(500_000, () => 0),
      (inner) => ({ a: inner }),
    ),
    want: "201",
  },
  "a change below many levels": {
    schema: wrapped(200, list({ type: "integer" }), (inner) => ({
      type: "object",
      properties: { a: inner },
    })),
    spec: wrapped<unknown>(
      200,
      many(500_000, () => 0),
      (inner) => ({ a: inner }),
    ),
    next: wrapped<unknown>(200, [...many(500_000, () => 0), 1], (inner) => ({ a: inner })),
    want: "200",
  },
  "unknown fields below many levels": {
    schema: wrapped<object>(300, { type: "object", properties: {} }, (inner) => ({
      type: "object",
      properties: { [`a${"x".repeat(500)}`]: inner },
    })),
    spec: wrapped<unknown>(
      300,
      Object.fromEntries(many(150_000, (index) => [`u${index}`, 0])),
      (inner) => ({ [`a${"x".repeat(500)}`]: inner }),
    ),
    want: "201",
  },
  "unknown fields below a name as long as a body": {
    schema: { type: "object", additionalProperties: { type: "object", properties: {} } },
    spec: {
      ["x".repeat(1_400_000)]: Object.fromEntries(many(1_000, (index) => [`u${index}`, 0])),
    },
    want: "201",
  },
};

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = "/apis/lockstep.test/v1/namespaces/default/things";
const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
const definitionOf = (schema: object): object => ({
  metadata: { name: "things.lockstep.test" },
  spec: {
    group: "lockstep.test",
    scope: "Namespaced",
    names,
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } },
      },
    ],
  },
});
const thing = (spec: unknown): object => ({
  apiVersion: "lockstep.test/v1",
  kind: "Thing",
  metadata: { name: "a" },
  spec,
});

let server: ApiServer | undefined;
afterEach(() => server?.stop());

/** `422 the last error in the answer`. */
async function verdictOn({ schema, spec, next }: Product): Promise<string> {
  server = createApiServer({ clock: new VirtualClock(), resources: builtinResources() });
  const { transport } = server;
  const body = definitionOf(schema);
  const defined = await transport.request({ method: "POST", path: definitions, body });
  expect(defined.status).toBe(201);
  const created = await transport.request({ method: "POST", path: things, body: thing(spec) });
  const patch = {
    method: "PATCH",
    path: `${things}/a`,
    body: { spec: next },
    contentType: "application/merge-patch+json",
  } as const;
  const answer = next === undefined ? created : await transport.request(patch);
  const { message = "" } = answer.body as { message?: string };
  const last = message.split(": ").at(-1)?.replace(/\]$/, "");
  return answer.status >= 400
    ? `${answer.status} ${message === tooLarge ? tooLarge : last}`
    : String(answer.status);
}

test.each(Object.entries(products))(
  "%s: an answer within seconds",
  async (_what, product) => {
    const before = process.cpuUsage();
    expect(await verdictOn(product)).toBe(product.want);
    const { user, system } = process.cpuUsage(before);
    // Of this process, whatever else the machine does.
    expect((user + system) / 1e6).toBeLessThan(15);
  },
  60_000,
);
