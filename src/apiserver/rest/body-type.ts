/** Checks that a body is of the kind its path is for. */
import { apiVersionOf } from "../../api/resource.ts";
import { badRequest, invalid } from "../errors.ts";
import { mediaTypeOf, protobufMediaType } from "../media-type.ts";
import type { Registry } from "../registry.ts";
import type { ApiRequest } from "../request.ts";
import { describeJson } from "../schema/decode-cursor.ts";
import type { JsonObject, ServedResource } from "../served-resource.ts";

/** How much of a body a refusal quotes. */
const quotedBytes = 30;

/** The refusal of a body that is not an object at all. */
export function unrecognized(resource: Pick<ServedResource, "kind">, request: ApiRequest): Error {
  const mediaType = mediaTypeOf(request.contentType);
  if (mediaType === protobufMediaType) {
    return unrecognizedFor(resource, request.bodyProblem ?? shapeProblem(request.body), request);
  }
  if (request.bodyProblem !== undefined && mediaType.includes("yaml")) {
    return unrecognizedFor(resource, request.bodyProblem, request);
  }
  const problem = request.bodyProblem ?? shapeProblem(request.body);
  return unrecognizedFor(
    resource,
    `couldn't get version/kind; json parse error: ${problem}`,
    request,
  );
}

function unrecognizedFor(
  { kind }: Pick<ServedResource, "kind">,
  why: string,
  request: ApiRequest,
): Error {
  const quoted = quotedBody(request);
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${quoted})`,
  );
}

export function shapeProblem(body: unknown): string {
  if (body === undefined) return "unexpected end of JSON input";
  return (
    `json: cannot unmarshal ${describeJson(body)} into Go value of type struct { APIVersion string ` +
    String.raw`"json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`
  );
}

/** Objects are quoted as they are, everything else in hexadecimal. */
function quotedBody({ body, bodyText }: ApiRequest): string {
  const text = bodyText ?? (body === undefined ? "" : JSON.stringify(body));
  if (text === "") return "<empty>";
  const bytes = Buffer.from(text, "utf8");
  const shown = bytes.subarray(0, quotedBytes);
  const more = bytes.length > quotedBytes ? " ..." : "";
  return (text.startsWith("{") ? shown.toString("utf8") : shown.toString("hex")) + more;
}

export function assertType(
  registry: Registry,
  resource: ServedResource,
  request: ApiRequest,
  body: JsonObject,
): void {
  const kind = text(body["kind"]);
  const apiVersion = text(body["apiVersion"]);
  if (resource.listItemsAreTyped === true) {
    return assertCustomType(resource, request, { kind, apiVersion });
  }
  const problem = builtinTypeProblem(registry, resource, { kind, apiVersion });
  if (problem !== undefined) throw badRequest(problem);
}

export interface GivenType {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Why a body of the given type is not one of the resource's kind; what it leaves out is taken from the path. */
export function builtinTypeProblem(
  registry: Registry,
  resource: Pick<ServedResource, "group" | "version" | "kind">,
  type: GivenType,
): string | undefined {
  const expected = apiVersionOf(resource);
  const given = { kind: type.kind || resource.kind, apiVersion: type.apiVersion || expected };
  if (given.kind === resource.kind && given.apiVersion === expected) return undefined;
  const version = given.apiVersion.split("/").at(-1) ?? "";
  const head = `${given.kind} in version "${version}" cannot be handled as a ${resource.kind}`;
  if (registry.ofKind(given.apiVersion, given.kind) === undefined) {
    return (
      `${head}: no kind "${given.kind}" is registered for version "${given.apiVersion}" in scheme ` +
      '"pkg/api/legacyscheme/scheme.go:30"'
    );
  }
  const family = resource.group === "" ? "core" : (resource.group.split(".")[0] ?? "");
  return `${head}: converting (${version}.${given.kind}) to (${family}.${resource.kind}): unknown conversion`;
}

/** Custom resources are read without knowledge of other kinds, so they are refused in other words. */
function assertCustomType(
  resource: ServedResource,
  request: ApiRequest,
  { kind, apiVersion }: GivenType,
): void {
  if (kind === "") {
    const bodyText = request.bodyText ?? JSON.stringify(request.body);
    throw unrecognizedFor(resource, `Object 'Kind' is missing in '${bodyText}'`, request);
  }
  const expected = apiVersionOf(resource);
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  if (kind === resource.kind) return;
  const detail = `must be ${resource.kind}`;
  throw invalid(resource, "", [{ type: "Invalid", field: "kind", value: kind, detail }]);
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
