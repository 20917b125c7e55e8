/** Every sentence that a PodGang can say, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAtMs, drawnPods } from "../../../../test/builders/drawn-pods.ts";
import { conditionLines, sentencesOf } from "../../../../test/builders/sentences.ts";
import type { PodGang, PodGangStatus } from "../../../api/grove/podgang.ts";
import { gangStatus } from "./gang-status.ts";

interface Given {
  /** Pods by clique, as `drawnPods` reads them; each clique needs two. */
  readonly pods: Readonly<Record<string, string>>;
  readonly isInitialized?: boolean;
  readonly heldBack?: string;
  /** Cliques that do not exist. */
  readonly absent?: readonly string[];
  readonly before?: PodGangStatus;
}

function lines(
  { pods, isInitialized = true, heldBack, absent = [], before }: Given,
  shown: string,
): readonly string[] {
  const gang: PodGang = {
    metadata: { name: "chat-0", namespace: "default" },
    spec: {
      podgroups: Object.keys(pods).map((name) => ({ name, minReplicas: 2, podReferences: [] })),
    },
    ...(before === undefined ? {} : { status: before }),
  };
  const groups = Object.entries(pods).map(([name, drawing]) => ({
    name,
    desired: absent.includes(name) ? undefined : 2,
    pods: drawnPods(name, drawing).map(({ pod }) => pod),
    heldBack,
  }));
  const status = gangStatus(gang, groups, { isInitialized, nowMs: drawnAtMs });
  return conditionLines(status, ...shown.split(" "));
}

const ran: PodGangStatus = {
  phase: "Running",
  conditions: [{ type: "Scheduled", status: "True" }],
};

const states: Readonly<Record<string, readonly [Given, shown: string]>> = {
  "its pods are being created": [
    { pods: { web: "v1" }, isInitialized: false },
    "Initialized Scheduled Ready",
  ],
  "everything serves": [{ pods: { web: "v1 v1", lead: "v1 v1" } }, "Initialized Scheduled Ready"],
  "a group finds no nodes": [{ pods: { web: "v1 v1", lead: "v1 v1?" } }, "Scheduled Ready"],
  "it does not fit": [
    { pods: { web: "v1^ v1^" }, heldBack: "their gang chat-0 does not fit: 2 pods need 9 cpu" },
    "Scheduled Ready",
  ],
  "two groups have no nodes": [{ pods: { web: "v1 v1?", lead: "- -" } }, "Scheduled"],
  "a pod crashes before the gang has served": [{ pods: { web: "v1 v1x" } }, "Scheduled Ready"],
  "an image cannot be pulled while it runs": [
    { pods: { web: "v1 v2!", lead: "v1 v1" }, before: ran },
    "Scheduled Ready",
  ],
  "its surge was given up": [
    { pods: { web: "" }, absent: ["web"], isInitialized: false },
    "Initialized Scheduled",
  ],
  "its cliques are gone after it ran": [
    { pods: { web: "", lead: "" }, absent: ["web", "lead"], before: ran },
    "Initialized Scheduled",
  ],
  "one is replaced while it runs": [{ pods: { web: "v1 -" }, before: ran }, "Scheduled Ready"],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given, shown]) => {
    return lines(given, shown);
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});
