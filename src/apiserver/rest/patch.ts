/** PATCH on an object or its status. */
import type { KubeObject } from "../../api/object.ts";
import type { Context } from "../context.ts";
import { badRequest, methodNotAllowed } from "../errors.ts";
import { typedForm } from "../forms.ts";
import { unreadableResult } from "../patch/patch-errors.ts";
import type { Answer, ApiRequest, Route } from "../request.ts";
import { UnreadableBodyError } from "../schema/decode.ts";
import type { Decoded, JsonObject, ServedResource } from "../served-resource.ts";
import { isJsonObject, stampType, strictness } from "./body.ts";
import { assertPatchType, patchedValue } from "./patch-body.ts";
import { assertAddressed, change, findOrRefuse } from "./update.ts";

export function patchAt(context: Context, route: Route, request: ApiRequest): Answer {
  const { resource, name } = route;
  if (name === undefined) throw methodNotAllowed();
  assertPatchType(request, resource);
  const current: KubeObject = typedForm(resource, findOrRefuse(context, route));
  const patched = patchedValue(current, request, resource);
  if (!isJsonObject(patched)) throw badRequest("the patch leaves no object");
  const decoded = decodeResult(resource, patched);
  const warnings = strictness(resource, request, decoded);
  const object = stampType(resource, decoded.object);
  // A patch without a resourceVersion applies to the current version.
  object.metadata.resourceVersion ??= current.metadata.resourceVersion;
  assertAddressed(route, object);
  return change(context, route, request, { object, warnings });
}

function decodeResult(resource: ServedResource, patched: JsonObject): Decoded {
  try {
    return resource.decode(patched);
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error;
    throw unreadableResult(JSON.stringify(patched), error.problem);
  }
}
