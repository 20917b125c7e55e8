/** What is said of a StatefulSet beyond the sentences of the planner, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAgo, drawnAtMs, drawnPods } from "../../../test/builders/drawn-pods.ts";
import {
  conditionLines,
  eventLines,
  sentencesOf,
  tooLargeLines,
} from "../../../test/builders/sentences.ts";
import type { StatefulSet, StatefulSetSpec } from "../../api/apps.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import { OwnerMemory } from "../engine/per-owner.ts";
import { annotationNames, readOverrides } from "./annotations.ts";
import { assistReconciler, createdByOthers } from "./assist.ts";
import { revisionLabel } from "./identity.ts";
import type { Observed } from "./observe.ts";
import { planRollout } from "./plan.ts";
import { assistPolicy, fullPolicy } from "./policy.ts";
import { fullReconciler } from "./reconcile.ts";
import { setPodOf } from "./set-pod.ts";
import { conditionsOf, statefulSetStatus } from "./status.ts";
import type { Warning } from "./warnings.ts";
import {
  annotationWarnings,
  bothModesWarning,
  competingWarning,
  foreignClaimsWarning,
  specWarnings,
} from "./warnings.ts";

interface Given {
  /** By ordinal, as `drawnPods` reads them; the set is of v2. */
  readonly pods: string;
  readonly spec?: Partial<StatefulSetSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The claim of each pod is there, and terminating. */
  readonly isClaimLeaving?: boolean;
  readonly refusal?: string;
  readonly status?: StatefulSet["status"];
}

function observed(given: Given): Observed {
  const { pods, spec, annotations, isClaimLeaving = false, status } = given;
  const set: StatefulSet = {
    metadata: { name: "web", namespace: "default", ...(annotations && { annotations }) },
    spec: {
      replicas: pods.split(" ").length,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: "web" } },
      template: {},
      ...spec,
    },
    ...(status && { status }),
  };
  const claim = { metadata: { name: "data-web-1", deletionTimestamp: "2026-01-01T00:00:00Z" } };
  return {
    nowMs: drawnAtMs,
    set,
    overrides: readOverrides(set),
    pods: drawnPods("web", pods).flatMap(({ pod }) => {
      const revision = pod.metadata.labels?.["grove.io/pod-template-hash"] ?? "";
      const labels = { [revisionLabel]: revision };
      return setPodOf({ ...pod, metadata: { ...pod.metadata, labels } }) ?? [];
    }),
    revisions: [],
    claim: () => (isClaimLeaving ? claim : undefined),
    hasPod: () => true,
  } as unknown as Observed;
}

const quota = 'pods "web-1" is forbidden: exceeded quota: pods';
const moving: StatefulSet["status"] = {
  replicas: 1,
  conditions: [{ type: "Progressing", status: "True", lastTransitionTime: drawnAgo(3_600) }],
};
const names = { current: "v1", update: "v2" };

const states: Readonly<Record<string, readonly [Given, shown: string]>> = {
  "every pod serves": [{ pods: "v2 v2" }, ""],
  "an image cannot be pulled": [{ pods: "v1 v2!" }, "Available Progressing Stalled"],
  "two pods crash": [{ pods: "v2 v2x v2x" }, "Available Progressing Stalled"],
  "a claim has to go first": [
    {
      pods: "v2 -",
      isClaimLeaving: true,
      spec: { volumeClaimTemplates: [{ metadata: { name: "data" } }] as never },
    },
    "Progressing",
  ],
  "a quota refuses a pod": [{ pods: "v2 -", refusal: quota }, "Progressing Stalled"],
  "a quota refuses a pod for the deadline": [
    {
      pods: "v2 -",
      refusal: quota,
      annotations: { [annotationNames.progressDeadlineSeconds]: "60" },
      status: moving,
    },
    "Progressing Stalled",
  ],
  "it is paused": [
    { pods: "v1 v1", annotations: { [annotationNames.paused]: "true" } },
    "Progressing Stalled",
  ],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given, shown]) => {
    const seen = observed(given);
    const planned = planRollout(seen, names, fullPolicy(seen.set, seen.overrides));
    const types = shown === "" ? [] : shown.split(" ");
    const { refusal } = given;
    const status = statefulSetStatus(seen, planned, {
      collisionCount: 0,
      ...(refusal && { refusal }),
    });
    return conditionLines(status, ...types);
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

test("in assist mode a pod that is missing is waited for, because the cluster creates it", () => {
  const seen = observed({ pods: "v2 -" });
  const rollout = planRollout(seen, names, assistPolicy(seen.set, seen.overrides));
  const conditions = conditionsOf(seen, createdByOthers(rollout));
  expect(conditionLines({ conditions }, "Progressing")).toEqual([
    "Progressing=True Creating: waiting for the cluster's own controller to create web-1",
  ]);
});

const said = (warnings: readonly Warning[]): readonly string[] =>
  eventLines(warnings.map((warning) => ({ type: "Warning", ...warning })));
const annotated = (key: string, text: string): readonly string[] =>
  said(annotationWarnings(observed({ pods: "v2", annotations: { [key]: text } })));
const applied = JSON.stringify({
  spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 3 } } },
});
const full = fullReconciler({} as never, { memory: new OwnerMemory() } as never, {} as never);

function failed(): readonly string[] {
  const seen = observed({ pods: "v2 -" });
  const planned = planRollout(seen, names, fullPolicy(seen.set, seen.overrides));
  const cause = new Error(quota);
  const failure = { cause, message: cause.message };
  return eventLines([full.failureEvent?.(seen, planned as never, failure)]);
}

function unassisted(): readonly string[] {
  const recorded: EventText[] = [];
  const events = { record: (_about: unknown, event: EventText) => recorded.push(event) };
  const kind = assistReconciler(
    {} as never,
    { events, memory: new OwnerMemory(), actions: { reportNow: () => undefined } } as never,
    { show: () => undefined },
  );
  const annotations = { [annotationNames.maxUnavailable]: "2" };
  kind.emit?.(observed({ pods: "v2", annotations }), { phases: [] }, undefined);
  return eventLines(recorded);
}

const refusedLines = (spec: Partial<StatefulSetSpec>): readonly string[] =>
  tooLargeLines(full.tooLarge?.(observed({ pods: "v2", spec })), "Stalled");

const events: Readonly<Record<string, readonly [says: () => readonly string[]]>> = {
  "a quota refuses a pod": [failed],
  "an amount cannot be read": [() => annotated(annotationNames.maxUnavailable, "many")],
  "a pace cannot be read": [() => annotated(annotationNames.orderedReady, "fast")],
  "what to do with broken pods cannot be read": [
    () => annotated(annotationNames.brokenPods, "keep"),
  ],
  "a pause cannot be read": [() => annotated(annotationNames.paused, "yes")],
  "a partition cannot be read": [() => annotated(annotationNames.partition, "half")],
  "what goes ahead cannot be read": [() => annotated(annotationNames.aheadOfPartition, "0,two")],
  "a deadline cannot be read": [() => annotated(annotationNames.progressDeadlineSeconds, "10m")],
  "a strategy is not known": [
    () =>
      said(
        specWarnings(
          observed({ pods: "v2", spec: { updateStrategy: { type: "Recreate" } } as never }),
        ),
      ),
  ],
  "a server dropped a field": [
    () =>
      said(
        specWarnings(
          observed({
            pods: "v2",
            annotations: { "kubectl.kubernetes.io/last-applied-configuration": applied },
          }),
        ),
      ),
  ],
  "claims belong to somebody else": [
    () => said([foreignClaimsWarning(["data-web-0", "data-web-1"])]),
  ],
  "another Lockstep is at work": [() => said([bothModesWarning])],
  "another controller is at work": [() => said([competingWarning])],
  "the cluster's own controller rolls it out": [unassisted],
  "it asks for too many claims": [
    () => refusedLines({ replicas: 10_000, volumeClaimTemplates: [{}, {}, {}] as never }),
  ],
  "its ordinals are too high": [
    () => refusedLines({ ordinals: { start: 2_147_483_647 }, replicas: 2 }),
  ],
};

test("every event is true when it is emitted", async () => {
  const text = await sentencesOf(events, ([says]) => {
    return says();
  });
  await expect(text).toMatchFileSnapshot("sentences-events.txt");
});
