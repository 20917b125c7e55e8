/** What `x-kubernetes-list-type`, `-list-map-keys` and `-map-type` require of the schema they appear in. */
import type { FieldError } from "../../api/field-error.ts";
import { invalid, notSupported, required } from "../../api/field-error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { own } from "./json-schema.ts";

const listTypes = ["atomic", "set", "map"];
const mapTypes = ["atomic", "granular"];
const scalarTypes = ["boolean", "integer", "number", "string"];

export function validateListType(schema: JsonSchema, path: string): FieldError[] {
  return [...validateMapType(schema, path), ...validateList(schema, path)];
}

function validateMapType(schema: JsonSchema, path: string): FieldError[] {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  if (!mapTypes.includes(mapType)) {
    return [notSupported(`${path}.x-kubernetes-map-type`, mapType, mapTypes)];
  }
  if (schema.type === "object") return [];
  const problem = "must be object if x-kubernetes-map-type is specified";
  return [invalid(`${path}.type`, schema.type ?? "", problem)];
}

function validateList(schema: JsonSchema, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType === undefined || listType !== "map") {
    const errors = listType === undefined ? [] : validateKnownType(schema, listType, path);
    if (keys.length === 0) return errors;
    const problem = "must be map if x-kubernetes-list-map-keys is non-empty";
    return [...errors, required(`${path}.x-kubernetes-list-type`, problem)];
  }
  return [...validateKnownType(schema, listType, path), ...validateMapList(schema, keys, path)];
}

function validateKnownType(schema: JsonSchema, listType: string, path: string): FieldError[] {
  if (!listTypes.includes(listType)) {
    return [notSupported(`${path}.x-kubernetes-list-type`, listType, listTypes)];
  }
  if (schema.type !== "array") {
    const problem = "must be array if x-kubernetes-list-type is specified";
    return [invalid(`${path}.type`, schema.type ?? "", problem)];
  }
  return listType === "set" ? validateSetItems(schema.items, path) : [];
}

/** Items of a set are compared as a whole, so their parts must be atomic. */
function validateSetItems(items: JsonSchema | undefined, path: string): FieldError[] {
  const suffix = "must be atomic as item of a list with x-kubernetes-list-type=set";
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    const given = items["x-kubernetes-map-type"] ?? null;
    return [invalid(`${path}.items.x-kubernetes-map-type`, given, suffix)];
  }
  const inner = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && inner !== undefined && inner !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-list-type`, inner, suffix)];
  }
  return [];
}

function validateMapList(schema: JsonSchema, keys: readonly string[], path: string): FieldError[] {
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) {
    return [required(at, "must not be empty if x-kubernetes-list-type is map")];
  }
  const { items } = schema;
  if (items === undefined) return [];
  if (items.type !== "object") {
    const problem = "must be object if parent array's x-kubernetes-list-type is map";
    return [invalid(`${path}.items.type`, items.type ?? "", problem)];
  }
  const errors = keys.every((key) => own(items.properties, key) !== undefined)
    ? []
    : [invalid(at, keys, "entries must all be names of item properties")];
  if (new Set(keys).size < keys.length) {
    errors.push(invalid(at, keys, "must not contain duplicate entries"));
  }
  return [...errors, ...[...new Set(keys)].flatMap((key) => validateKey(items, key, path))];
}

function validateKey(items: JsonSchema, key: string, path: string): FieldError[] {
  const property = own(items.properties, key);
  if (property === undefined) return [];
  const at = `${path}.items.properties[${key}]`;
  const errors: FieldError[] = [];
  if (!scalarTypes.includes(property.type ?? "")) {
    const problem = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(`${at}.type`, property.type ?? "", problem));
  }
  if (property.default === undefined && items.required?.includes(key) !== true) {
    const problem =
      "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
    errors.push(required(`${at}.default`, problem));
  }
  return errors;
}
