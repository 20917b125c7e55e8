import { expect, test } from "vitest";
import type { PodSpec } from "../../api/pod.ts";
import { needsOf } from "./batch-needs.ts";

const asks = (...amounts: Readonly<Record<string, string | number>>[]): PodSpec => ({
  containers: amounts.map((limits, index) => ({
    name: `c${index}`,
    image: "app:v1",
    resources: { limits: { ...limits } },
  })),
});

const gpus = (count: number): PodSpec => asks({ "nvidia.com/gpu": count });

const cases: Record<string, { given: readonly (PodSpec | undefined)[]; want: string }> = {
  "all alike": { given: [gpus(8), gpus(8), gpus(8)], want: "3 x 8 GPUs (nvidia.com/gpu)" },
  "two sizes, the larger first": {
    given: [gpus(1), gpus(1), gpus(4)],
    want: "1 x 4 and 2 x 1 GPUs (nvidia.com/gpu)",
  },
  "containers of a pod add up": {
    given: [asks({ "nvidia.com/gpu": "4" }, { "nvidia.com/gpu": "4" })],
    want: "1 x 8 GPUs (nvidia.com/gpu)",
  },
  "another device goes by its name": {
    given: [asks({ "amd.com/gpu": 2 }), asks({ cpu: 4 })],
    want: "1 x 2 and 1 x 0 amd.com/gpu",
  },
  "no device": { given: [asks({ cpu: 4 }), undefined], want: "room for 2 pods" },
};

test.each(Object.entries(cases))("AF9 what a batch needs: %s", (_name, { given, want }) => {
  expect(needsOf(given)).toBe(want);
});
