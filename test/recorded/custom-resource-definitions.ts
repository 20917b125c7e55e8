/** Definitions, good and bad, whose answers are recorded from a real kube-apiserver. */
import type { CustomResourceDefinition } from "../../src/apiserver/crd/definition.ts";

export interface DefinitionCase {
  readonly definition: CustomResourceDefinition;
  /** Present: the definition is created first, then updated to this. */
  readonly update?: CustomResourceDefinition;
}

export const definitionCases: Record<string, DefinitionCase> = {};
