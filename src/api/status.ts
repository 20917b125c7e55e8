/** The API's answer when something is refused, and the error that carries it. */
import type { FieldError } from "./field-error.ts";

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, unknown>;
  status: "Success" | "Failure";
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code: number;
}

/** A request the API server refused. `reason` and `code` are what callers branch on. */
export class ApiError extends Error {
  readonly status: Status;
  /** Kept for tests and logs: the field errors behind an Invalid status, where known. */
  readonly fieldErrors: readonly FieldError[];

  constructor(status: Status, fieldErrors: readonly FieldError[] = []) {
    super(status.message ?? status.reason ?? `HTTP ${status.code}`);
    this.name = "ApiError";
    this.status = status;
    this.fieldErrors = fieldErrors;
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): string {
    return this.status.reason ?? "";
  }
}

export function isApiError(error: unknown, reason?: string): error is ApiError {
  return error instanceof ApiError && (reason === undefined || error.reason === reason);
}

export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 404;
}

export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 403;
}

export function isConflict(error: unknown): error is ApiError {
  return isApiError(error, "Conflict");
}

export function isAlreadyExists(error: unknown): error is ApiError {
  return isApiError(error, "AlreadyExists");
}

/** Nothing can be created there: the namespace is being deleted, or gone. */
export function isNamespaceGone(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { kind, causes = [] } = error.status.details ?? {};
  const isTerminating = causes.some(({ reason }) => reason === "NamespaceTerminating");
  return isTerminating || (error.code === 404 && kind === "namespaces");
}
