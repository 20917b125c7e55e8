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
import { mediaTypeOf } from "../media-type.ts";
import { assertPatchType, patchedValue, strategicType } from "./patch-body.ts";
import { assertAddressed, change, findOrRefuse, knownForm } from "./update.ts";

export function patchAt(context: Context, route: Route, request: ApiRequest): Answer {
  const { resource, name } = route;
  if (name === undefined) throw methodNotAllowed();
  assertPatchType(request, resource);
  const stored = findOrRefuse(context, route);
  const current: KubeObject = typedForm(resource, stored);
  const patched = patchedValue(current, request, resource);
  if (!isJsonObject(patched)) throw badRequest("the patch leaves no object");
  const known = knownForm(resource, stored);
  const decoded = decodeResult(resource, request, { value: patched, known });
  const warnings = strictness(resource, request, decoded);
  const object = stampType(resource, decoded.object);
  // A patch without a resourceVersion applies to the current version.
  object.metadata.resourceVersion ??= current.metadata.resourceVersion;
  assertAddressed(route, object);
  return change(context, route, request, { object, warnings });
}

interface Patched {
  readonly value: JsonObject;
  /** What it shares with the patched object may be kept as it is. */
  readonly known: KubeObject | undefined;
}

function decodeResult(
  resource: ServedResource,
  request: ApiRequest,
  { value, known }: Patched,
): Decoded {
  try {
    return resource.decode(value, known);
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error;
    const isStrategic = mediaTypeOf(request.contentType) === strategicType;
    if (isStrategic && resource.strategicMerge !== undefined && isJsonObject(request.body)) {
      throw resource.strategicMerge.refusal(value, request.body);
    }
    throw unreadableResult(JSON.stringify(value), error.problem);
  }
}
