/**
 * Fills in what a real API server answers to the cases of src/apiserver/builtin/recorded:
 * `npx tsx scripts/record-builtin.ts https://127.0.0.1:6443 TOKEN [file]`, with a fresh server and no controllers.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

interface Case {
  name: string;
  given: { metadata?: { name?: string } };
  /** A merge patch to the created object, and the subresource it goes to. */
  change?: object;
  subresource?: string;
  want?: unknown;
  message?: string;
}

process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
const [server = "", token = "", only] = process.argv.slice(2);
const unsettled = new Set(["uid", "creationTimestamp", "resourceVersion", "managedFields"]);
/** Put on and taken off by controllers, not by rules. */
const protection = '["kubernetes.io/pvc-protection"]';
const folder = "src/apiserver/builtin/recorded";

async function call(method: string, path: string, body: unknown, type = "application/json") {
  const response = await fetch(server + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": type },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { kind: string; message?: string };
}

/** Leaves out what differs from run to run. */
function settled(value: unknown): unknown {
  if (typeof value === "string") {
    if (/^10\.0\.0\.\d+$/.test(value)) return "ADDRESS";
    return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? "NOW" : value;
  }
  if (Array.isArray(value)) return value.map(settled);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(
    ([key, field]) => !unsettled.has(key) && JSON.stringify(field) !== protection,
  );
  return Object.fromEntries(
    fields.map(([key, field]) => [key, key === "nodePort" ? 1 : settled(field)]),
  );
}

async function record(path: string, item: Case): Promise<void> {
  delete item.want;
  delete item.message;
  const answer = item.change === undefined ? await create(path, item) : await change(path, item);
  if (answer.kind === "Status") item.message = answer.message;
  else {
    const {
      kind: _kind,
      apiVersion: _version,
      ...object
    } = settled(answer) as Record<string, unknown>;
    item.want = object;
  }
}

async function create(path: string, item: Case) {
  return await call("POST", `${path}?dryRun=All`, item.given);
}

async function change(path: string, item: Case) {
  const object = `${path}/${item.given.metadata?.name}`;
  const created = await call("POST", path, item.given);
  if (created.kind === "Status") throw new Error(`${item.name}: ${created.message}`);
  const target = item.subresource === undefined ? object : `${object}/${item.subresource}`;
  const merge = "application/merge-patch+json";
  const answer = await call("PATCH", `${target}?dryRun=All`, item.change, merge);
  await call("DELETE", object, { gracePeriodSeconds: 0 });
  return answer;
}

for (const file of readdirSync(folder).filter((name) => only === undefined || name === only)) {
  const table = JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as {
    path: string;
    cases: Case[];
  };
  for (const item of table.cases) await record(table.path, item);
  writeFileSync(`${folder}/${file}`, `${JSON.stringify(table, undefined, 2)}\n`);
  console.log(`${file}: ${table.cases.length} cases`);
}
