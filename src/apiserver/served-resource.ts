/** What the server needs to know about a resource to serve it; built-in and custom resources both provide this. */
import type { NameCheck } from "../api/dns-name.ts";
import type { FieldError } from "../api/field-error.ts";
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";

export type JsonObject = Record<string, unknown>;

/** A body turned into a clean object of its own, with what strict validation would object to. */
export interface Decoded {
  readonly object: KubeObject;
  /** Worded as Kubernetes words them: `unknown field "spec.foo"`, `duplicate field "spec.bar"`. */
  readonly strictProblems: readonly string[];
}

/**
 * The value rules of one kind. A draft belongs to the request and may be changed in place;
 * `old` is the stored, frozen object. `subresource` is undefined for the object itself.
 */
export interface KindRules {
  /** What is the very same in `old` has its defaults already; it is frozen. */
  applyDefaults(draft: KubeObject, old?: KubeObject): void;
  /** Whether defaults, and what is prepared, leave alone what is the very same in the stored object. */
  readonly sharesUnchanged?: boolean;
  /** Clears or sets fields that clients cannot set, such as status on create. */
  prepareForCreate(draft: KubeObject): void;
  prepareForUpdate(draft: KubeObject, old: KubeObject, subresource?: string): void;
  validateCreate(draft: KubeObject): readonly FieldError[];
  validateUpdate(draft: KubeObject, old: KubeObject, subresource?: string): readonly FieldError[];
  /** Texts for `Warning` headers. */
  warnings?(draft: KubeObject, old?: KubeObject): readonly string[];
  /** Whether `metadata.generation` exists and follows changes outside metadata and status. */
  readonly tracksGeneration: boolean;
  /** The rule for names of this kind; a DNS subdomain if absent. */
  readonly checkName?: NameCheck;
  /** Finalizers that the first delete request adds, for the server's own clean-up. */
  readonly deletionFinalizer?: string;
  /** PUT on a missing object creates it (Lease and few others). */
  readonly createsOnUpdate?: boolean;
  /** Its own rules leave metadata to the server (events and disruption budgets). */
  readonly checksMetadataOnce?: boolean;
  /** PUT without a resourceVersion is refused (custom resources). */
  readonly updateNeedsVersion?: boolean;
}

export interface ScalePaths {
  /** JSON paths with a leading dot: `.spec.replicas`. */
  readonly specReplicas: string;
  readonly statusReplicas: string;
  readonly labelSelector?: string;
}

export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, 1 and above only with `-o wide`. */
  readonly priority: number;
}

export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** One cell per column. `nowMs` is what ages are measured against. */
  cells(object: KubeObject, nowMs: number): readonly unknown[];
}

export interface StorageForm {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  toStored(object: KubeObject): KubeObject;
  /** Never changes its argument, which is frozen. */
  fromStored(object: KubeObject): KubeObject;
  /** Whether what was written through this very resource is stored, and read, exactly as it was written. */
  readonly isAsWritten?: boolean;
}

export interface StrategicMerge {
  /** Never changes its arguments; the result may be anything that the patch makes of the object. */
  readonly merge: (original: JsonObject, patch: JsonObject) => JsonObject;
  /** The refusal of a result that is not an object of the kind. */
  readonly refusal: (merged: JsonObject, patch: JsonObject) => Error;
}

export interface OpenApiPart {
  /** `io.k8s.api.core.v1.Pod`. */
  readonly definition: string;
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

export interface ServedResource extends Resource {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Served beside the object: `status`, `scale`, `binding`, `eviction`. */
  readonly subresources: readonly string[];
  readonly scale?: ScalePaths;
  /** False where a whole collection cannot be deleted by one request. */
  readonly deletesCollections?: boolean;
  /** The warning that every answer carries, where the version is deprecated. */
  readonly deprecation?: string;
  readonly rules: KindRules;
  readonly printer: TablePrinter;
  /**
   * Throws ApiError (400) where the body cannot be an object of this kind at all. Shares with `body` only what is the
   * very same in `known`, the stored object that the body was made from; metadata never.
   */
  decode(body: JsonObject, known?: KubeObject): Decoded;
  /** Absent where strategic merge is not supported (custom resources: 415). */
  readonly strategicMerge?: StrategicMerge;
  /**
   * Fields that field selectors may name beyond metadata.name and metadata.namespace, with their values.
   * Every field is always there, empty where unset, even for an object that has nothing but metadata.
   */
  selectableFields?(object: KubeObject): Readonly<Record<string, string>>;
  /** Selectable fields by which lists and watches are found without a scan, such as spec.nodeName. */
  readonly indexedFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Items of a list carry kind and apiVersion (custom resources); those of built-in kinds do not. */
  readonly listItemsAreTyped?: boolean;
  /**
   * For a kind that is kept under another group or shape (events.k8s.io), or in another version
   * of the same group: where its objects live and how they turn into the stored form and back.
   */
  readonly storage?: StorageForm;
  /** Schemas of the kind for /openapi/v3, keyed by definition name, and the name of its own one. */
  openApi?(): OpenApiPart;
}
