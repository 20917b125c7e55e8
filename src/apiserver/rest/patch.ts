/** PATCH on an object or its status. */
import type { Context } from "../context.ts";
import { badRequest, methodNotAllowed } from "../errors.ts";
import { typedForm } from "../forms.ts";
import type { Answer, ApiRequest, Route } from "../request.ts";
import { isJsonObject, stampType, strictness } from "./body.ts";
import { patchedValue } from "./patch-body.ts";
import { change, findOrRefuse } from "./update.ts";

export function patchAt(context: Context, route: Route, request: ApiRequest): Answer {
  const { resource, name } = route;
  if (name === undefined) throw methodNotAllowed();
  const current = typedForm(resource, findOrRefuse(context, route));
  const patched = patchedValue(current, request, resource);
  if (!isJsonObject(patched)) throw badRequest("the patch leaves no object");
  const decoded = resource.decode(patched);
  const warnings = strictness(resource, request, decoded);
  const object = stampType(resource, decoded.object);
  // A patch that says nothing of the version is meant for whatever version there is.
  object.metadata.resourceVersion ??= current.metadata.resourceVersion;
  return change(context, route, request, { object, warnings });
}
