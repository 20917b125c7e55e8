/** The shape of a CustomResourceDefinition (apiextensions.k8s.io/v1). */
import type { KubeObject } from "../../api/object.ts";
import type { JsonSchema } from "./json-schema.ts";

export interface DefinitionNames {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface DefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { readonly openAPIV3Schema?: JsonSchema };
  subresources?: { readonly status?: object; readonly scale?: ScaleSubresource };
  additionalPrinterColumns?: readonly PrinterColumn[];
  selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface DefinitionSpec {
  group: string;
  scope: string;
  names: DefinitionNames;
  versions: DefinitionVersion[];
  conversion?: { strategy: string; webhook?: unknown };
  preserveUnknownFields?: boolean;
}

export interface DefinitionCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  observedGeneration?: number;
}

export interface DefinitionStatus {
  conditions?: DefinitionCondition[];
  acceptedNames?: Partial<DefinitionNames>;
  storedVersions?: string[];
}

export interface CustomResourceDefinition extends KubeObject {
  spec: DefinitionSpec;
  status?: DefinitionStatus;
}

export function conditionOf(
  definition: CustomResourceDefinition,
  type: string,
): DefinitionCondition | undefined {
  return definition.status?.conditions?.find((condition) => condition.type === type);
}

export function isTrue(definition: CustomResourceDefinition, type: string): boolean {
  return conditionOf(definition, type)?.status === "True";
}

/** The finalizer that keeps a definition until its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";
