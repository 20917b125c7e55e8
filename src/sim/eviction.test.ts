import { expect, test } from "vitest";
import type { Taint } from "../api/node.ts";
import type { Pod, Toleration } from "../api/pod.ts";
import { evictionDelayMs, failureTaints } from "./eviction.ts";

const lost = failureTaints("2026-01-01T00:00:00Z");
const own: Taint = { key: "drain", effect: "NoExecute" };

const cases: Record<
  string,
  { taints: readonly Taint[]; tolerations?: Toleration[]; want: number | undefined }
> = {
  "nothing drives a pod off a clean node": { taints: [], want: undefined },
  "a lost node is borne for five minutes by default": { taints: lost, want: 300_000 },
  "a pod may bear it for longer": {
    taints: lost,
    tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 900 }],
    want: 900_000,
  },
  "or for ever": { taints: lost, tolerations: [{ operator: "Exists" }], want: undefined },
  "other taints drive it off at once": { taints: [own], want: 0 },
  "the shortest of several counts": { taints: [...lost, own], want: 0 },
  "a taint that only keeps newcomers away evicts nobody": {
    taints: [{ key: "busy", effect: "NoSchedule" }],
    want: undefined,
  },
};

test.each(Object.entries(cases))("%s", (_name, { taints, tolerations = [], want }) => {
  const pod: Pod = { metadata: { name: "p" }, spec: { containers: [], tolerations } };
  expect(evictionDelayMs(pod, taints)).toBe(want);
});
