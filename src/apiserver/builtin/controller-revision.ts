/** The rules of ControllerRevisions: their data never changes, their number may. */
import { invalid, required, type FieldError } from "../../api/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import { isSameJson } from "../../api/same-json.ts";
import { immutableProblem } from "../../api/problem-text.ts";
import { kindRules } from "./kind-rules.ts";
import { validateNonNegative } from "./number-rules.ts";

interface ControllerRevision extends KubeObject {
  data?: unknown;
  revision?: number;
}

export const controllerRevisionRules = kindRules<ControllerRevision>({
  applyDefaults(draft) {
    draft.revision ??= 0;
  },
  validate: (draft, old) => [
    ...validateNonNegative(draft.revision, "revision"),
    ...(old === undefined ? validateData(draft.data) : []),
  ],
  validateChange: (draft, old) =>
    isSameJson(draft.data, old.data) ? [] : [invalid("data", draft.data ?? null, immutableProblem)],
});

function validateData(data: unknown): FieldError[] {
  if (data === undefined || data === null) return [required("data", "data is mandatory")];
  if (typeof data === "object" && !Array.isArray(data)) return [];
  return [required("data", "data must be a valid JSON object")];
}
