/** The options of a DELETE: from its body, or from the query if there is no body. */
import type { FieldError } from "../../api/field-error.ts";
import { badRequest, conflict, invalid } from "../errors.ts";
import { parameter } from "../request.ts";
import type { ApiRequest } from "../request.ts";
import type { KubeObject } from "../../api/object.ts";
import type { ServedResource } from "../served-resource.ts";
import { assertObjectMediaType, isDryRun, isJsonObject } from "./body.ts";

export type Propagation = "Background" | "Foreground" | "Orphan";

export interface DeletionRequest {
  readonly graceSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
}

export const plainDeletion: DeletionRequest = {
  graceSeconds: undefined,
  propagation: undefined,
  uid: undefined,
  resourceVersion: undefined,
  dryRun: false,
};

export function deletionRequest(request: ApiRequest): DeletionRequest {
  assertObjectMediaType(request);
  const body = request.body;
  if (body !== undefined && !isJsonObject(body)) {
    throw badRequest("the body of a delete must be DeleteOptions");
  }
  const options = body ?? {};
  const policy = options["propagationPolicy"] ?? parameter(request, "propagationPolicy");
  const legacyOrphan = options["orphanDependents"] ?? parameter(request, "orphanDependents");
  const grace = options["gracePeriodSeconds"] ?? parameter(request, "gracePeriodSeconds");
  const preconditions = isJsonObject(options["preconditions"]) ? options["preconditions"] : {};
  const dryRun = Array.isArray(options["dryRun"]) ? options["dryRun"] : undefined;
  assertValid(policy, legacyOrphan);
  return {
    graceSeconds: grace === undefined || grace === null ? undefined : Number(grace),
    propagation: propagationOf(policy, legacyOrphan),
    uid: text(preconditions["uid"]),
    resourceVersion: text(preconditions["resourceVersion"]),
    dryRun: isDryRun(request, dryRun),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function propagationOf(policy: unknown, legacyOrphan: unknown): Propagation | undefined {
  if (typeof policy === "string") return policy as Propagation;
  if (legacyOrphan === undefined || legacyOrphan === null) return undefined;
  return legacyOrphan === true || legacyOrphan === "true" ? "Orphan" : "Background";
}

function assertValid(policy: unknown, legacyOrphan: unknown): void {
  if (policy === undefined || policy === null) return;
  const errors: FieldError[] = [];
  if (legacyOrphan !== undefined && legacyOrphan !== null) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    errors.push({ type: "Invalid", field: "propagationPolicy", value: policy, detail });
  }
  if (policy !== "Background" && policy !== "Foreground" && policy !== "Orphan") {
    const detail = 'supported values: "Foreground", "Background", "Orphan", "nil"';
    errors.push({ type: "NotSupported", field: "propagationPolicy", value: policy, detail });
  }
  if (errors.length === 0) return;
  throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}

/** Preconditions are reported under the kind, unlike conflicts of an update. */
export function assertPreconditions(
  resource: ServedResource,
  { metadata }: KubeObject,
  { uid, resourceVersion }: DeletionRequest,
): void {
  const named = { group: resource.group, plural: resource.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    const why =
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). ` +
      "The object might have been deleted and then recreated";
    throw conflict(named, metadata.name ?? "", why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why =
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ` +
      `ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(named, metadata.name ?? "", why);
  }
}
