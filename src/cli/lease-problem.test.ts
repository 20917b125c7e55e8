import { expect, test } from "vitest";
import { ApiError } from "../api/status.ts";
import { leaseProblem } from "./lease-problem.ts";

const lease = { namespace: "kube-system", name: "lockstep" };

const refusal = (code: number, message: string): ApiError =>
  new ApiError({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    message,
    reason: "",
    metadata: {},
  });

const cases: Record<string, { given: Error; want: string }> = {
  "a denied lease names the flag": {
    given: refusal(403, 'leases.coordination.k8s.io "lockstep" is forbidden'),
    want:
      "the lease kube-system/lockstep may not be used, so nothing is reconciled: " +
      'leases.coordination.k8s.io "lockstep" is forbidden; apply the Role of deploy/operator.yaml ' +
      "there, or choose a namespace that has one with --lease-namespace",
  },
  "so does a missing namespace": {
    given: refusal(404, 'namespaces "kube-system" not found'),
    want:
      "the lease kube-system/lockstep cannot be created, so nothing is reconciled: " +
      'namespaces "kube-system" not found; create the namespace kube-system, or choose another ' +
      "one with --lease-namespace",
  },
  "a busy server is left as it is": { given: refusal(503, "busy"), want: "busy" },
  "so is a lost connection": { given: new Error("ECONNRESET"), want: "ECONNRESET" },
};

test.each(Object.entries(cases))("%s", (_sentence, { given, want }) => {
  expect((leaseProblem(given, lease) as Error).message).toBe(want);
});
