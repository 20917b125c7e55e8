/** Applies a patch of any media type to a JSON value. */
import { badRequest, unsupportedMediaType, unsupportedPatchType } from "../errors.ts";
import { jsonPatch } from "../patch/json-patch.ts";
import { mergePatch } from "../patch/merge-patch.ts";
import type { ApiRequest } from "../request.ts";
import type { JsonObject, ServedResource } from "../served-resource.ts";
import { mediaTypeOf } from "../media-type.ts";
import { isJsonObject } from "./body.ts";

type Mergeable = Pick<ServedResource, "strategicMerge" | "listItemsAreTyped">;

const jsonType = "application/json-patch+json";
const mergeType = "application/merge-patch+json";
export const strategicType = "application/strategic-merge-patch+json";

/** Strategic merge needs a resource that knows the rules of its lists. */
export function assertPatchType(request: ApiRequest, resource?: Mergeable): void {
  const mediaType = mediaTypeOf(request.contentType);
  if (mediaType === jsonType || mediaType === mergeType) return;
  if (mediaType === strategicType && resource?.strategicMerge !== undefined) return;
  // The handler of custom resources refuses by itself and lists the types it takes.
  if (resource?.listItemsAreTyped === true) {
    throw unsupportedMediaType([jsonType, mergeType, "application/apply-patch+yaml"]);
  }
  throw unsupportedPatchType();
}

export function patchedValue(
  current: JsonObject,
  request: ApiRequest,
  resource?: Mergeable,
): unknown {
  assertPatchType(request, resource);
  const { body, bodyProblem } = request;
  const mediaType = mediaTypeOf(request.contentType);
  if (bodyProblem !== undefined) {
    const head = mediaType === strategicType ? "" : "error decoding patch: ";
    throw badRequest(`${head}${bodyProblem}`);
  }
  if (mediaType === jsonType) return jsonPatch(current, body);
  if (mediaType === mergeType) return mergePatch(current, body);
  if (!isJsonObject(body)) throw badRequest("a strategic merge patch must be an object");
  return resource?.strategicMerge?.merge(current, body);
}
