/** The options of a DELETE: from its body, or from the query if there is no body. */
import type { FieldError } from "../../api/field-error.ts";
import { badRequest, conflict, invalid } from "../errors.ts";
import { flag, parameter, parseInteger } from "../request.ts";
import type { ApiRequest } from "../request.ts";
import type { KubeObject } from "../../api/object.ts";
import { describeJson } from "../schema/decode-cursor.ts";
import { decoderOf, UnreadableBodyError } from "../schema/decode.ts";
import type { JsonObject, ServedResource } from "../served-resource.ts";
import { assertObjectMediaType, isDryRun, isJsonObject } from "./body.ts";
import { shapeProblem, text } from "./body-type.ts";

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

/** A body counts alone: what it leaves out is not taken from the query. */
export function deletionRequest(request: ApiRequest): DeletionRequest {
  assertObjectMediaType(request);
  const options = isWithoutBody(request) ? optionsInQuery(request) : optionsInBody(request);
  const { propagationPolicy: policy, orphanDependents, preconditions } = options;
  const dryRun = options.dryRun ?? [];
  assertValid(policy, orphanDependents);
  return {
    graceSeconds: options.gracePeriodSeconds ?? undefined,
    propagation: propagationOf(policy, orphanDependents),
    uid: preconditions?.uid ?? undefined,
    resourceVersion: preconditions?.resourceVersion ?? undefined,
    dryRun: dryRun.length > 0 && isDryRun(request, dryRun),
  };
}

/** As Go reads it: null is as good as nothing. */
interface DeleteOptions {
  readonly gracePeriodSeconds?: number | null;
  readonly propagationPolicy?: string | null;
  readonly orphanDependents?: boolean | null;
  readonly preconditions?: {
    readonly uid?: string | null;
    readonly resourceVersion?: string | null;
  } | null;
  readonly dryRun?: readonly string[] | null;
}

const isWithoutBody = ({ body, bodyText = "", bodyProblem }: ApiRequest): boolean =>
  body === undefined && bodyText === "" && bodyProblem === undefined;

function optionsInQuery(request: ApiRequest): DeleteOptions {
  const { query } = request;
  const given = (name: string): string | undefined =>
    Object.hasOwn(query, name) ? query[name] : undefined;
  const grace = given("gracePeriodSeconds");
  const orphan = parameter(request, "orphanDependents");
  const dryRun = given("dryRun");
  return {
    ...(grace !== undefined && { gracePeriodSeconds: parseInteger(grace) }),
    ...(orphan !== undefined && { orphanDependents: flag(request, "orphanDependents") }),
    propagationPolicy: given("propagationPolicy") ?? null,
    dryRun: dryRun === undefined ? null : [dryRun],
  };
}

const decode = decoderOf({ group: "", version: "v1", kind: "DeleteOptions" });

/** A precondition that cannot be read must not be lost: what was to be deleted would not be what is. */
function optionsInBody(request: ApiRequest): DeleteOptions {
  const { body, bodyProblem } = request;
  if (bodyProblem !== undefined) throw badRequest(`${unreadable}${bodyProblem}`);
  if (body === null) return {};
  if (!isJsonObject(body)) throw badRequest(`${unreadable}${shapeProblem(body)}`);
  assertIsDeleteOptions(body);
  try {
    return decode(body).object as DeleteOptions;
  } catch (error) {
    throw error instanceof UnreadableBodyError ? badRequest(error.problem) : error;
  }
}

const unreadable = "couldn't get version/kind; json parse error: ";

/** Every group has them, so their version says nothing. */
function assertIsDeleteOptions(body: JsonObject): void {
  for (const field of ["apiVersion", "kind"]) {
    const value = body[field] ?? "";
    if (typeof value === "string") continue;
    const into = `Go struct field .${field} of type string`;
    throw badRequest(`${unreadable}json: cannot unmarshal ${describeJson(value)} into ${into}`);
  }
  const kind = text(body["kind"]);
  if (kind === "" || kind === "DeleteOptions") return;
  const version = text(body["apiVersion"]) || "meta.k8s.io/v1";
  throw badRequest(
    `no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function propagationOf(policy: unknown, legacyOrphan: unknown): Propagation | undefined {
  if (typeof policy === "string") return policy as Propagation;
  if (legacyOrphan === undefined || legacyOrphan === null) return undefined;
  return legacyOrphan === true ? "Orphan" : "Background";
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
