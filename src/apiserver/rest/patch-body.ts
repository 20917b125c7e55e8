/** Applies a patch of any media type to a JSON value. */
import { badRequest, unsupportedMediaType } from "../errors.ts";
import { jsonPatch } from "../patch/json-patch.ts";
import { mergePatch } from "../patch/merge-patch.ts";
import type { ApiRequest } from "../request.ts";
import type { JsonObject, ServedResource } from "../served-resource.ts";
import { isJsonObject, mediaTypeOf } from "./body.ts";

const jsonType = "application/json-patch+json";
const mergeType = "application/merge-patch+json";
const strategicType = "application/strategic-merge-patch+json";

/** Strategic merge needs a resource that knows the rules of its lists. */
export function patchedValue(
  current: JsonObject,
  request: ApiRequest,
  resource?: Pick<ServedResource, "strategicMerge">,
): unknown {
  const { body } = request;
  switch (mediaTypeOf(request.contentType)) {
    case jsonType:
      return jsonPatch(current, body);
    case mergeType:
      return mergePatch(current, body);
    case strategicType:
      if (resource?.strategicMerge === undefined) break;
      if (!isJsonObject(body)) throw badRequest("a strategic merge patch must be an object");
      return resource.strategicMerge(current, body);
    default:
      break;
  }
  const isMergeable = resource?.strategicMerge !== undefined;
  throw unsupportedMediaType([jsonType, mergeType, ...(isMergeable ? [strategicType] : [])]);
}
