/** A kind of our own and the CustomResourceDefinition made from it. */
import type { z } from "zod";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import { groupResource } from "../resource.ts";
import { structuralSchema } from "./structural.ts";
import type { BuiltinSchema, JsonObject } from "./structural.ts";

export interface PrinterColumn {
  readonly name: string;
  readonly type: "integer" | "string" | "boolean" | "date";
  readonly jsonPath: string;
  /** Columns above 0 are shown by `-o wide` only. */
  readonly priority?: number;
  readonly description?: string;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface CustomKind {
  readonly resource: Resource;
  readonly description: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly PrinterColumn[];
  /** Absent where the kind has nothing but a status. */
  readonly spec?: z.ZodType;
  /** Whether an object may come without a spec. */
  readonly isSpecOptional?: true;
  readonly status: z.ZodType;
  readonly scale?: ScalePaths;
  /** Rules that look at the object's name as well as its spec. */
  readonly rules?: readonly Rule[];
}

/** One entry of `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression?: string;
  readonly fieldPath?: string;
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate";
  /** The rule runs on creation too; `oldSelf` is then an empty optional. */
  readonly optionalOldSelf?: true;
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: JsonObject;
}

export const customResourceDefinitionResource: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** What goes into a schema's `meta` for rules to be checked there. */
export const withRules = (rules: readonly Rule[]): JsonObject => ({
  "x-kubernetes-validations": rules,
});

export function definitionOf(kind: CustomKind, builtin: BuiltinSchema): CustomResourceDefinition {
  const { resource } = kind;
  const singular = resource.kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: groupResource(resource) },
    spec: {
      group: resource.group,
      scope: resource.namespaced ? "Namespaced" : "Cluster",
      names: {
        plural: resource.plural,
        singular,
        kind: resource.kind,
        listKind: `${resource.kind}List`,
        shortNames: kind.shortNames,
        categories: kind.categories,
      },
      versions: [
        {
          name: resource.version,
          served: true,
          storage: true,
          subresources: { status: {}, ...(kind.scale === undefined ? {} : { scale: kind.scale }) },
          additionalPrinterColumns: kind.columns,
          schema: { openAPIV3Schema: rootSchema(kind, builtin) },
        },
      ],
    },
  };
}

function rootSchema(kind: CustomKind, builtin: BuiltinSchema): JsonObject {
  return {
    type: "object",
    description: kind.description,
    ...(kind.spec === undefined || kind.isSpecOptional ? {} : { required: ["spec"] }),
    properties: {
      apiVersion: {
        type: "string",
        description: "The group and version this object is written in.",
      },
      kind: { type: "string", description: "The kind of this object." },
      metadata: { type: "object" },
      ...(kind.spec === undefined
        ? {}
        : { spec: { description: "What is wanted.", ...structuralSchema(kind.spec, builtin) } }),
      status: { description: "What was last observed.", ...structuralSchema(kind.status, builtin) },
    },
    ...(kind.rules === undefined ? {} : withRules(kind.rules)),
  };
}
