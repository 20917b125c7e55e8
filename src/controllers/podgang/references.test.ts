import { expect, test } from "vitest";
import type { PodGang } from "../../api/grove/podgang.ts";
import type { Pod } from "../../api/pod.ts";
import { listingOf } from "../listed-pods.ts";
import { gangStatus } from "./gang-status.ts";
import { isComplete, referenceWrite } from "./references.ts";

const gang = (listed: readonly string[]): PodGang => ({
  metadata: { name: "chat-0", annotations: listingOf(listed.map(pod)) },
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

/** `a` waits for a node, `a@` is on one, `a+` is ready there; `a*` has the name of an earlier `a`. */
function pod(mark: string): Pod {
  const name = mark.replace(/[@+*]/, "");
  const uid = `${mark.endsWith("*") ? 2 : 1}-${name}`;
  return {
    metadata: { name, namespace: "default", uid },
    spec: { containers: [], ...(/[@+]/.test(mark) ? { nodeName: "node-0" } : {}) },
    status: { conditions: mark.endsWith("+") ? [{ type: "Ready", status: "True" }] : [] },
  };
}

const web = (pods: string, desired: number | undefined = 2) => ({
  name: "web",
  desired,
  pods: pods.split(" ").filter(Boolean).map(pod),
});

const writes: Record<
  string,
  { listed: string[]; pods: string; isInitialized: boolean; want: string }
> = {
  "the first list waits for all pods": {
    listed: [],
    pods: "a",
    isInitialized: false,
    want: "later",
  },
  "a complete first list is written": {
    listed: [],
    pods: "a b",
    isInitialized: false,
    want: "now",
  },
  "what is listed already is not written again": {
    listed: ["a", "b"],
    pods: "a b",
    isInitialized: true,
    want: "none",
  },
  "a newcomer is listed at once": {
    listed: ["a", "b"],
    pods: "a b c",
    isInitialized: true,
    want: "now",
  },
  "who has the name of one that is gone is a newcomer": {
    listed: ["a", "b"],
    pods: "a* b",
    isInitialized: true,
    want: "now",
  },
  "who comes back while another is missing may wait a moment for it": {
    listed: ["a", "b"],
    pods: "c",
    isInitialized: true,
    want: "soon",
  },
  "who is gone may wait": { listed: ["a", "b"], pods: "a", isInitialized: true, want: "later" },
};

test.each(Object.entries(writes))(
  "references: %s",
  (_name, { listed, pods, isInitialized, want }) => {
    expect(referenceWrite(gang(listed), [web(pods)], isInitialized).kind).toBe(want);
  },
);

test("a gang whose clique does not exist yet is not complete", () => {
  expect(isComplete(gang([]), [{ ...web("a b"), desired: undefined }])).toBe(false);
});

const statuses: Record<string, { before?: PodGang["status"]; pods: string; want: string }> = {
  "nobody on a node": { pods: "a b", want: "Pending" },
  "some, but not the minimum": { pods: "a@ b", want: "Pending" },
  "the minimum on nodes": { pods: "a@ b@", want: "Starting" },
  "the minimum ready": { pods: "a+ b+", want: "Running" },
  "running, one is being replaced": { before: scheduled("Running"), pods: "a+", want: "Running" },
  "running, and everybody is lost": { before: scheduled("Running"), pods: "a b", want: "Pending" },
  "starting again after a loss": { before: scheduled("Starting"), pods: "a@", want: "Starting" },
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
