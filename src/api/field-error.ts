/** One thing wrong with one field, worded as Kubernetes words it. */

export type FieldErrorType =
  | "Required"
  | "Invalid"
  | "NotSupported"
  | "Duplicate"
  | "NotFound"
  | "Forbidden"
  | "TooLong"
  | "TooMany"
  | "TypeInvalid"
  | "Internal";

export interface FieldError {
  readonly type: FieldErrorType;
  /** Path from the object's root: `spec.containers[0].image`. */
  readonly field: string;
  /** The offending value; `undefined` prints nothing. */
  readonly value?: unknown;
  /** What is wrong and what would be right. */
  readonly detail?: string;
}

/** The value of `causes[].reason` in a Status. */
export const causeReasons: Record<FieldErrorType, string> = {
  Required: "FieldValueRequired",
  Invalid: "FieldValueInvalid",
  NotSupported: "FieldValueNotSupported",
  Duplicate: "FieldValueDuplicate",
  NotFound: "FieldValueNotFound",
  Forbidden: "FieldValueForbidden",
  TooLong: "FieldValueTooLong",
  TooMany: "FieldValueTooMany",
  TypeInvalid: "FieldValueTypeInvalid",
  Internal: "InternalError",
};
