/** The refusals of the API, worded and coded as Kubernetes does. */
import type { FieldError } from "../api/field-error.ts";
import { causeReasons, fieldErrorBody, invalidMessage } from "../api/field-error.ts";
import type { Resource } from "../api/resource.ts";
import { groupResource } from "../api/resource.ts";
import type { StatusCause, StatusDetails } from "../api/status.ts";
import { ApiError } from "../api/status.ts";

type Named = Pick<Resource, "group" | "plural">;
type Kinded = Pick<Resource, "group" | "kind">;

interface Failure {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: StatusDetails;
}

export function failure({ code, reason, message, details }: Failure): ApiError {
  return new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

export function detailsOf(resource: Named, name: string): StatusDetails {
  const group = resource.group === "" ? {} : { group: resource.group };
  return { ...(name === "" ? {} : { name }), ...group, kind: resource.plural };
}

export function notFound(resource: Named, name: string): ApiError {
  const message = `${groupResource(resource)} "${name}" not found`;
  return failure({ code: 404, reason: "NotFound", message, details: detailsOf(resource, name) });
}

/** A path inside a known group that names no resource. */
export function resourceNotFound(): ApiError {
  const message = "the server could not find the requested resource";
  return failure({ code: 404, reason: "NotFound", message, details: {} });
}

/** What needs a kubelet with containers: a 404 alone would look as if the pod were gone. */
export function noContainers(pod: string, subresource: string): ApiError {
  const message =
    `pods of the embedded cluster run no containers, so pod "${pod}" has no ${subresource}; ` +
    `its events say what it does: kubectl describe pod ${pod}`;
  return failure({ code: 404, reason: "NotFound", message, details: {} });
}

export function alreadyExists(resource: Named, name: string, prefix = ""): ApiError {
  const message = `${prefix}${groupResource(resource)} "${name}" already exists`;
  const details = detailsOf(resource, name);
  return failure({ code: 409, reason: "AlreadyExists", message, details });
}

export function conflict(resource: Named, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${groupResource(resource)} "${name}": ${why}`;
  return failure({ code: 409, reason: "Conflict", message, details: detailsOf(resource, name) });
}

export const modifiedSinceRead =
  "the object has been modified; please apply your changes to the latest version and try again";

export function badRequest(message: string): ApiError {
  return failure({ code: 400, reason: "BadRequest", message });
}

export function forbidden(
  resource: Named,
  name: string,
  why: string,
  causes?: StatusCause[],
): ApiError {
  const message = `${groupResource(resource)} "${name}" is forbidden: ${why}`;
  const details = { ...detailsOf(resource, name), ...(causes === undefined ? {} : { causes }) };
  return failure({ code: 403, reason: "Forbidden", message, details });
}

export function methodNotAllowed(): ApiError {
  const message = "the server does not allow this method on the requested resource";
  return failure({ code: 405, reason: "MethodNotAllowed", message, details: {} });
}

export function notAcceptable(accepted: string): ApiError {
  const message = `only the following media types are accepted: ${accepted}`;
  return failure({ code: 406, reason: "NotAcceptable", message });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message =
    "the body of the request was in an unknown format - accepted media types include: " +
    accepted.join(", ");
  return failure({ code: 415, reason: "UnsupportedMediaType", message });
}

/** A patch of a type that the resource does not take. */
export function unsupportedPatchType(): ApiError {
  const message = "415: Unsupported Media Type";
  return failure({ code: 415, reason: "UnsupportedMediaType", message });
}

export function entityTooLarge(message: string): ApiError {
  return failure({ code: 413, reason: "RequestEntityTooLarge", message });
}

export function expired(message: string): ApiError {
  return failure({ code: 410, reason: "Expired", message });
}

export function internalError(why: string): ApiError {
  const message = `Internal error occurred: ${why}`;
  const details = { causes: [{ message: why }] };
  return failure({ code: 500, reason: "InternalError", message, details });
}

/** For internal errors to which Kubernetes gives no reason. */
export function serverFault(message: string): ApiError {
  return failure({ code: 500, message });
}

/** In the words of the store of a real server. */
export const tooLargeToStore = (): ApiError => serverFault("etcdserver: request is too large");

/** A version that the server has not reached yet. */
export function versionTooLarge(asked: number, current: number): ApiError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  const details = { causes, retryAfterSeconds: 1 };
  return failure({ code: 504, reason: "Timeout", message, details });
}

export function invalid(kind: Kinded, name: string, errors: readonly FieldError[]): ApiError {
  const causes = errors.map((error) => ({
    reason: causeReasons[error.type],
    message: fieldErrorBody(error),
    field: error.field,
  }));
  const group = kind.group === "" ? {} : { group: kind.group };
  const named = name === "" ? {} : { name };
  const { status } = failure({
    code: 422,
    reason: "Invalid",
    message: invalidMessage(kind, name, errors),
    details: { ...named, ...group, kind: kind.kind, causes },
  });
  return new ApiError(status, errors);
}
