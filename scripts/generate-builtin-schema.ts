/**
 * Writes the field table of the built-in kinds from two sources that agree by construction: the OpenAPI
 * documents of a running kube-apiserver, and the Go declarations it was built from.
 *
 *   npx tsx scripts/generate-builtin-schema.ts --server https://127.0.0.1:6443 --token TOKEN [--check]
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { parseArgs } from "node:util";
import { mergeTables } from "./builtin-schema/merge-tables.ts";
import type { DocumentSchemas, GoTypes } from "./builtin-schema/merge-tables.ts";

const output = "src/apiserver/schema/builtin-types.generated.json";

const groupVersions = [
  "api/v1",
  "apis/apiextensions.k8s.io/v1",
  "apis/apps/v1",
  "apis/autoscaling/v1",
  "apis/autoscaling/v2",
  "apis/coordination.k8s.io/v1",
  "apis/events.k8s.io/v1",
  "apis/policy/v1",
  "apis/rbac.authorization.k8s.io/v1",
  "apis/resource.k8s.io/v1",
  "apis/scheduling.k8s.io/v1",
];

function get(server: string, token: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    // The server's certificate is its own; it was started by us on loopback.
    const options = { headers, rejectUnauthorized: false };
    const call = request(new URL(path, server), options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`GET ${path}: ${answer.statusCode} ${text.slice(0, 200)}`));
      });
    });
    call.on("error", reject);
    call.end();
  });
}

function goTypes(): GoTypes {
  const text = execFileSync("go", ["run", "-trimpath", "./fieldtable"], {
    cwd: "tools/control-plane/k8s",
    env: { ...process.env, CGO_ENABLED: "0" },
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return JSON.parse(text) as GoTypes;
}

/** The table as it would be written now, from this server and the Go modules beside it. */
export async function generate(server: string, token: string): Promise<string> {
  const version = JSON.parse(await get(server, token, "/version")) as { gitVersion: string };
  const schemas: DocumentSchemas = {};
  for (const groupVersion of groupVersions) {
    const text = await get(server, token, `/openapi/v3/${groupVersion}`);
    const document = JSON.parse(text) as { components: { schemas: DocumentSchemas } };
    Object.assign(schemas, document.components.schemas);
  }
  return print(version.gitVersion, mergeTables(goTypes(), schemas));
}

/**
 * One type per line, so that a new Kubernetes version gives a diff one can read. The digest lets a
 * test see edits by hand without a server to ask.
 */
function print(kubernetes: string, types: Record<string, unknown>): string {
  const lines = Object.keys(types)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(types[name])}`);
  const body = lines.join(",\n");
  const digest = createHash("sha256").update(body).digest("hex");
  return `{"kubernetes": "${kubernetes}", "digest": "${digest}", "types": {\n${body}\n}}\n`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      server: { type: "string" },
      token: { type: "string" },
      check: { type: "boolean" },
    },
  });
  if (values.server === undefined || values.token === undefined) {
    throw new Error("say which server to ask: --server URL --token TOKEN");
  }
  const text = await generate(values.server, values.token);
  if (!values.check) writeFileSync(output, text);
  else if (readFileSync(output, "utf8") !== text) throw new Error(`${output} is out of date`);
  console.log(`${output}: ${text.length} bytes, ${values.check ? "unchanged" : "written"}`);
}

if (process.argv[1]?.endsWith("generate-builtin-schema.ts")) await main();
