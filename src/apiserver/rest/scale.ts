/** The scale subresource: one shape for every kind with replicas. */
import type { KubeObject } from "../../api/object.ts";
import { selectorText } from "../../api/label-selector.ts";
import type { Context } from "../context.ts";
import { badRequest, invalid, methodNotAllowed } from "../errors.ts";
import { typedForm } from "../forms.ts";
import { answerValue } from "../request.ts";
import type { Answer, ApiRequest, Route } from "../request.ts";
import type { JsonObject, ScalePaths } from "../served-resource.ts";
import { assertObjectMediaType, isDryRun, isJsonObject } from "./body.ts";
import { unreadableResult } from "../patch/patch-errors.ts";
import { builtinTypeProblem, text, unrecognized } from "./body-type.ts";
import { patchedValue } from "./patch-body.ts";
import { change, findOrRefuse } from "./update.ts";

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

export function scaleAt(context: Context, route: Route, request: ApiRequest): Answer {
  const paths = route.resource.scale;
  if (paths === undefined) throw methodNotAllowed();
  const current = scaleOf(typedForm(route.resource, findOrRefuse(context, route)), paths);
  switch (request.method) {
    case "GET":
      return answerValue(current);
    case "PUT":
      assertObjectMediaType(request);
      if (!isJsonObject(request.body)) throw unrecognized(scaleKind, request);
      assertScale(context, route, request.body, badRequest);
      return writeScale(context, route, request, request.body);
    case "PATCH": {
      const patched = patchedValue(current, request);
      if (!isJsonObject(patched)) throw badRequest("the patch leaves no object");
      const refuse = (problem: string): Error => unreadableResult(JSON.stringify(patched), problem);
      assertScale(context, route, patched, refuse);
      return writeScale(context, route, request, patched);
    }
    case "POST":
    case "DELETE":
      throw methodNotAllowed();
  }
}

function scaleOf(object: KubeObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = numberAt(object, paths.specReplicas);
  const selector = selectorAt(object, paths.labelSelector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, paths.statusReplicas),
      ...(selector === "" ? {} : { selector }),
    },
  };
}

/** A body may leave its type to the path, but not be of another one. */
function assertScale(
  { registry }: Context,
  { resource }: Route,
  body: JsonObject,
  refuse: (problem: string) => Error,
): void {
  const given = { kind: text(body["kind"]), apiVersion: text(body["apiVersion"]) };
  const problem = builtinTypeProblem(registry, scaleKind, given);
  if (problem === undefined) return;
  // The handler of custom resources knows no other kinds that it could name.
  const isCustom = resource.listItemsAreTyped === true;
  throw refuse(isCustom ? "no kind is registered for the type v1.Scale" : problem);
}

function writeScale(context: Context, route: Route, request: ApiRequest, body: JsonObject): Answer {
  const { resource, name = "" } = route;
  const paths = resource.scale;
  if (paths === undefined) throw methodNotAllowed();
  const spec = isJsonObject(body["spec"]) ? body["spec"] : {};
  const metadata = isJsonObject(body["metadata"]) ? body["metadata"] : {};
  if (text(metadata["name"]) === "") {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (metadata["name"] !== name) {
    throw badRequest(
      `the name of the object (${String(metadata["name"])}) does not match the name on the URL (${name})`,
    );
  }
  const replicas = replicasOf(name, spec["replicas"]);
  const old = typedForm(resource, findOrRefuse(context, route));
  const { object } = resource.decode(old);
  setNumber(object, paths.specReplicas, replicas);
  const { resourceVersion } = metadata;
  if (typeof resourceVersion === "string" && resourceVersion !== "") {
    object.metadata.resourceVersion = resourceVersion;
  }
  const whole = { ...route, subresource: undefined };
  const { body: changed } = change(context, whole, request, { object, warnings: [] });
  if (changed.type !== "object" || isDryRun(request)) return answerValue(scaleOf(object, paths));
  return answerValue(scaleOf(typedForm(resource, changed.object), paths));
}

function replicasOf(name: string, value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw badRequest(
      'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ' +
        `${typeof value} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  }
  if (value >= 0) return value;
  const detail = "must be greater than or equal to 0";
  throw invalid(scaleKind, name, [{ type: "Invalid", field: "spec.replicas", value, detail }]);
}

/** `.spec.replicas` -> `spec`, `replicas`. */
function fieldsOf(path: string): readonly string[] {
  return path.split(".").filter((field) => field !== "");
}

function valueAt(object: KubeObject, path: string): unknown {
  let value: unknown = object;
  for (const field of fieldsOf(path)) {
    if (!isJsonObject(value) || !Object.hasOwn(value, field)) return undefined;
    value = value[field];
  }
  return value;
}

function numberAt(object: KubeObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
}

function selectorAt(object: KubeObject, path: string | undefined): string {
  const value = path === undefined ? undefined : valueAt(object, path);
  if (typeof value === "string") return value;
  return isJsonObject(value) ? selectorText(value) : "";
}

function setNumber(object: KubeObject, path: string, value: number): void {
  const fields = fieldsOf(path);
  let target: JsonObject = object;
  for (const field of fields.slice(0, -1)) {
    const next = Object.hasOwn(target, field) ? target[field] : undefined;
    const inner: JsonObject = isJsonObject(next) ? next : {};
    target[field] = inner;
    target = inner;
  }
  target[fields.at(-1) ?? ""] = value;
}
