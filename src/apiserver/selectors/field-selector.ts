/** Field selectors as written in a query: `spec.nodeName=node-1,status.phase!=Failed`. */
import type { KubeObject } from "../../api/object.ts";
import { badRequest } from "../errors.ts";
import type { ServedResource } from "../served-resource.ts";

export interface FieldRequirement {
  readonly field: string;
  readonly equals: boolean;
  readonly value: string;
}

/** Empty where the text selects everything. Refuses with 400 unknown fields and what cannot be parsed. */
export function parseFieldSelector(
  text: string,
  resource: ServedResource,
): readonly FieldRequirement[] {
  const terms = splitUnescaped(text).filter((term) => term !== "");
  return terms.map((term) => {
    const requirement = parseTerm(term, text);
    assertSelectable(requirement.field, resource);
    return requirement;
  });
}

export function matchesFields(
  object: KubeObject,
  requirements: readonly FieldRequirement[],
  resource: ServedResource,
): boolean {
  if (requirements.length === 0) return true;
  const fields = fieldsOf(object, resource);
  return requirements.every(({ field, equals, value }) => (fields[field] === value) === equals);
}

function fieldsOf(object: KubeObject, resource: ServedResource): Readonly<Record<string, string>> {
  const { name = "", namespace = "" } = object.metadata;
  const own = resource.selectableFields?.(object) ?? {};
  return { ...own, "metadata.name": name, "metadata.namespace": namespace };
}

function assertSelectable(field: string, resource: ServedResource): void {
  if (field === "metadata.name" || field === "metadata.namespace") return;
  if (resource.selectableFields === undefined) {
    throw badRequest(
      `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
  if (Object.hasOwn(resource.selectableFields({ metadata: {} }), field)) return;
  throw badRequest(`field label not supported: ${field}`);
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /^((?:\\.|[^\\=!])*)(==|!=|=)(.*)$/s.exec(term);
  if (match === null) {
    throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
  }
  const [, field = "", operator, value = ""] = match;
  return { field, equals: operator !== "!=", value: unescaped(value) };
}

/** Splits at commas; a backslash escapes the next character. */
function splitUnescaped(text: string): readonly string[] {
  const terms: string[] = [];
  let term = "";
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === ",") {
      terms.push(term);
      term = "";
      continue;
    }
    term += character;
    if (character === "\\") term += text.charAt(++index);
  }
  return [...terms, term];
}

function unescaped(value: string): string {
  return value.replaceAll(/\\([\\,=])/g, "$1");
}
