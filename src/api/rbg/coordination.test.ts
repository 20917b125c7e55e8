import { expect, test } from "vitest";
import type { Coordination } from "./coordination.ts";
import { normalizeCoordination, scalingsOf } from "./coordination.ts";
import type { WrittenCoordination } from "./rolebasedgroup.ts";

const roles = ["prefill", "decode"];
const rolling = {
  kind: "RollingUpdate",
  name: "pair",
  roles,
  progressDeadlineSeconds: 1_800,
} as const;
const knobs = { maxUnavailable: "5%", maxSkew: "1%", partition: "80%" };
const steps = [{ roles: { prefill: "50%" }, pause: {} }];
const ratios = { prefill: 2, decode: 1 };

const cases: Record<
  string,
  { given: Partial<WrittenCoordination>; want: Coordination | undefined }
> = {
  "flat, as the specification writes it": {
    given: {
      type: "RollingUpdate",
      strategy: { maxUnavailableRatio: "5%", maxSkew: "1%", partition: "80%" },
    },
    want: { ...rolling, ...knobs },
  },
  "flat, without its type": { given: { strategy: knobs }, want: { ...rolling, ...knobs } },
  "nested, with a type": {
    given: { type: "RollingUpdate", strategy: { rollingUpdate: knobs } },
    want: { ...rolling, ...knobs },
  },
  "nested, as released versions write it": {
    given: { strategy: { rollingUpdate: knobs, scaling: { maxSkew: "5%" } } },
    want: { ...rolling, ...knobs },
  },
  "steps stand beside the other settings": {
    given: { strategy: { steps, progressDeadlineSeconds: 60 } },
    want: { ...rolling, steps, progressDeadlineSeconds: 60 },
  },
  "an empty strategy updates side by side without a bound": { given: {}, want: rolling },
  "an affinity has its defaults": {
    given: { type: "AffinityScheduling", strategy: { affinityScheduling: { ratios } } },
    want: {
      kind: "AffinityScheduling",
      name: "pair",
      roles,
      ratios,
      topologyKey: "kubernetes.io/hostname",
      batchMode: "Sequential",
    },
  },
  "a coordination that only scales updates nothing": {
    given: { strategy: { scaling: { maxSkew: "5%" } } },
    want: undefined,
  },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  expect(normalizeCoordination({ name: "pair", roles, ...given })).toEqual(want);
});

test("scaling has its defaults, beside a rolling update or alone", () => {
  const coordination = [
    { name: "both", roles, strategy: { maxSkew: "1%", scaling: { maxSkew: "5%" } } },
    { name: "alone", roles, strategy: { scaling: { progression: "OrderReady" as const } } },
    { name: "none", roles, strategy: { maxSkew: "1%" } },
  ];
  expect(scalingsOf({ roles: [], coordination })).toEqual([
    { name: "both", roles, maxSkewPercent: 5, progression: "OrderScheduled" },
    { name: "alone", roles, maxSkewPercent: 100, progression: "OrderReady" },
  ]);
});
