/** The refusals of patches, with the codes and words of a real server. */
import type { ApiError } from "../../api/status.ts";
import { failure } from "../errors.ts";

export function malformedPatch(message: string): ApiError {
  return failure({ code: 400, reason: "BadRequest", message });
}

export function tooManyOperations(limit: number, count: number): ApiError {
  const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${limit}, got ${count}`;
  return failure({ code: 413, reason: "RequestEntityTooLarge", message });
}

/** A JSON patch that cannot be applied to the object: the real server says no more than this. */
export function inapplicablePatch(): ApiError {
  const message = "the server rejected our request due to an error in our request";
  return failure({ code: 422, reason: "Invalid", message, details: {} });
}

/** A strategic merge patch that makes no sense; these are server errors without a reason upstream. */
export function invalidPatch(message: string): ApiError {
  return failure({ code: 500, message });
}

/** A patch whose result is not an object of the kind. `shown` is the patch or its result as text. */
export function unreadableResult(shown: string, problem: string): ApiError {
  const message = `Invalid value: ${JSON.stringify(shown)}: ${problem}`;
  return failure({
    code: 422,
    reason: "Invalid",
    message: ` "" is invalid: patch: ${message}`,
    details: { causes: [{ reason: "FieldValueInvalid", message, field: "patch" }] },
  });
}
