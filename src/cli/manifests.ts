/** Reads the objects of YAML and JSON manifests, wherever `-f` points. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { KubeObject } from "../api/object.ts";
import { YamlProblem, yamlDocuments } from "../api/read-yaml.ts";
import { UserError } from "../api/user-error.ts";
import type { Io } from "./io.ts";

export interface Manifest {
  readonly object: KubeObject;
  /** For messages: `app.yaml`, or `app.yaml document 2`. */
  readonly origin: string;
}

export function readManifests(paths: readonly string[], recursive: boolean, io: Io): Manifest[] {
  const manifests = paths.flatMap((path) =>
    path === "-"
      ? parseManifests("standard input", io.readStandardInput())
      : manifestFiles(path, resolve(io.workingDirectory, path), recursive).flatMap((file) =>
          parseManifests(file === resolve(io.workingDirectory, path) ? path : file, read(file)),
        ),
  );
  if (manifests.length === 0) {
    throw new UserError({
      problem: `${paths.join(", ")} holds no objects`,
      fix: "point -f at a file or folder with .yaml, .yml or .json manifests",
    });
  }
  return manifests;
}

function manifestFiles(given: string, path: string, recursive: boolean): string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch {
    throw new UserError({ problem: `the path "${given}" does not exist` });
  }
  if (!isFolder) return [path];
  return readdirSync(path, { recursive, encoding: "utf8" })
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .toSorted()
    .map((file) => join(path, file));
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError({ problem: `${file} cannot be read: ${(error as Error).message}` });
  }
}

/** Lists are replaced by their items; empty documents are skipped. */
export function parseManifests(origin: string, text: string): Manifest[] {
  const documents = readable(origin, () => yamlDocuments(text));
  return documents.flatMap((document, index) => {
    const where = documents.length > 1 ? `${origin} document ${index + 1}` : origin;
    return objectsIn(where, readable(where, document));
  });
}

function readable<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw new UserError({ problem: `${where}: ${error.message}`, fix: "correct the YAML" });
  }
}

function objectsIn(origin: string, value: unknown): Manifest[] {
  if (value === null) return [];
  if (!isMap(value)) {
    throw new UserError({
      problem: `${origin} is not a Kubernetes object`,
      fix: "it needs apiVersion, kind and metadata",
    });
  }
  if (value["kind"] === "List" && Array.isArray(value["items"])) {
    return value["items"].flatMap((item: unknown, index) =>
      objectsIn(`${origin} item ${index}`, item),
    );
  }
  requireText(origin, value, "apiVersion");
  requireText(origin, value, "kind");
  assertMetadata(origin, value["metadata"]);
  return [{ object: value as KubeObject, origin }];
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function requireText(origin: string, object: Record<string, unknown>, field: string): void {
  const value = object[field];
  if (value === undefined || value === null) throw missing(origin, field);
  if (typeof value !== "string") throw wrong(origin, field, { value, want: "text" });
}

/** What the server would refuse in words that few can read, and what apply itself works on. */
function assertMetadata(origin: string, metadata: unknown): void {
  if (metadata === undefined || metadata === null) throw missing(origin, "metadata");
  if (!isMap(metadata)) throw wrong(origin, "metadata", { value: metadata, want: "a mapping" });
  for (const field of ["name", "generateName", "namespace"]) {
    const value = metadata[field] ?? "";
    if (typeof value !== "string")
      throw wrong(origin, `metadata.${field}`, { value, want: "text" });
  }
  for (const field of ["labels", "annotations"]) {
    const value = metadata[field] ?? {};
    const path = `metadata.${field}`;
    if (!isMap(value)) throw wrong(origin, path, { value, want: "a mapping of keys to text" });
    for (const [key, text] of Object.entries(value)) {
      if (typeof text === "string") continue;
      throw wrong(origin, `${path}[${key}]`, { value: text, want: "text" });
    }
  }
}

const missing = (origin: string, field: string): UserError =>
  new UserError({ problem: `${origin}: ${field}: Required value`, fix: `set ${field}` });

function wrong(
  origin: string,
  field: string,
  { value, want }: { readonly value: unknown; readonly want: string },
): UserError {
  const shown = JSON.stringify(value);
  const isScalar = typeof value === "number" || typeof value === "boolean";
  return new UserError({
    problem: `${origin}: ${field}: Invalid value: ${shown.slice(0, 100)}: must be ${want}`,
    fix: isScalar && want === "text" ? `write "${shown}", in quotes` : `make ${field} ${want}`,
  });
}
