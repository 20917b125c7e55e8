/** The rules of PersistentVolumeClaims. */
import { forbidden, type FieldError } from "../../api/field-error.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import type { KubeObject } from "../../api/object.ts";
import { compareQuantities, quantity } from "../../api/quantity.ts";
import { defaultClaimSpec, validateClaimSpec } from "./claim-spec.ts";
import { kindRules } from "./kind-rules.ts";
import type { ClaimSpec, DataSource, ResourceList } from "./pod-types.ts";
import { defaultResourceList } from "./resource-defaults.ts";

interface Claim extends KubeObject {
  spec: ClaimSpec;
  status?: { phase?: string; capacity?: ResourceList };
}

export const volumeClaimRules = kindRules<Claim>({
  initialStatus: () => ({ phase: "Pending" }),
  applyDefaults(draft) {
    draft.spec ??= {};
    const status = (draft.status ??= {});
    status.phase ||= "Pending";
    defaultClaimSpec(draft.spec);
    defaultResourceList(status.capacity);
  },
  prepare({ spec }) {
    if (spec.dataSource !== undefined && !isKnownSource(spec.dataSource)) delete spec.dataSource;
    joinDataSources(spec);
  },
  validate: ({ spec }) => validateClaimSpec(spec, "spec"),
  validateChange: (draft, old) => validateImmutableSpec(draft, old),
});

/** Other sources have to be given as dataSourceRef; here they are silently dropped. */
function isKnownSource({ apiGroup, kind }: DataSource): boolean {
  if ((apiGroup ?? "") === "") return kind === "PersistentVolumeClaim";
  return apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot";
}

/** The same source may be given under either name; both are then shown. */
function joinDataSources(spec: ClaimSpec): void {
  if (spec.dataSource !== undefined && spec.dataSourceRef === undefined) {
    spec.dataSourceRef = { ...spec.dataSource };
  } else if (
    spec.dataSource === undefined &&
    spec.dataSourceRef !== undefined &&
    (spec.dataSourceRef.namespace ?? "") === ""
  ) {
    const { namespace: _namespace, ...source } = spec.dataSourceRef;
    spec.dataSource = source;
  }
}

function validateImmutableSpec(draft: Claim, old: Claim): FieldError[] {
  const isBound = draft.status?.phase === "Bound";
  const undone: ClaimSpec = { ...draft.spec };
  if ((old.spec.volumeName ?? "") === "") undone.volumeName = old.spec.volumeName;
  if (isBound) {
    undone.volumeAttributesClassName = old.spec.volumeAttributesClassName;
    undone.resources = { ...draft.spec.resources, requests: old.spec.resources?.requests };
  }
  const errors: FieldError[] = [];
  if (!semanticallyEqual(undone, old.spec)) {
    const detail =
      "spec is immutable after creation except resources.requests " +
      "and volumeAttributesClassName for bound claims";
    errors.push(forbidden("spec", detail));
  }
  const size = storageOf(draft.spec.resources?.requests);
  const shrinks = compareQuantities(size, storageOf(old.spec.resources?.requests)) < 0;
  if (shrinks && compareQuantities(size, storageOf(old.status?.capacity)) <= 0) {
    const detail = "field can not be less than status.capacity";
    errors.push(forbidden("spec.resources.requests.storage", detail));
  }
  return errors;
}

function storageOf(list: ResourceList | undefined) {
  return quantity(list?.["storage"] ?? "0");
}
