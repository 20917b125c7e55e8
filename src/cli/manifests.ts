/** Reads the objects of YAML and JSON manifests, wherever `-f` points. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { LineCounter, parseAllDocuments } from "yaml";
import type { KubeObject } from "../api/object.ts";
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
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter,
    version: "1.1",
    // Kubernetes' own parser leaves dates as the strings they were written as.
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isTimestamp(tag.tag)),
  });
  return [...documents].flatMap((document, index) => {
    const where = documents.length > 1 ? `${origin} document ${index + 1}` : origin;
    const [error] = document.errors;
    if (error !== undefined) {
      throw new UserError({
        problem: `${where}: ${error.message.trim()}`,
        fix: "correct the YAML",
      });
    }
    return objectsIn(where, document.toJS({ maxAliasCount: 100 }) as unknown);
  });
}

const isTimestamp = (tag: string): boolean => tag === "tag:yaml.org,2002:timestamp";

function objectsIn(origin: string, value: unknown): Manifest[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new UserError({
      problem: `${origin} is not a Kubernetes object`,
      fix: "it needs apiVersion, kind and metadata",
    });
  }
  const object = JSON.parse(JSON.stringify(value)) as KubeObject & { items?: unknown[] };
  if (object.kind === "List" && Array.isArray(object.items)) {
    return object.items.flatMap((item, index) => objectsIn(`${origin} item ${index}`, item));
  }
  for (const field of ["apiVersion", "kind", "metadata"] as const) {
    if (object[field] === undefined || object[field] === null) {
      throw new UserError({ problem: `${origin}: ${field}: Required value`, fix: `set ${field}` });
    }
  }
  return [{ object, origin }];
}
