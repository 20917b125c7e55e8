/** Asks a real kube-apiserver about every recorded case; KUBE_API and KUBE_TOKEN say where it is. */
import { writeFileSync } from "node:fs";
import { definitionCases } from "../test/recorded/custom-resource-definitions.ts";
import { ruleCases } from "../test/recorded/rule-cases.ts";
import { schemaCases } from "../test/recorded/schema-cases.ts";
import type { ValueCase } from "../test/recorded/value-case.ts";

process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
const base = process.env.KUBE_API ?? "https://127.0.0.1:26443";
const token = process.env.KUBE_TOKEN ?? "tok";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const stamp = Date.now().toString(36);

interface Body {
  readonly message?: string;
  readonly metadata?: { readonly resourceVersion?: string };
  readonly spec?: Record<string, unknown>;
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  readonly details?: {
    readonly causes?: readonly {
      readonly field: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

interface Answer {
  readonly code: number;
  readonly body: Body;
}

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  let parsed: Body;
  try {
    parsed = JSON.parse(text) as Body;
  } catch {
    parsed = { message: text };
  }
  return { code: response.status, body: parsed };
}

/** `[field, reason, message]` of every cause, sorted because the server's order is random. */
function causes(answer: Answer): unknown {
  if (answer.code < 300) return { spec: answer.body.spec };
  const list = answer.body.details?.causes;
  if (list === undefined) return { code: answer.code, message: answer.body.message };
  return {
    causes: list
      .map((cause) => [cause.field, cause.reason, cause.message])
      .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
  };
}

/** Puts the case's own property name back and drops defaults of its neighbours. */
const rename = (value: unknown, property: string): unknown =>
  JSON.parse(JSON.stringify(value ?? null).replaceAll(new RegExp(`\\b${property}\\b`, "g"), "v"));

async function until<T>(check: () => Promise<T | undefined>): Promise<T> {
  for (let turn = 0; turn < 200; turn++) {
    const result = await check();
    if (result !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("gave up waiting");
}

/** Many cases share one definition, one property each, because every definition takes the server seconds. */
async function recordValues(cases: Record<string, ValueCase>, label: string) {
  const entries = Object.entries(cases).map(([name, one], index) => ({
    name,
    one,
    property: `zq${index}`,
  }));
  const results: Record<string, unknown> = {};
  const group = `${label}${stamp}.example.com`;
  const chunks = Array.from({ length: Math.ceil(entries.length / 12) }, (_, index) =>
    entries.slice(index * 12, index * 12 + 12),
  );
  await Promise.all(
    chunks.map(async (chunk, index) => {
      const plural = `case${index}s`;
      const created = await ask("POST", definitions, {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          scope: "Cluster",
          names: { plural, kind: `Case${index}` },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: "object",
                  properties: {
                    spec: {
                      type: "object",
                      properties: Object.fromEntries(
                        chunk.map(({ property, one }) => [property, one.schema]),
                      ),
                    },
                  },
                },
              },
            },
          ],
        },
      });
      if (created.code >= 300) {
        console.error(
          label,
          index,
          chunk.map((entry) => entry.name),
          created.body.message,
        );
        return;
      }
      const path = `/apis/${group}/v1/${plural}`;
      await until(async () => ((await ask("GET", path)).code === 200 ? true : undefined));
      for (const { name, one, property } of chunk) {
        const object = (value: unknown) => ({
          apiVersion: `${group}/v1`,
          kind: `Case${index}`,
          metadata: { name: property },
          spec: { [property]: value },
        });
        let answer = await ask("POST", path, object(one.old === undefined ? one.value : one.old));
        if (one.old !== undefined && answer.code < 300) {
          const { resourceVersion } = answer.body.metadata ?? {};
          const next = object(one.value);
          answer = await ask("PUT", `${path}/${property}`, {
            ...next,
            metadata: { ...next.metadata, resourceVersion },
          });
        }
        const result = causes(answer) as { spec?: Record<string, unknown> };
        for (const key of Object.keys(result.spec ?? {})) {
          if (key !== property) delete result.spec?.[key];
        }
        results[name] = rename(result, property);
      }
    }),
  );
  return Object.fromEntries(Object.keys(cases).map((name) => [name, results[name] ?? null]));
}

async function recordDefinitions() {
  const results: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(definitionCases)) {
    let answer = await ask("POST", `${definitions}?dryRun=All`, one.definition);
    if (one.update !== undefined) {
      answer = await ask("POST", definitions, one.definition);
      const path = `${definitions}/${(one.definition["metadata"] as { name: string }).name}`;
      await until(async () => {
        const current = await ask("GET", path);
        const established = current.body.status?.conditions?.find(
          ({ type }) => type === "Established",
        );
        return established?.status === "True" ? true : undefined;
      });
      const current = await ask("GET", path);
      answer = await ask("PUT", `${path}?dryRun=All`, {
        ...one.update,
        metadata: {
          ...(one.update["metadata"] as object),
          resourceVersion: current.body.metadata?.resourceVersion,
        },
      });
      await ask("DELETE", path);
      await until(async () => ((await ask("GET", path)).code === 404 ? true : undefined));
    }
    results[name] = causes(answer);
  }
  return results;
}

const which = process.argv[2] ?? "all";
const write = (file: string, content: unknown) =>
  writeFileSync(
    new URL(`../test/recorded/${file}`, import.meta.url),
    `${JSON.stringify(content, null, 2)}\n`,
  );
if (which !== "definitions") {
  write("custom-resource-values.json", {
    ...(await recordValues(schemaCases, "s")),
    ...(await recordValues(ruleCases, "r")),
  });
}
if (which !== "values") write("custom-resource-definitions.json", await recordDefinitions());
