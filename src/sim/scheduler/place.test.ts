import { expect, test } from "vitest";
import type { Node } from "../../api/node.ts";
import type { Pod, PodSpec } from "../../api/pod.ts";
import { ClusterState } from "./cluster-state.ts";
import { choosePlace } from "./place.ts";

type NodeChange = { labels?: Record<string, string>; spec?: Node["spec"]; gpus?: number };

/** Four nodes in two zones: a and b in east, c and d in west; each with 4 cpu, 8 gpus and room for 5 pods. */
function cluster(changes: Record<string, NodeChange> = {}): ClusterState {
  const state = new ClusterState(() => ["team-a", "team-b"]);
  for (const name of ["a", "b", "c", "d"]) {
    const { labels, spec = {}, gpus = 8 } = changes[name] ?? {};
    const zone = name < "c" ? "east" : "west";
    state.putNode({
      metadata: { name, labels: { host: name, zone, ...labels } },
      spec,
      status: { allocatable: { cpu: "4", memory: "8Gi", pods: "5", "nvidia.com/gpu": `${gpus}` } },
    });
  }
  return state;
}

let sequence = 0;
function pod(spec: Partial<PodSpec> = {}, labels: Record<string, string> = {}): Pod {
  const name = `pod-${sequence++}`;
  return {
    metadata: { name, namespace: "default", uid: name, labels },
    spec: { containers: [{ name: "app" }], ...spec },
  };
}

const gpus = (count: number): Partial<PodSpec> => ({
  containers: [{ name: "app", resources: { limits: { "nvidia.com/gpu": count } } }],
});
const web = { app: "web" };
const nearWeb = (topologyKey: string) => ({
  labelSelector: { matchLabels: web },
  topologyKey,
});
const required = (topologyKey: string) => ({
  requiredDuringSchedulingIgnoredDuringExecution: [nearWeb(topologyKey)],
});
const preferred = (topologyKey: string) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [
    { weight: 100, podAffinityTerm: nearWeb(topologyKey) },
  ],
});
const spread = (whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway") => ({
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable, labelSelector: { matchLabels: web } },
  ],
});
const hostTerm = (name: string) => ({
  matchExpressions: [{ key: "host", operator: "In" as const, values: [name] }],
});
const noMatch = (count: number, text: string): string => `${count} node(s) ${text}`;

interface Case {
  readonly given?: Record<string, NodeChange>;
  /** Pods that are there already, by node. */
  readonly placed?: readonly (readonly [string, Pod])[];
  readonly pod: Pod;
  /** The node, or a part of the message. */
  readonly want: string;
}

const cases: Record<string, Case> = {
  "an empty cluster gives the first node": { pod: pod(), want: "a" },
  "the emptiest node is preferred": {
    placed: [
      ["a", pod(gpus(1))],
      ["b", pod(gpus(1))],
      ["c", pod(gpus(2))],
    ],
    pod: pod(gpus(1)),
    want: "d",
  },
  "requests that fit on no node are named": {
    pod: pod(gpus(9)),
    want:
      "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. preemption: 0/4 nodes are available: " +
      "4 No preemption victims found for incoming pod.",
  },
  "every insufficient resource is named": {
    pod: pod({
      containers: [{ name: "app", resources: { requests: { cpu: "5", memory: "9Gi" } } }],
    }),
    want: "4 Insufficient cpu, 4 Insufficient memory.",
  },
  "the largest init container counts": {
    pod: pod({
      initContainers: [{ name: "init", resources: { requests: { cpu: "5" } } }],
      containers: [{ name: "app", resources: { requests: { cpu: "1" } } }],
    }),
    want: "4 Insufficient cpu.",
  },
  "overhead counts": {
    pod: pod({
      overhead: { cpu: "3500m" },
      containers: [{ name: "app", resources: { requests: { cpu: "501m" } } }],
    }),
    want: "4 Insufficient cpu.",
  },
  "a node has room for a limited number of pods": {
    placed: Array.from({ length: 20 }, (_, index) => ["abcd"[index % 4]!, pod()] as const),
    pod: pod(),
    want: "4 Too many pods.",
  },
  nodeSelector: { pod: pod({ nodeSelector: { host: "c" } }), want: "c" },
  "required node affinity": {
    pod: pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [hostTerm("x")] },
        },
      },
    }),
    want: noMatch(4, "didn't match Pod's node affinity/selector"),
  },
  "preferred node affinity": {
    pod: pod({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: hostTerm("d") },
          ],
        },
      },
    }),
    want: "d",
  },
  "a cordoned node and a taint are avoided": {
    given: {
      a: { spec: { unschedulable: true } },
      b: { spec: { taints: [{ key: "maintenance", value: "yes", effect: "NoSchedule" }] } },
      c: { gpus: 0 },
      d: { gpus: 0 },
    },
    pod: pod(gpus(1)),
    want:
      "0/4 nodes are available: 1 node(s) had untolerated taint {maintenance: yes}, " +
      "1 node(s) were unschedulable, 2 Insufficient nvidia.com/gpu.",
  },
  "a tolerated taint does not matter": {
    given: { a: { spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } } },
    pod: pod({ tolerations: [{ key: "gpu", operator: "Exists" }] }),
    want: "a",
  },
  "a soft taint only repels": {
    given: { a: { spec: { taints: [{ key: "gpu", effect: "PreferNoSchedule" }] } } },
    pod: pod(),
    want: "b",
  },
  "required affinity follows the matching pods": {
    placed: [["c", pod({}, web)]],
    pod: pod({ affinity: { podAffinity: required("zone") } }),
    want: "d",
  },
  "required affinity without a matching pod waits": {
    pod: pod({ affinity: { podAffinity: required("zone") } }),
    want: noMatch(4, "didn't match pod affinity rules"),
  },
  "the first pod of a group with affinity to itself may go anywhere": {
    pod: pod({ affinity: { podAffinity: required("zone") } }, web),
    want: "a",
  },
  "affinity ignores other namespaces": {
    placed: [["c", { ...pod({}, web), metadata: { name: "x", namespace: "other", labels: web } }]],
    pod: pod({ affinity: { podAffinity: required("zone") } }),
    want: noMatch(4, "didn't match pod affinity rules"),
  },
  "required anti-affinity avoids matching pods": {
    placed: [["a", pod({}, web)]],
    pod: pod({ affinity: { podAntiAffinity: required("zone") } }),
    want: "c",
  },
  "anti-affinity of placed pods applies too": {
    placed: [
      ["a", pod({ affinity: { podAntiAffinity: required("zone") } })],
      ["c", pod({ affinity: { podAntiAffinity: required("zone") } })],
    ],
    pod: pod({}, web),
    want: noMatch(4, "didn't satisfy existing pods anti-affinity rules"),
  },
  "preferred affinity attracts": {
    placed: [["d", pod({}, web)]],
    pod: pod({ affinity: { podAffinity: preferred("host") } }),
    want: "d",
  },
  "preferred anti-affinity repels": {
    placed: [["a", pod({}, web)]],
    pod: pod({ affinity: { podAntiAffinity: preferred("zone") } }),
    want: "c",
  },
  "spread evens out the zones": {
    placed: [["a", pod({}, web)]],
    pod: pod(spread("DoNotSchedule"), web),
    want: "c",
  },
  "spread that cannot be kept waits": {
    given: { c: { gpus: 0 }, d: { gpus: 0 } },
    placed: [["a", pod({}, web)]],
    pod: pod({ ...spread("DoNotSchedule"), ...gpus(1) }, web),
    want: "2 Insufficient nvidia.com/gpu, 2 node(s) didn't match pod topology spread constraints.",
  },
  "soft spread gives way": {
    given: { c: { gpus: 0 }, d: { gpus: 0 } },
    placed: [["a", pod({}, web)]],
    pod: pod({ ...spread("ScheduleAnyway"), ...gpus(1) }, web),
    want: "b",
  },
  "a terminating pod does not count in spread": {
    placed: [
      ["a", { ...pod({}, web), metadata: { ...pod({}, web).metadata, deletionTimestamp: "x" } }],
    ],
    pod: pod({ ...spread("DoNotSchedule"), nodeSelector: { zone: "east" } }, web),
    want: "b",
  },
  "host ports are taken once": {
    given: { b: { gpus: 0 }, c: { gpus: 0 }, d: { gpus: 0 } },
    placed: [
      ["a", pod({ containers: [{ name: "app", ports: [{ containerPort: 80, hostPort: 80 }] }] })],
    ],
    pod: pod({
      containers: [{ ...gpus(1).containers![0]!, ports: [{ containerPort: 80, hostPort: 80 }] }],
    }),
    want: "1 node(s) didn't have free ports for the requested pod ports, 3 Insufficient nvidia.com/gpu.",
  },
};

test.each(Object.entries(cases))("%s", (_name, { given, placed = [], pod, want }) => {
  const state = cluster(given);
  for (const [node, other] of placed) state.place(other, node);
  const placement = choosePlace(pod, state);
  const got = placement.kind === "fits" ? placement.node : placement.diagnosis.message;
  // Of a diagnosis only a part may be wanted; the name of a node is wanted whole.
  expect(want.length === 1 || !got.includes(want) ? got : want).toBe(want);
});

test("a removed pod frees everything that it used", () => {
  const state = cluster();
  const holder = pod({ ...gpus(8), affinity: { podAntiAffinity: required("zone") } }, web);
  const newcomer = pod({ ...gpus(8), affinity: { podAntiAffinity: required("host") } }, web);
  const before = choosePlace(newcomer, state);
  state.place(holder, "a");
  expect(choosePlace(newcomer, state)).toEqual({ kind: "fits", node: "c" });
  state.remove(`default/${holder.metadata.name}`);
  expect(choosePlace(newcomer, state)).toEqual(before);
});
