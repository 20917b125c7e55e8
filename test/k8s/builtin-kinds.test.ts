/** Compares what the field table drives with a real server: the table itself, patches, tables, decoding. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generate } from "../../scripts/generate-builtin-schema.ts";
import { decoderOf } from "../../src/apiserver/schema/decode.ts";
import { printerOf } from "../../src/apiserver/printers/builtin-printers.ts";
import {
  valueAt,
  patchedDeployment,
  strategicCases,
  strategicRefusals,
} from "../../src/apiserver/patch/strategic-cases.ts";
import { contractClient } from "../contract/contract-client.ts";
import type { ContractClient } from "../contract/contract-client.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import type { ControlPlane } from "../control-plane/control-plane.ts";
import printed from "./printed-objects.json" with { type: "json" };
import { atLeastOne } from "../builders/must.ts";

let plane: ControlPlane;
let client: ContractClient;

beforeAll(async () => {
  plane = await startControlPlane();
  client = contractClient(plane);
});

afterAll(async () => {
  client?.close();
  await plane?.stop();
});

function hasGo(): boolean {
  try {
    execFileSync("go", ["version"]);
    return true;
  } catch {
    return false;
  }
}

test.runIf(hasGo())(
  "the committed field table is what the server and its sources say",
  async () => {
    const committed = readFileSync("src/apiserver/schema/builtin-types.generated.json", "utf8");
    expect(await generate(plane.url, plane.token)).toBe(committed);
  },
);

const deployments = "/apis/apps/v1/namespaces/default/deployments";

test("strategic merge patches do what our table of cases says", async () => {
  expect((await client.post(deployments, patchedDeployment)).status).toBe(201);
  for (const [rule, { patch, path, want }] of Object.entries(strategicCases)) {
    const url = `${deployments}/patched`;
    const answer = await client.patch("strategic", url, patch, { dryRun: "All" });
    expect(answer.status, `${rule}: ${answer.text}`).toBe(200);
    expect(valueAt(answer.body, path), `rule: ${rule}`).toEqual(want);
  }
});

test("invalid strategic merge patches are refused in the words of our table", async () => {
  for (const [rule, { patch, code, message }] of Object.entries(strategicRefusals)) {
    const path = `${deployments}/patched`;
    const answer = await client.patch("strategic", path, patch, { dryRun: "All" });
    expect({ code: answer.status, message: answer.body["message"] }, `rule: ${rule}`).toEqual({
      code,
      message,
    });
  }
});

interface Printed {
  readonly path: string;
  readonly object: { readonly kind: string; readonly apiVersion: string };
  readonly status?: object;
  readonly deleted?: boolean;
}

/** Times in the data are `@SECONDSZ`: so many seconds ago, with the digits that follow the number. */
function withTimes(value: unknown, nowMs: number): unknown {
  const text = JSON.stringify(value).replaceAll(/"@(\d+)(\.0+)?Z"/g, (_all, ago, fraction = "") => {
    const time = new Date(nowMs - Number(ago) * 1000).toISOString().slice(0, 19);
    return `"${time}${fraction}Z"`;
  });
  return JSON.parse(text);
}

async function storeStatus(path: string, status: unknown): Promise<void> {
  const patched = await client.patch("merge", `${path}/status`, { status });
  expect(patched.status, `status: ${patched.text}`).toBe(200);
}

async function store({ path, object, status, deleted }: Printed, nowMs: number): Promise<void> {
  const created = await client.post(path, withTimes(object, nowMs));
  expect(created.status, `create: ${created.text}`).toBe(201);
  const name = `${path}/${(created.body["metadata"] as { name: string }).name}`;
  if (status !== undefined) await storeStatus(name, withTimes(status, nowMs));
  if (deleted) await client.delete(name);
}

const asTable = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };

interface Table {
  readonly columnDefinitions: readonly {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly priority: number;
  }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** Seconds pass between our computation and the server's. */
const withoutSeconds = (cell: unknown): unknown =>
  typeof cell === "string" ? cell.replaceAll(/\d+s\b/g, "#s") : cell;

const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, inner: unknown) => (inner === null ? undefined : inner)));

test("tables and decoding agree with the server for every kind", async () => {
  const nowMs = Date.now();
  for (const one of printed as readonly Printed[]) await store(one, nowMs);
  const lists = new Map((printed as readonly Printed[]).map((one) => [one.path, one.object]));
  for (const [path, { kind, apiVersion }] of atLeastOne(lists)) {
    const [version = "", group = ""] = apiVersion.split("/").toReversed();
    const table = (await client.get(path, {}, asTable)).body as unknown as Table;
    const items = (await client.get(path)).body["items"] as Record<string, unknown>[];
    const printer = printerOf(kind);
    const columns = printer.columns.map(({ name, type, format = "", priority }) => {
      return { name, type, format, priority };
    });
    expect(table.columnDefinitions, `kind ${kind}`).toMatchObject(columns);
    expect(items.length, `objects of ${kind}`).toBeGreaterThan(0);
    for (const [index, item] of items.entries()) {
      const { object, strictProblems } = decoderOf({ group, version, kind })(item);
      const cells = printer.cells(object, Date.now());
      const want = table.rows[index]!.cells.map(withoutSeconds);
      expect(cells.map(withoutSeconds), `${kind} ${path}`).toEqual(want);
      expect(strictProblems, `kind ${kind}`).toEqual([]);
      const { kind: _kind, apiVersion: _apiVersion, ...fields } = object;
      // Decoding an answer changes nothing.
      expect(withoutNulls(fields), `kind ${kind}`).toEqual(withoutNulls(item));
      // A null is kept only where the server has one.
      expect(item, `kind ${kind}`).toMatchObject(fields);
    }
  }
});
