/** Every case of `recorded` was answered by a real server (1.36); our rules must come to the same. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fieldErrorsText, fieldErrorText, type FieldError } from "../../api/field-error.ts";
import { dns1123SubdomainProblems } from "../../api/dns-name.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import type { KubeObject } from "../../api/object.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../api/object-meta.ts";
import { groupResource } from "../../api/resource.ts";
import { decoderOf } from "../schema/decode.ts";
import { builtinCatalogue } from "./catalogue.ts";
import { applyPriority } from "./priority.ts";
import { builtinRules } from "./rules.ts";
import type { PodSpec } from "./pod-types.ts";
import { allocateAddresses } from "./service-addresses.ts";
import type { Service } from "./service-types.ts";
import { atLeastOne } from "../../../test/builders/must.ts";

interface Case {
  readonly name: string;
  readonly given: Partial<KubeObject>;
  readonly change?: object;
  readonly subresource?: string;
  readonly want?: object;
  readonly message?: string;
}

const folder = "src/apiserver/builtin/recorded";

for (const file of atLeastOne(readdirSync(folder))) {
  const table = JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as {
    path: string;
    cases: Case[];
  };
  describe(`POST ${table.path}`, () => {
    const answerTo = (item: Case): Answer =>
      item.change === undefined ? create(table.path, item) : update(table.path, item);
    const refused = table.cases.flatMap((item) =>
      item.message === undefined ? [] : [[item.name, item, item.message] as const],
    );
    const accepted = table.cases.filter(({ message }) => message === undefined);

    test.each(accepted.map((item) => [item.name, item] as const))("%s", (_name, item) => {
      const answer = answerTo(item);
      expect(fieldErrorsText(answer.errors)).toBe("[]");
      expect(withoutServerFields(answer.draft)).toEqual(item.want);
    });

    test.each(refused)("%s", (_name, item, message) => {
      const { errors } = answerTo(item);
      expect(errors).not.toEqual([]);
      expectSameErrors(errors, message);
    });
  });
}

function resourceOf(path: string) {
  const parts = path.split("/");
  const group = path.startsWith("/api/") ? "" : parts[2]!;
  const name = groupResource({ group, plural: parts.at(-1)! });
  const resource = builtinCatalogue.find((candidate) => groupResource(candidate) === name);
  const rules = builtinRules.get(name);
  if (resource === undefined || rules === undefined) throw new Error(`no rules for ${path}`);
  return { ...resource, rules, decode: decoderOf(resource) };
}

interface Answer {
  readonly draft: KubeObject;
  readonly errors: readonly FieldError[];
}

/** The steps of a create and an update that matter to rules, as the server takes them. */
function create(path: string, { given }: Case): Answer {
  const { rules, namespaced, decode } = resourceOf(path);
  const draft = decode(given).object;
  draft.metadata.creationTimestamp = "2026-01-01T00:00:00Z";
  const namespace = /namespaces\/([^/]+)\//.exec(path)?.[1];
  if (namespace !== undefined) draft.metadata.namespace = namespace;
  rules.applyDefaults(draft);
  if (path.endsWith("/pods")) applyPriority(draft["spec"] as PodSpec, []);
  if (rules.tracksGeneration) draft.metadata.generation = 1;
  rules.prepareForCreate(draft);
  const checkName = rules.checkName ?? dns1123SubdomainProblems;
  const errors = [
    ...validateObjectMeta(draft.metadata, { namespaced, checkName }),
    ...rules.validateCreate(draft),
  ];
  if (path.endsWith("/services") && errors.length === 0) allocateAddresses(draft as Service, []);
  return { draft, errors };
}

function update(path: string, item: Case): Answer {
  const { rules, decode } = resourceOf(path);
  const created = create(path, item);
  expect(fieldErrorsText(created.errors)).toBe("[]");
  const old = created.draft;
  old.metadata.resourceVersion = "1";
  const before = JSON.stringify(old);
  const draft = decode(merged(structuredClone(old), item.change) as KubeObject).object;
  rules.applyDefaults(draft);
  rules.prepareForUpdate(draft, old, item.subresource);
  if (rules.tracksGeneration && item.subresource === undefined && hasNewGeneration(draft, old)) {
    draft.metadata.generation = 2;
  }
  const errors = [
    ...validateObjectMetaUpdate(draft.metadata, old.metadata),
    ...rules.validateUpdate(draft, old, item.subresource),
  ];
  expect(JSON.stringify(old), "the stored object is left alone").toBe(before);
  return { draft, errors };
}

function hasNewGeneration(draft: KubeObject, old: KubeObject): boolean {
  const fields = Object.keys(draft).filter((field) => field !== "metadata" && field !== "status");
  return fields.some((field) => !semanticallyEqual(draft[field], old[field]));
}

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result = { ...(target as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** Leaves out what the server sets by itself. */
function withoutServerFields(object: KubeObject): object {
  const { apiVersion: _version, kind: _kind, ...rest } = structuredClone(object);
  for (const field of ["creationTimestamp", "resourceVersion", "uid"]) delete rest.metadata[field];
  // Absent and undefined are the same on the wire, and one time is like another.
  const text = JSON.stringify(rest)
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"NOW"')
    .replaceAll(/"nodePort":\d+/g, '"nodePort":1')
    .replaceAll(/"10\.0\.0\.\d+"/g, '"ADDRESS"');
  return JSON.parse(text) as object;
}

/** Errors about map entries come in random order from the real server. */
function expectSameErrors(errors: readonly FieldError[], message: string): void {
  const said = message.replace(/^.*? is invalid: /, "").split("\n")[0]!;
  const texts = [...new Set(errors.map(fieldErrorText))];
  const ordered = [...texts].toSorted((a, b) => said.indexOf(a) - said.indexOf(b));
  expect(ordered.length === 1 ? ordered[0] : `[${ordered.join(", ")}]`).toBe(said);
}
