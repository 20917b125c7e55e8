/** Reads the object in a request's body, with the strictness the client asked for. */
import type { KubeObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { badRequest, invalid, unsupportedMediaType } from "../errors.ts";
import { mediaTypeOf, protobufMediaType } from "../media-type.ts";
import { unreadableResult } from "../patch/patch-errors.ts";
import { parameter } from "../request.ts";
import type { ApiRequest } from "../request.ts";
import type { Registry } from "../registry.ts";
import { allStrictProblems } from "../schema/parse-json.ts";
import type { Decoded, JsonObject, ServedResource } from "../served-resource.ts";
import { assertType, unrecognized } from "./body-type.ts";

export interface Draft {
  /** Belongs to the request: every stage may change it in place. */
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

const objectMediaTypes = ["application/json", "application/yaml"];

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Only built-in kinds have a protobuf form. */
export function assertObjectMediaType(request: ApiRequest, resource?: ServedResource): void {
  const mediaType = mediaTypeOf(request.contentType);
  const isCustom = resource?.listItemsAreTyped === true;
  const allowed = isCustom ? objectMediaTypes : [...objectMediaTypes, protobufMediaType];
  if (mediaType === "" || allowed.includes(mediaType)) return;
  throw unsupportedMediaType(allowed);
}

export function decodeBody(
  registry: Registry,
  resource: ServedResource,
  request: ApiRequest,
  known?: KubeObject,
): Draft {
  assertObjectMediaType(request, resource);
  if (request.bodyProblem !== undefined || !isJsonObject(request.body)) {
    throw unrecognized(resource, request);
  }
  assertType(registry, resource, request, request.body);
  const decoded = resource.decode(request.body, known);
  return { object: decoded.object, warnings: strictness(resource, request, decoded) };
}

/** Refuses or reports unknown and duplicate fields. The default is to warn. */
export function strictness(
  resource: ServedResource,
  request: ApiRequest,
  decoded: Decoded,
): readonly string[] {
  const level = fieldValidation(request);
  if (level === "Ignore") return [];
  const isWhole = request.bodyText !== undefined && request.method !== "PATCH";
  const strictProblems = isWhole
    ? allStrictProblems(request.bodyText, decoded.strictProblems, request.body)
    : decoded.strictProblems;
  if (strictProblems.length === 0) return [];
  if (level === "Warn") return strictProblems;
  const { kind, version } = resource;
  const problem = `strict decoding error: ${strictProblems.join(", ")}`;
  if (request.method === "PATCH") throw unreadableResult(JSON.stringify(request.body), problem);
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
}

const levels = ["Ignore", "Warn", "Strict"];

function fieldValidation(request: ApiRequest): string {
  const level = parameter(request, "fieldValidation") ?? "Warn";
  if (levels.includes(level)) return level;
  const kind = request.method === "POST" ? "CreateOptions" : updateOptionsKind(request);
  throw invalid({ group: "meta.k8s.io", kind }, "", [
    {
      type: "NotSupported",
      field: "fieldValidation",
      value: level,
      detail: 'supported values: "", "Ignore", "Strict", "Warn"',
    },
  ]);
}

function updateOptionsKind({ method }: ApiRequest): string {
  return method === "PATCH" ? "PatchOptions" : "UpdateOptions";
}

/** True for `dryRun=All`; any other value is refused. */
export function isDryRun(request: ApiRequest, fromBody?: readonly unknown[]): boolean {
  const asked = fromBody?.[0] ?? parameter(request, "dryRun");
  if (asked === undefined) return false;
  if (asked === "All") return true;
  const kind =
    request.method === "POST"
      ? "CreateOptions"
      : request.method === "DELETE"
        ? "DeleteOptions"
        : updateOptionsKind(request);
  throw invalid({ group: "meta.k8s.io", kind }, "", [
    {
      type: "NotSupported",
      field: "dryRun",
      value: [asked],
      detail: 'supported values: "All"',
    },
  ]);
}

/** The draft's own type, which an absent or short form in the body leaves to the path. */
export function stampType(resource: ServedResource, object: KubeObject): KubeObject {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
  return { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata, ...rest };
}
