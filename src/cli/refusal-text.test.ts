import { expect, test } from "vitest";
import { ApiError } from "../api/status.ts";
import type { Status, StatusDetails } from "../api/status.ts";
import { refusalText } from "./refusal-text.ts";

const refusal = (details: StatusDetails | undefined, more: Partial<Status> = {}): ApiError =>
  new ApiError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "the server rejected our request due to an error in our request",
    reason: "Invalid",
    code: 422,
    ...(details === undefined ? {} : { details }),
    ...more,
  });

const cause = { field: "spec.a", message: "Required value", reason: "FieldValueRequired" };

const cases: Record<string, { given: ApiError; want: string }> = {
  "an object and its field": {
    given: refusal({ kind: "Pod", name: "web", causes: [cause] }),
    want: 'The Pod "web" is invalid: spec.a: Required value',
  },
  "an object without a name": {
    given: refusal({ kind: "Pod", causes: [cause] }),
    want: "The Pod is invalid: spec.a: Required value",
  },
  "no object at all": {
    given: refusal({}),
    want: "Error from server (Invalid): the server rejected our request due to an error in our request",
  },
  "no details": {
    given: refusal(undefined, { reason: undefined, message: "no", code: 500 }),
    want: "Error from server (500): no",
  },
  "a cause without a field": {
    given: refusal({ kind: "Pod", name: "web", causes: [{ message: "no" }] }),
    want: 'The Pod "web" is invalid: no',
  },
  "control characters in what the server says": {
    given: refusal({ kind: "Pod", name: "\u001b[2J", causes: [] }),
    want: String.raw`The Pod "\u001b[2J" is invalid`,
  },
};

test.each(Object.entries(cases))(
  "a refusal names what there is: %s",
  (_sentence, { given, want }) => {
    expect(refusalText(given)).toBe(want);
  },
);
