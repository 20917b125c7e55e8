/** The rules of ResourceClaims and their templates: an immutable spec, and default counts. */
import { duplicate, invalid, required, type FieldError } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import { immutableProblem } from "../../api/problem-text.ts";
import { isSameJson } from "../../api/same-json.ts";
import { kindRules } from "./kind-rules.ts";

interface ExactRequest {
  deviceClassName?: string;
  allocationMode?: string;
  count?: number;
  selectors?: unknown;
  adminAccess?: boolean;
  tolerations?: unknown;
  capacity?: unknown;
}

interface DeviceRequest {
  name?: string;
  exactly?: ExactRequest;
  firstAvailable?: ExactRequest[];
}

interface ClaimSpec {
  devices?: { requests?: DeviceRequest[]; constraints?: unknown; config?: unknown };
}

interface Claim extends KubeObject {
  spec?: ClaimSpec;
}

interface ClaimTemplate extends KubeObject {
  spec?: { spec?: ClaimSpec };
}

export const deviceClaimRules = kindRules<Claim>({
  initialStatus: () => ({}),
  applyDefaults: ({ spec }) => defaultCounts(spec),
  validate: ({ spec }) => validateClaimSpec(spec, "spec"),
  validateChange: (draft, old) =>
    isSameJson(draft.spec, old.spec)
      ? []
      : [invalid("spec", shownClaim(draft.spec), immutableProblem)],
});

export const deviceClaimTemplateRules = kindRules<ClaimTemplate>({
  applyDefaults: ({ spec }) => defaultCounts(spec?.spec),
  validate: ({ spec }) => validateClaimSpec(spec?.spec, "spec.spec"),
  validateChange: (draft, old) =>
    isSameJson(draft.spec, old.spec) ? [] : [invalid("spec", draft.spec, immutableProblem)],
});

/** The message shows the whole spec under the server's own field names. */
function shownClaim(spec: ClaimSpec | undefined): unknown {
  const { requests, constraints, config } = spec?.devices ?? {};
  const Requests = requests?.map(({ name, exactly, firstAvailable }) => ({
    Name: name ?? "",
    Exactly: exactly === undefined ? null : shownRequest(exactly),
    FirstAvailable: firstAvailable ?? null,
  }));
  const rest = { Constraints: constraints ?? null, Config: config ?? null };
  return { Devices: { Requests: Requests ?? null, ...rest } };
}

const shownRequest = (exactly: ExactRequest): unknown => ({
  DeviceClassName: exactly.deviceClassName ?? "",
  Selectors: exactly.selectors ?? null,
  AllocationMode: exactly.allocationMode ?? "",
  Count: exactly.count ?? 0,
  AdminAccess: exactly.adminAccess ?? null,
  Tolerations: exactly.tolerations ?? null,
  Capacity: exactly.capacity ?? null,
});

function defaultCounts(spec: ClaimSpec | undefined): void {
  const requests = spec?.devices?.requests ?? [];
  for (const part of requests.flatMap(({ exactly, firstAvailable = [] }) =>
    exactly === undefined ? firstAvailable : [exactly],
  )) {
    part.allocationMode ??= "ExactCount";
    if (part.allocationMode === "ExactCount") part.count ??= 1;
  }
}

function validateClaimSpec(spec: ClaimSpec | undefined, path: string): FieldError[] {
  const requests = spec?.devices?.requests ?? [];
  return requests.flatMap(({ name = "", exactly }, index) => {
    const at = `${path}.devices.requests[${index}]`;
    const isTwice = requests.findIndex((request) => request.name === name) < index;
    const isUnclassed = exactly !== undefined && (exactly.deviceClassName ?? "") === "";
    return [
      ...(name === "" ? [required(`${at}.name`)] : []),
      ...(name !== "" && isTwice ? [duplicate(at, name)] : []),
      ...(isUnclassed ? [required(`${at}.exactly.deviceClassName`)] : []),
    ];
  });
}
