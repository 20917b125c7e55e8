/** The resources that a CustomResourceDefinition defines: one per served version. */
import type { FieldError } from "../../api/field-error.ts";
import { invalid } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { forbidden } from "../errors.ts";
import { cannotBeHandled } from "../schema/decode.ts";
import { DecodeCursor, DecodeError } from "../schema/decode-cursor.ts";
import { newestFirst } from "../discovery/discovery.ts";
import { structDecoder } from "../schema/decoder.ts";
import type {
  Decoded,
  JsonObject,
  KindRules,
  ScalePaths,
  ServedResource,
} from "../served-resource.ts";
import { correlatedWith } from "./correlation.ts";
import type { Defaulter } from "./defaulting.ts";
import { compileDefaults } from "./defaulting.ts";
import type { CustomResourceDefinition, DefinitionVersion } from "./definition.ts";
import { validateEmbedded } from "./embedded-metadata.ts";
import { findFirst, parseJsonPath, valueText } from "./json-path.ts";
import type { JsonSchema } from "./json-schema.ts";
import { validateUniqueness } from "./list-uniqueness.ts";
import { openApiPart } from "./open-api.ts";
import { customPrinter } from "./printer.ts";
import { prune } from "./prune.ts";
import type { RuleNode } from "./rule-set.ts";
import { compileRuleSet } from "./rule-set.ts";
import type { Validator } from "./schema-validator.ts";
import { compileValidator } from "./schema-validator.ts";
import { validateRules } from "./validate-rules.ts";
import { nowhere, ValidationRun } from "./validation-run.ts";

/** The resources of a definition, in the order of its versions. Compiles every schema once. */
export function customResources(definition: CustomResourceDefinition): ServedResource[] {
  return definition.spec.versions
    .filter((version) => version.served)
    .map((version) => customResource(definition, version));
}

/** A version's schema in the forms that requests need. */
interface CompiledVersion {
  readonly schema: JsonSchema;
  readonly fillDefaults: Defaulter;
  readonly validate: Validator;
  readonly rules?: RuleNode;
}

const anything: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function compileVersion(version: DefinitionVersion): CompiledVersion {
  const schema = version.schema?.openAPIV3Schema ?? anything;
  const { metadata: _metadata, ...withoutMetadata } = schema.properties ?? {};
  return {
    schema,
    fillDefaults: compileDefaults({ ...schema, properties: withoutMetadata }),
    validate: compileValidator(schema),
    rules: compileRuleSet(schema).root,
  };
}

function customResource(
  definition: CustomResourceDefinition,
  version: DefinitionVersion,
): ServedResource {
  const { group, scope, names } = definition.spec;
  const compiled = compileVersion(version);
  const { kind, plural } = names;
  const identity = {
    group,
    version: version.name,
    plural,
    kind,
    namespaced: scope === "Namespaced",
  };
  const scale = scalePaths(version);
  const deprecation = deprecationOf(definition, version);
  const subresources = [
    ...(version.subresources?.status === undefined ? [] : ["status"]),
    ...(scale === undefined ? [] : ["scale"]),
  ];
  const fields = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath);
  return {
    ...identity,
    singular: names.singular ?? kind.toLowerCase(),
    listKind: names.listKind ?? `${kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources,
    ...(scale === undefined ? {} : { scale }),
    ...(deprecation === undefined ? {} : { deprecation }),
    rules: customRules(definition, version, compiled),
    printer: customPrinter(version),
    listItemsAreTyped: true,
    decode: (body, known) => decode(body, { identity, schema: compiled.schema, known }),
    selectableFields: (object) => selectedFields(fields, object),
    storage: storageForm(definition, version, compiled),
    openApi: () => openApiPart(definition, version),
  };
}

function scalePaths({ subresources }: DefinitionVersion): ScalePaths | undefined {
  const scale = subresources?.scale;
  if (scale === undefined) return undefined;
  return {
    specReplicas: scale.specReplicasPath,
    statusReplicas: scale.statusReplicasPath,
    ...(scale.labelSelectorPath === undefined ? {} : { labelSelector: scale.labelSelectorPath }),
  };
}

function selectedFields(paths: readonly string[], object: KubeObject): Record<string, string> {
  const entries = paths.map((path) => {
    return [path.replace(/^\./, ""), valueText(findFirst(parseJsonPath(path), object))];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

interface Identity {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const metadataDecoder = structDecoder("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");

interface DecodeOptions {
  readonly identity: Identity;
  readonly schema: JsonSchema;
  readonly known: KubeObject | undefined;
}

function decode(body: JsonObject, { identity, schema, known }: DecodeOptions): Decoded {
  const { value, unknownFields } = prune(body, schema, known);
  const { metadata, problems } = decodeMetadata(body["metadata"] ?? {}, identity, known);
  const pruned = value as JsonObject;
  const object: KubeObject = {
    ...pruned,
    apiVersion: apiVersionOf(identity),
    kind: identity.kind,
    metadata,
  };
  const unknown = unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`);
  return { object, strictProblems: [...problems, ...unknown] };
}

function decodeMetadata(value: unknown, identity: Identity, known: KubeObject | undefined) {
  const at = new DecodeCursor();
  try {
    const metadata = metadataDecoder.decode(value, at, known?.metadata) as KubeObject["metadata"];
    // Metadata is decoded separately, so its errors lack the path to it.
    const problems = at.problems.map((problem) => problem.replace('"', '"metadata.'));
    return { metadata, problems: [...new Set(problems)] };
  } catch (error) {
    if (error instanceof DecodeError) throw cannotBeHandled(identity, error.message);
    throw error;
  }
}

function customRules(
  definition: CustomResourceDefinition,
  version: DefinitionVersion,
  compiled: CompiledVersion,
): KindRules {
  const hasStatus = version.subresources?.status !== undefined;
  const isTerminating = definition.metadata.deletionTimestamp !== undefined;
  /** Filled by validation and read right after it, because a rule's warning costs an evaluation. */
  const ruleWarnings = new WeakMap<KubeObject, readonly string[]>();
  return {
    tracksGeneration: true,
    updateNeedsVersion: true,
    sharesUnchanged: true,
    applyDefaults: (draft, old) => compiled.fillDefaults(draft, old),
    prepareForCreate(draft) {
      if (isTerminating) {
        const { group, names } = definition.spec;
        const resource = { group, plural: names.plural };
        throw forbidden(resource, draft.metadata.name ?? "", noCreates);
      }
      if (hasStatus) delete draft["status"];
    },
    prepareForUpdate(draft, old, subresource) {
      if (subresource === "status") keepAllButStatus(draft, old);
      else if (hasStatus) keepField(draft, old, "status");
    },
    validateCreate: (draft) => validateObject(draft, undefined, compiled, version).errors,
    validateUpdate(draft, old) {
      const { errors, warnings } = validateObject(draft, old, compiled, version);
      ruleWarnings.set(draft, warnings);
      return errors;
    },
    warnings: (draft) => ruleWarnings.get(draft) ?? [],
  };
}

const noCreates = "create not allowed while custom resource definition is terminating";

function deprecationOf(
  { spec }: CustomResourceDefinition,
  version: DefinitionVersion,
): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = spec;
  const [newest] = versions
    .filter((other) => other.served && other.deprecated !== true)
    .map(({ name }) => name)
    .filter((name) => newestFirst(name, version.name) < 0)
    .toSorted(newestFirst);
  const problem = `${group}/${version.name} ${names.kind} is deprecated`;
  return newest === undefined ? problem : `${problem}; use ${group}/${newest} ${names.kind}`;
}

function keepField(draft: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete draft[field];
  else draft[field] = old[field];
}

/** A status write of a custom resource changes nothing but status, labels included. */
function keepAllButStatus(draft: KubeObject, old: KubeObject): void {
  const { resourceVersion = old.metadata.resourceVersion } = draft.metadata;
  for (const field of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (field !== "status") keepField(draft, old, field);
  }
  draft.metadata = { ...old.metadata, resourceVersion };
}

/** Errors after which rules cannot be evaluated safely on the object. */
const blocking = new Set(["NotSupported", "Required", "TooLong", "TooMany", "TypeInvalid"]);

const rulesNotRun =
  "some validation rules were not checked because the object was invalid; " +
  "correct the existing errors to complete validation";

interface Findings {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

function validateObject(
  object: KubeObject,
  old: KubeObject | undefined,
  { schema, validate, rules }: CompiledVersion,
  version: DefinitionVersion,
): Findings {
  const run = new ValidationRun();
  const { errors } = run;
  const correlation = correlatedWith(old);
  const isChecked = run.completes(() => {
    validate(object, "", run, correlation);
    run.add(...validateScale(object, version), ...validateEmbedded(object, schema));
    const repeated = validateUniqueness(object, schema);
    if (repeated.length === 0) return;
    // Lists that had duplicates before may keep them.
    if (old === undefined || validateUniqueness(old, schema).length === 0) run.add(...repeated);
  });
  if (rules === undefined || !isChecked) return { errors, warnings: [] };
  if (errors.some(({ type }) => blocking.has(type))) {
    return { errors: [...errors, invalid(nowhere, null, rulesNotRun)], warnings: [] };
  }
  const fromSchema = errors.length;
  let warnings: readonly string[] = [];
  run.completes(() => {
    warnings = validateRules(rules, object, correlation, run);
  });
  const fromRules = errors.slice(fromSchema).map(atRoot);
  return { errors: [...errors.slice(0, fromSchema), ...fromRules], warnings };
}

/** A rule on the whole object has no field to name. */
const atRoot = (error: FieldError): FieldError =>
  error.field === "" ? { ...error, field: nowhere } : error;

const maxReplicas = 2 ** 31 - 1;

function validateScale(object: KubeObject, { subresources }: DefinitionVersion): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  return [scale.specReplicasPath, scale.statusReplicasPath].flatMap((path) => {
    const value = findFirst(parseJsonPath(path), object);
    if (typeof value !== "number") return [];
    if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
    const problem = `should be less than or equal to ${maxReplicas}`;
    return value > maxReplicas ? [invalid(path, value, problem)] : [];
  });
}

/** All versions share the objects of the storage version; only `apiVersion` differs between them. */
function storageForm(
  definition: CustomResourceDefinition,
  version: DefinitionVersion,
  { schema, fillDefaults }: CompiledVersion,
): ServedResource["storage"] {
  const { group, names, versions } = definition.spec;
  const stored = versions.find((candidate) => candidate.storage) ?? version;
  const storedVersion = apiVersionOf({ group, version: stored.name });
  const apiVersion = apiVersionOf({ group, version: version.name });
  return {
    group,
    version: stored.name,
    plural: names.plural,
    // A default of the whole status would be filled in for a reader where the status was left out for the writer.
    isAsWritten: stored === version && schema.properties?.["status"]?.default === undefined,
    toStored: (object) =>
      object.apiVersion === storedVersion ? object : { ...object, apiVersion: storedVersion },
    // The schema may have changed since the object was written.
    fromStored(object) {
      const { value } = prune(object, schema);
      const form = { ...(value as KubeObject), apiVersion };
      fillDefaults(form);
      return form;
    },
  };
}
