/** Builds the rules of a kind from its specifics, and separates writes of spec and status. */
import type { NameCheck } from "../../api/dns-name.ts";
import type { FieldError } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import type { KindRules } from "../served-resource.ts";
import { validateFinalizerNames } from "./builtin-meta.ts";

export interface KindTraits<T extends KubeObject> {
  readonly tracksGeneration?: boolean;
  readonly checkName?: NameCheck;
  readonly createsOnUpdate?: boolean;
  readonly checksMetadataOnce?: boolean;
  /** The status of a new object; absent if the kind has no status that is written separately. */
  readonly initialStatus?: (draft: T) => object;
  applyDefaults?(draft: T): void;
  /** Its defaults, and what is prepared, concern the spec alone. */
  readonly defaultsSpecOnly?: boolean;
  /** `old` is absent on create. */
  prepare?(draft: T, old?: T): void;
  /** Value rules that hold at any time; `old` is absent on create. */
  validate?(draft: T, old?: T): readonly FieldError[];
  validateChange?(draft: T, old: T): readonly FieldError[];
  validateStatus?(draft: T, old: T): readonly FieldError[];
  readonly warnings?: (draft: T, old?: T) => readonly string[];
}

export function kindRules<T extends KubeObject>(traits: KindTraits<T>): KindRules {
  const { checkName, createsOnUpdate, checksMetadataOnce, warnings } = traits;
  return {
    tracksGeneration: traits.tracksGeneration ?? false,
    ...(checkName === undefined ? {} : { checkName }),
    ...(createsOnUpdate === undefined ? {} : { createsOnUpdate }),
    ...(checksMetadataOnce === undefined ? {} : { checksMetadataOnce }),
    ...(warnings === undefined
      ? {}
      : { warnings: (draft, old) => warnings(draft as T, old as T | undefined) }),
    sharesUnchanged: traits.defaultsSpecOnly === true,
    applyDefaults(draft, old) {
      const isDefaulted = traits.defaultsSpecOnly === true && hasSameSpec(draft, old);
      if (!isDefaulted) traits.applyDefaults?.(draft as T);
    },
    prepareForCreate(draft) {
      if (traits.initialStatus !== undefined) draft["status"] = traits.initialStatus(draft as T);
      traits.prepare?.(draft as T);
    },
    prepareForUpdate(draft, old, subresource) {
      if (subresource === "status") keepAllButStatus(draft, old);
      else if (traits.initialStatus !== undefined) keepField(draft, old, "status");
      if (subresource === undefined) traits.prepare?.(draft as T, old as T);
    },
    validateCreate: (draft) => [
      ...validateFinalizerNames(draft),
      ...(traits.validate?.(draft as T) ?? []),
    ],
    validateUpdate(draft, old, subresource) {
      const named = validateFinalizerNames(draft);
      if (subresource === "status") {
        return [...named, ...(traits.validateStatus?.(draft as T, old as T) ?? [])];
      }
      return [
        ...named,
        ...(traits.validate?.(draft as T, old as T) ?? []),
        ...(traits.validateChange?.(draft as T, old as T) ?? []),
      ];
    },
  };
}

/** A spec that a patch has left alone is that of the stored object, frozen and with its defaults. */
export const hasSameSpec = (draft: KubeObject, old: KubeObject | undefined): boolean =>
  draft["spec"] !== undefined && draft["spec"] === old?.["spec"];

/** Metadata may be written through the status of built-in kinds, the rest may not. */
function keepAllButStatus(draft: KubeObject, old: KubeObject): void {
  for (const field of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (field !== "metadata" && field !== "status") keepField(draft, old, field);
  }
}

function keepField(draft: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete draft[field];
  else draft[field] = old[field];
}
