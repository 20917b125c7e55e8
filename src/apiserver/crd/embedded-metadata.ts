/** Checks the type and metadata of whole objects embedded in a custom resource. */
import { dns1123SubdomainProblems } from "../../api/dns-name.ts";
import type { FieldError } from "../../api/field-error.ts";
import { invalid, required } from "../../api/field-error.ts";
import { validateAnnotations, validateLabels } from "../../api/label-syntax.ts";
import { validateOwnerReferences } from "../../api/object-meta.ts";
import type { ObjectMeta } from "../../api/object.ts";
import type { JsonMap, JsonSchema } from "./json-schema.ts";
import { childPath, isMap, own, propertySchema, valueSchema } from "./json-schema.ts";

export function validateEmbedded(value: unknown, schema: JsonSchema, path = ""): FieldError[] {
  if (!hasEmbedded(schema)) return [];
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => validateEmbedded(item, items, `${path}[${index}]`));
  }
  if (!isMap(value)) return [];
  const self = schema["x-kubernetes-embedded-resource"] === true ? validateObject(value, path) : [];
  const parts = Object.entries(value).flatMap(([key, part]) => {
    const known = propertySchema(schema, key);
    if (known === undefined) return [];
    const isListed = own(schema.properties, key) !== undefined;
    return validateEmbedded(part, known, isListed ? childPath(path, key) : `${path}[${key}]`);
  });
  return [...self, ...parts];
}

const answers = new WeakMap<JsonSchema, boolean>();

/** Memoized per schema, because hardly any schema has them and every write asks. */
function hasEmbedded(schema: JsonSchema): boolean {
  const known = answers.get(schema);
  if (known !== undefined) return known;
  const parts = [...Object.values(schema.properties ?? {}), schema.items, valueSchema(schema)];
  const answer =
    schema["x-kubernetes-embedded-resource"] === true ||
    parts.some((part) => part !== undefined && hasEmbedded(part));
  answers.set(schema, answer);
  return answer;
}

function validateObject(object: JsonMap, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!isText(object["apiVersion"])) errors.push(required(childPath(path, "apiVersion")));
  else if (object["apiVersion"].split("/").length > 2) {
    const detail = "must be of the form <group>/<version> or <version>";
    errors.push(invalid(childPath(path, "apiVersion"), object["apiVersion"], detail));
  }
  if (!isText(object["kind"])) errors.push(required(childPath(path, "kind")));
  const { metadata } = object;
  if (!isMap(metadata)) return errors;
  return [...errors, ...validateMetadata(metadata, childPath(path, "metadata"))];
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function validateMetadata(metadata: JsonMap, path: string): FieldError[] {
  const meta = metadata as ObjectMeta;
  const names = isText(meta.name)
    ? dns1123SubdomainProblems(meta.name).map((problem) =>
        invalid(`${path}.name`, meta.name, problem),
      )
    : [];
  return [
    ...names,
    ...validateLabels(meta.labels, `${path}.labels`),
    ...validateAnnotations(meta.annotations, `${path}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences ?? [], `${path}.ownerReferences`),
  ];
}
