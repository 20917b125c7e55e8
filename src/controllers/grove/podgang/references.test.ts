import { expect, test } from "vitest";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import type { Pod } from "../../../api/pod.ts";
import { gangStatus } from "./gang-status.ts";
import { hasAllPods, referenceWrite } from "./references.ts";

const gang = (listed: readonly string[]): PodGang => ({
  metadata: { name: "chat-0", namespace: "default" },
  spec: {
    podgroups: [
      {
        name: "web",
        minReplicas: 2,
        podReferences: listed.map((name) => ({ namespace: "default", name })),
      },
    ],
  },
});

/** `0` waits for a node, `0@` is on one, `0+` is ready there; `0:x` has a name of its own. */
function pod(mark: string): Pod {
  const [index = "", name = `web-${index}`] = mark.replace(/[@+]/, "").split(":");
  return {
    metadata: { name, namespace: "default", labels: { [labelKeys.podIndex]: index } },
    spec: { containers: [], ...(/[@+]/.test(mark) ? { nodeName: "node-0" } : {}) },
    status: { conditions: mark.endsWith("+") ? [{ type: "Ready", status: "True" }] : [] },
  };
}

const web = (pods: string, desired: number | undefined = 2) => ({
  name: "web",
  desired,
  pods: pods.split(" ").filter(Boolean).map(pod),
});

interface Case {
  readonly listed: string;
  readonly pods: string;
  readonly desired?: number;
  readonly want: string;
}

const writes: Record<string, Case> = {
  "pods are listed before they are made": { listed: "", pods: "", want: "now: web-0 web-1" },
  "what is listed already is not written again": {
    listed: "web-0 web-1",
    pods: "0 1",
    want: "none",
  },
  "who is replaced keeps its reference": { listed: "web-0 web-1", pods: "1", want: "none" },
  "a larger clique is listed at once": {
    listed: "web-0 web-1",
    pods: "0 1",
    desired: 3,
    want: "now: web-0 web-1 web-2",
  },
  "surge is listed as it comes": {
    listed: "web-0 web-1",
    pods: "0 1 2",
    want: "now: web-0 web-1 web-2",
  },
  "who is gone for good may wait": {
    listed: "web-0 web-1",
    pods: "0",
    desired: 1,
    want: "later: web-0",
  },
  "a place that surge stands in for stays listed": {
    listed: "web-0 web-1 web-2",
    pods: "1 2",
    want: "none",
  },
  "pods of other names keep them, their successors do not": {
    listed: "web-abc web-xyz",
    pods: "1:web-xyz",
    want: "now: web-0 web-xyz",
  },
};

test.each(Object.entries(writes))(
  "GA2 references: %s",
  (_name, { listed, pods, desired, want }) => {
    const given = gang(listed.split(" ").filter(Boolean));
    const write = referenceWrite(given, [web(pods, desired)]);
    const [group] = write.kind === "none" ? [] : write.spec.podgroups;
    const names = group?.podReferences.map(({ name }) => name) ?? [];
    expect(write.kind === "none" ? "none" : `${write.kind}: ${names.join(" ")}`).toBe(want);
  },
);

test("GA2 references stay while there is no clique to ask", () => {
  const [given, absent] = [gang(["web-0"]), { ...web(""), desired: undefined }];
  expect(referenceWrite(given, [absent])).toEqual({ kind: "none" });
});

test("a gang whose clique does not exist yet is not complete", () => {
  expect(hasAllPods(gang([]), [{ ...web("0 1"), desired: undefined }])).toBe(false);
});

const statuses: Record<string, { before?: PodGang["status"]; pods: string; want: string }> = {
  "nobody on a node": { pods: "0 1", want: "Pending" },
  "some, but not the minimum": { pods: "0@ 1", want: "Pending" },
  "the minimum on nodes": { pods: "0@ 1@", want: "Starting" },
  "the minimum ready": { pods: "0+ 1+", want: "Running" },
  "running, one is being replaced": { before: scheduled("Running"), pods: "0+", want: "Running" },
  "running, and everybody is lost": { before: scheduled("Running"), pods: "0 1", want: "Pending" },
  "starting again after a loss": { before: scheduled("Starting"), pods: "0@", want: "Starting" },
};

function scheduled(phase: "Starting" | "Running"): PodGang["status"] {
  return { phase, conditions: [{ type: "Scheduled", status: "True" }] };
}

test.each(Object.entries(statuses))("GA7 phase: %s", (_name, { before, pods, want }) => {
  const given = { ...gang([]), ...(before === undefined ? {} : { status: before }) };
  const status = gangStatus(given, [web(pods)], { isInitialized: true, nowMs: 0 });
  expect(status.phase).toBe(want);
  const isScheduled = status.conditions?.find(({ type }) => type === "Scheduled")?.status;
  expect(isScheduled).toBe(want === "Pending" ? "False" : "True");
});
