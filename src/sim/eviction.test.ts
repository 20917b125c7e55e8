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
  "a pod stays on a node without taints": { taints: [], want: undefined },
  "a pod tolerates an unreachable node for five minutes by default": {
    taints: lost,
    want: 300_000,
  },
  "a toleration may extend that": {
    taints: lost,
    tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: 900 }],
    want: 900_000,
  },
  "a toleration without a time never ends": {
    taints: lost,
    tolerations: [{ operator: "Exists" }],
    want: undefined,
  },
  "other NoExecute taints evict at once": { taints: [own], want: 0 },
  "the shortest of several tolerations counts": { taints: [...lost, own], want: 0 },
  "a NoSchedule taint evicts no pod": {
    taints: [{ key: "busy", effect: "NoSchedule" }],
    want: undefined,
  },
};

test.each(Object.entries(cases))("%s", (_name, { taints, tolerations = [], want }) => {
  const pod: Pod = { metadata: { name: "p" }, spec: { containers: [], tolerations } };
  expect(evictionDelayMs(pod, taints)).toBe(want);
});
