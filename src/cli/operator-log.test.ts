/** What the operator logs of what it could not do: no more than is so, and no more often than it helps. */
import { expect, test } from "vitest";
import { refused } from "../../test/builders/memory-server.ts";
import { ApiError } from "../api/status.ts";
import { operatorMetrics } from "../runtime/metrics.ts";
import { nameRequest } from "../runtime/request-name.ts";
import { observer, problemLog } from "./operator-log.ts";

function logged() {
  const lines: string[] = [];
  const at = (level: string) => (_details: unknown, text: string) =>
    void lines.push(`${level}: ${text}`);
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { lines, log: log as unknown as Parameters<typeof problemLog>[0] };
}

const events = "/api/v1/namespaces/team/events";

const problems: Record<
  string,
  { path: string; method?: "POST"; answer: ApiError; want: string[] }
> = {
  "a kind that is not served, asked for again and again": {
    path: "/apis/grove.io/v1alpha1/podcliquesets",
    answer: new ApiError({ ...refused(404, ""), message: "404 page not found" }),
    want: [
      "info: not served: its controller waits until it is (lockstep crds | kubectl apply -f -)",
    ],
  },
  "a list that is refused": {
    path: "/api/v1/pods",
    answer: new ApiError(refused(503, "ServiceUnavailable")),
    want: ["warn: trying again", "warn: trying again"],
  },
  "an event that is refused": {
    path: events,
    method: "POST",
    answer: new ApiError(refused(403, "Forbidden")),
    want: ["warn: an event is lost", "warn: an event is lost"],
  },
  "an event of a namespace that is gone": {
    path: events,
    method: "POST",
    answer: new ApiError({ ...refused(404, "NotFound"), details: { kind: "namespaces" } }),
    want: [],
  },
};

test.each(Object.entries(problems))("%s", (_name, { path, method, answer, want }) => {
  const { lines, log } = logged();
  const onProblem = problemLog(log);
  for (let time = 0; time < 2; time++)
    onProblem(nameRequest(answer, { method: method ?? "GET", path }));
  expect(lines).toEqual(want);
});

test("what is created in a namespace that is being deleted is no failure", () => {
  const { lines, log } = logged();
  const seen = observer(operatorMetrics(), log, "rolebasedgroup");
  const causes = [{ reason: "NamespaceTerminating", message: "", field: "metadata.namespace" }];
  const terminating = new ApiError({ ...refused(403, "Forbidden"), details: { causes } });
  seen.reconciled?.("team/chat", { durationMs: 1, error: terminating });
  seen.reconciled?.("team/chat", { durationMs: 1, error: new ApiError(refused(403, "Forbidden")) });
  expect(lines).toEqual(["info: its namespace is being deleted", "error: reconcile failed"]);
});
