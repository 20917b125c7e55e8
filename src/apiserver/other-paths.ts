/** The paths beside resources: discovery, OpenAPI, version and health. */
import type { Context } from "./context.ts";
import {
  aggregated,
  coreVersions,
  groupAnswer,
  groupList,
  resourceList,
} from "./discovery/discovery.ts";
import { openApiDocument, openApiIndex } from "./discovery/openapi.ts";
import { methodNotAllowed, resourceNotFound } from "./errors.ts";
import { negotiate } from "./negotiation.ts";
import { answerText, answerValue } from "./request.ts";
import type { Answer, ApiRequest } from "./request.ts";
import { versionAnswer } from "./version-answer.ts";

const healthPaths = ["healthz", "livez", "readyz"];
const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export function answerOther(
  context: Context,
  segments: readonly string[],
  request: ApiRequest,
): Answer {
  const [root = ""] = segments;
  if (healthPaths.includes(root)) return answerText("ok");
  const value = valueAt(context, segments, request);
  if (value === undefined) return answerText("404 page not found\n", 404);
  if (request.method !== "GET") throw methodNotAllowed();
  return value;
}

function valueAt(
  context: Context,
  segments: readonly string[],
  request: ApiRequest,
): Answer | undefined {
  const [root = "", first, second] = segments;
  const { served } = context.registry;
  switch (root) {
    case "":
      return answerValue({ paths: rootPaths(context) });
    case "version":
      return segments.length === 1 ? answerValue(versionAnswer()) : undefined;
    case "openapi":
      return openApiAt(context, segments.slice(1));
    case "api":
      if (first === undefined) return everything(context, request, true);
      if (segments.length > 2 || first !== "v1") throw resourceNotFound();
      return found(resourceList(served, "", first));
    case "apis":
      if (first === undefined) return everything(context, request, false);
      if (second === undefined) return found(groupAnswer(served, first));
      return segments.length === 3 ? found(resourceList(served, first, second)) : undefined;
    default:
      return undefined;
  }
}

function found(value: unknown): Answer | undefined {
  return value === undefined ? undefined : answerValue(value);
}

function everything({ registry }: Context, request: ApiRequest, isCore: boolean): Answer {
  const { shape } = negotiate(request.accept, ["APIGroupDiscoveryList", "plain"]);
  if (shape === "APIGroupDiscoveryList") {
    return { ...answerValue(aggregated(registry.served, isCore)), contentType: aggregatedType };
  }
  return answerValue(isCore ? coreVersions("127.0.0.1") : groupList(registry.served));
}

function openApiAt({ registry }: Context, path: readonly string[]): Answer | undefined {
  const [version, root, ...rest] = path;
  if (version !== "v3") return undefined;
  if (root === undefined) return answerValue(openApiIndex(registry.served));
  const group = root === "api" ? "" : (rest[0] ?? "");
  const apiVersion = root === "api" ? rest[0] : rest[1];
  return found(openApiDocument(registry.served, group, apiVersion ?? ""));
}

function rootPaths({ registry }: Context): readonly string[] {
  const groups = registry.served
    .filter(({ group }) => group !== "")
    .flatMap(({ group, version }) => [`/apis/${group}`, `/apis/${group}/${version}`]);
  const fixed = [
    "/api",
    "/api/v1",
    "/apis",
    "/healthz",
    "/livez",
    "/openapi/v3",
    "/readyz",
    "/version",
  ];
  return [...new Set([...fixed, ...groups])].toSorted();
}
