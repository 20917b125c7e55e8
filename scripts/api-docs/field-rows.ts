/** The fields of a custom resource definition as rows: path, type, description. */
import type { CustomResourceDefinition } from "../../src/api/definition/custom-kind.ts";

type Schema = Readonly<Record<string, unknown>>;

export interface FieldRow {
  /** `spec.template.cliques[].name`. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export interface FieldOptions {
  /** Whether to go into types of Kubernetes itself, such as PodSpec. */
  readonly withPodFields: boolean;
}

/** Places whose fields are those of a type of Kubernetes. */
const foreignEnds = /(^|\.)(podSpec|roles\[\]\.template|metrics\[\]|conditions\[\])$/;

export function fieldsOf(
  definition: CustomResourceDefinition,
  { withPodFields }: FieldOptions,
): FieldRow[] {
  const [version] = definition.spec["versions"] as readonly {
    readonly schema: { readonly openAPIV3Schema: Schema };
  }[];
  const { spec, status } = propertiesOf(version?.schema.openAPIV3Schema);
  const rows: FieldRow[] = [];
  const walk = (schema: Schema | undefined, path: string): void => {
    if (schema === undefined || (!withPodFields && foreignEnds.test(path))) return;
    const required = (schema["required"] ?? []) as readonly string[];
    for (const [name, field] of Object.entries(propertiesOf(schema))) {
      const at = `${path}.${name}`;
      rows.push({
        path: at,
        type: typeOf(field),
        description: descriptionOf(field),
        isRequired: required.includes(name),
      });
      walk(field, at);
    }
    walk(schema["items"] as Schema | undefined, `${path}[]`);
    const values = schema["additionalProperties"];
    if (typeof values === "object" && values !== null) walk(values as Schema, `${path}.*`);
  };
  walk(spec, "spec");
  walk(status, "status");
  return rows;
}

const propertiesOf = (schema: Schema | undefined): Readonly<Record<string, Schema>> =>
  (schema?.["properties"] ?? {}) as Readonly<Record<string, Schema>>;

/** A list may be described where its items are. */
function descriptionOf(schema: Schema): string {
  const own = schema["description"];
  const items = (schema["items"] as Schema | undefined)?.["description"];
  return typeof own === "string" ? own : typeof items === "string" ? items : "";
}

function typeOf(schema: Schema): string {
  if (schema["x-kubernetes-int-or-string"] === true) return "number or text";
  const choices = schema["enum"] as readonly string[] | undefined;
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(", ");
  switch (schema["type"]) {
    case "array":
      return `list of ${typeOf(schema["items"] as Schema)}`;
    case "object":
      return schema["additionalProperties"] === undefined ? "object" : "map";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "true or false";
    case "string":
      return schema["format"] === "date-time" ? "time" : "text";
    default:
      return "any";
  }
}
