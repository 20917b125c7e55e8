import { expect, test } from "vitest";
import type { Metric } from "./metric-value.ts";
import type { Behavior, ScalingHistory } from "./pace.ts";
import { noHistory, withChange } from "./pace.ts";
import type { AutoscalerSpec } from "./recommend.ts";
import { recommend } from "./recommend.ts";

const cpu = (averageUtilization: number): Metric => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const perReplica = (averageValue: string): Metric => ({
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue } },
});

const inAll = (value: string): Metric => ({
  type: "Object",
  object: { metric: { name: "hits" }, target: { type: "Value", value } },
});

interface Given {
  readonly replicas?: number;
  readonly pods?: number;
  readonly load?: string;
  readonly loads?: Readonly<Record<string, string>>;
  readonly metrics?: readonly Metric[];
  readonly min?: number;
  /** Nobody asks for this. */
  readonly unasked?: string;
}

function reported({
  replicas = 2,
  pods = replicas,
  load,
  loads = {},
  metrics = [cpu(80)],
  min,
  unasked,
}: Given) {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" };
  const spec: AutoscalerSpec = { scaleTargetRef, minReplicas: min ?? 1, maxReplicas: 10, metrics };
  const withoutRequest = (asked: string) =>
    asked === unasked ? "container server of Pod web-0" : undefined;
  const own = Object.entries(loads).map(([name, text]) => [`sim.lockstep.dev/load.${name}`, text]);
  return recommend({
    // An old request keeps the first one from being held for five minutes.
    history: { wanted: [{ atMs: 0, replicas: 1 }], changes: [] },
    spec,
    annotations: {
      ...(load === undefined ? {} : { "sim.lockstep.dev/load": load }),
      ...(Object.fromEntries(own) as Record<string, string>),
    },
    target: { replicas, observedReplicas: replicas, readyPods: pods, withoutRequest },
    nowMs: 1_000_000,
  });
}

const cases: Record<string, { given: Given; want: number; says: string }> = {
  "a load of four busy pods at 80% needs five": {
    given: { replicas: 4, load: "400" },
    want: 5,
    says: "ValidMetricFound",
  },
  "the percent sign may be written": {
    given: { replicas: 4, load: "400%" },
    want: 5,
    says: "ValidMetricFound",
  },
  "less than a tenth off the target changes nothing": {
    given: { replicas: 5, load: "430" },
    want: 5,
    says: "ValidMetricFound",
  },
  "a lower load needs fewer": {
    given: { replicas: 6, load: "160" },
    want: 2,
    says: "DesiredWithinRange",
  },
  "never more than maxReplicas": {
    given: { replicas: 8, load: "9k" },
    want: 10,
    says: "TooManyReplicas",
  },
  "never fewer than minReplicas": {
    given: { replicas: 4, load: "1", min: 3 },
    want: 3,
    says: "TooFewReplicas",
  },
  "at most twice as many, or four more, in fifteen seconds": {
    given: { replicas: 1, load: "790" },
    want: 5,
    says: "ScaleUpLimit",
  },
  "a target below minReplicas is raised without any metric": {
    given: { replicas: 1, min: 3 },
    want: 3,
    says: "ReadyForNewScale",
  },
  "a target above maxReplicas is lowered without any metric": {
    given: { replicas: 14 },
    want: 10,
    says: "ReadyForNewScale",
  },
  "a target at 0 is left alone": { given: { replicas: 0 }, want: 0, says: "ScalingDisabled" },
  "without a load nothing is known": {
    given: {},
    want: 2,
    says: "no load is simulated for cpu: set the annotation sim.lockstep.dev/load or sim.lockstep.dev/load.cpu",
  },
  "a load that is no number is named": {
    given: { load: "much" },
    want: 2,
    says: 'the simulated load "much" is not a number',
  },
  "of what no container asks for there is no share": {
    given: { load: "400", unasked: "cpu" },
    want: 2,
    says: "failed to get cpu utilization: missing request for cpu in container server of Pod web-0",
  },
  "the largest of several metrics wins": {
    given: { metrics: [cpu(80), perReplica("10")], loads: { cpu: "80", queue: "35" } },
    want: 4,
    says: "external metric queue",
  },
  "a metric that is not known holds a scale-in": {
    given: { replicas: 6, metrics: [cpu(80), perReplica("10")], loads: { cpu: "80" } },
    want: 6,
    says: "no load is simulated for queue",
  },
  "and no scale-out": {
    given: { replicas: 3, metrics: [cpu(80), perReplica("10")], loads: { cpu: "400" } },
    want: 5,
    says: "cpu resource utilization",
  },
  "an average of replicas counts replicas, however many pods each has": {
    given: { replicas: 2, pods: 8, metrics: [perReplica("10")], load: "30" },
    want: 3,
    says: "ValidMetricFound",
  },
  "an average of pods counts pods: upstream scales to as many replicas": {
    given: { replicas: 2, pods: 8, load: "480" },
    want: 6,
    says: "ValidMetricFound",
  },
  "a value for all is compared as a whole": {
    given: { replicas: 4, metrics: [inAll("1k")], load: "1500" },
    want: 6,
    says: "object metric hits",
  },
};

test.each(Object.entries(cases))("%s", (_sentence, { given, want, says }) => {
  const { replicas, conditions } = reported(given);
  expect(replicas).toBe(want);
  expect(conditions.map(({ reason, message }) => `${reason}: ${message}`).join("\n")).toContain(
    says,
  );
});

test.each<[string, Given, readonly string[]]>([
  ["cpu", {}, ["SucceededGetScale", "FailedGetResourceMetric"]],
  [
    "an external metric",
    { metrics: [perReplica("10")] },
    ["SucceededGetScale", "FailedGetExternalMetric"],
  ],
  [
    "the second of two",
    { metrics: [cpu(80), inAll("1k")], loads: { cpu: "80" } },
    ["SucceededGetScale", "FailedGetObjectMetric"],
  ],
  ["a target at 0", { replicas: 0 }, ["SucceededGetScale", "ScalingDisabled"]],
])("nothing is recommended without %s, in the words of upstream", (_what, given, want) => {
  expect(reported(given).conditions.map(({ reason }) => reason)).toEqual(want);
});

/** Sizes after every fifteen seconds, with the load at each of these moments. */
function sizes(loads: readonly number[], replicas: number, behavior?: Behavior): number[] {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" };
  const bounds = { minReplicas: 1, maxReplicas: 20 };
  const spec: AutoscalerSpec = {
    scaleTargetRef,
    ...bounds,
    metrics: [cpu(100)],
    ...(behavior === undefined ? {} : { behavior }),
  };
  let current = replicas;
  let history: ScalingHistory = noHistory;
  return loads.map((load, index) => {
    const nowMs = index * 15_000;
    const target = { replicas: current, observedReplicas: current, readyPods: current };
    const annotations = { "sim.lockstep.dev/load": String(load) };
    const next = recommend({ spec, annotations, target, history, nowMs });
    history = withChange(next.history, next.replicas - current, nowMs);
    current = next.replicas;
    return current;
  });
}

const runs: Record<string, { loads: number[]; from: number; behavior?: Behavior; want: number[] }> =
  {
    "up it goes by four or by double at a time": {
      loads: [2000, 2000, 2000, 2000],
      from: 1,
      want: [5, 10, 20, 20],
    },
    "down it goes after five minutes of a lower load": {
      loads: Array.from({ length: 22 }, () => 200),
      from: 8,
      want: [...Array.from({ length: 21 }, () => 8), 2],
    },
    "a short dip changes nothing": {
      loads: [800, 100, 100, 800, 100],
      from: 8,
      want: [8, 8, 8, 8, 8],
    },
    "behavior says how calm it is": {
      loads: [800, 100, 100, 100],
      from: 8,
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      want: [8, 1, 1, 1],
    },
    "and how far one step goes": {
      loads: [100, 100, 100],
      from: 8,
      behavior: {
        scaleDown: {
          stabilizationWindowSeconds: 0,
          policies: [{ type: "Pods", value: 2, periodSeconds: 15 }],
        },
      },
      want: [8, 6, 4],
    },
    "a direction can be disabled": {
      loads: [100, 100, 2000],
      from: 8,
      behavior: { scaleDown: { selectPolicy: "Disabled", stabilizationWindowSeconds: 0 } },
      want: [8, 8, 16],
    },
  };

test.each(Object.entries(runs))("%s", (_sentence, { loads, from, behavior, want }) => {
  expect(sizes(loads, from, behavior)).toEqual(want);
});
