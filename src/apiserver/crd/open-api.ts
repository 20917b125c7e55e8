/** The OpenAPI v3 schemas of a custom resource, as kubectl explain and apply read them. */
import type { JsonObject, OpenApiPart } from "../served-resource.ts";
import type { CustomResourceDefinition, DefinitionVersion } from "./definition.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isMap } from "./json-schema.ts";

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const listMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
const schemaReference = (definition: string): JsonObject => ({
  $ref: `#/components/schemas/${definition}`,
});

const apiVersionText = "The group and version this object is written in.";
const kindText = "The kind of this object.";

export function openApiPart(
  { spec }: CustomResourceDefinition,
  version: DefinitionVersion,
): OpenApiPart {
  const { group, names } = spec;
  const definition = `${group.split(".").toReversed().join(".")}.${version.name}.${names.kind}`;
  const listKind = names.listKind ?? `${names.kind}List`;
  const kindOf = (kind: string): JsonObject => ({ group, kind, version: version.name });
  return {
    definition,
    schemas: {
      [definition]: {
        ...openApiSchema(version),
        "x-kubernetes-group-version-kind": [kindOf(names.kind)],
      },
      [`${definition}List`]: {
        description: `${listKind} is a list of ${names.kind}`,
        type: "object",
        required: ["items"],
        properties: {
          ...typeProperties,
          items: {
            description: `The ${names.plural}.`,
            type: "array",
            items: schemaReference(definition),
          },
          metadata: { allOf: [schemaReference(listMeta)] },
        },
        "x-kubernetes-group-version-kind": [kindOf(listKind)],
      },
    },
  };
}

const typeProperties: JsonObject = {
  apiVersion: { description: apiVersionText, type: "string" },
  kind: { description: kindText, type: "string" },
};

/** The version's schema with the fields every object has. */
export function openApiSchema(version: DefinitionVersion): JsonObject {
  const schema: JsonSchema = version.schema?.openAPIV3Schema ?? { type: "object" };
  const published = publish(schema) as JsonObject;
  const metadata = {
    description: "Name, labels and what else every object carries.",
    allOf: [schemaReference(objectMeta)],
  };
  const properties = published["properties"];
  return {
    ...published,
    properties: { ...typeProperties, ...(isMap(properties) ? properties : {}), metadata },
  };
}

/** Schemas are published as they are, except that embedded resources get the fields every object has. */
function publish(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publish);
  if (!isMap(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, publish(part)]));
  if (value["x-kubernetes-embedded-resource"] !== true) return copy;
  const listed = isMap(copy["properties"]) ? copy["properties"] : {};
  const metadata = { allOf: [schemaReference(objectMeta)] };
  return { ...copy, properties: { ...typeProperties, ...listed, metadata } };
}
