/** A rollout over clusters whose selection changes meanwhile: who joins waits for a slot, who leaves gives one back. */
import { expect, test } from "vitest";
import {
  all,
  drawnRollout,
  perGroup,
  progressive,
} from "../../../test/builders/cluster-rollout.ts";
import type { ClusterRolloutPolicy } from "./cluster-rollout.ts";
import { decideClusterRollout } from "./decide-cluster-rollout.ts";

interface Change {
  readonly by: ClusterRolloutPolicy;
  readonly before: string;
  /** The groups afterwards; what is known of clusters stays as it was drawn before. */
  readonly after: string;
  /** What is applied before / afterwards, and why. */
  readonly apply: string;
  readonly code: string;
  readonly removed?: string;
}

const joined: Record<string, Change> = {
  "CR1 All applies to a cluster that joins at once": {
    by: all(),
    before: "b~ c+",
    after: "a b c",
    apply: " / a",
    code: "RollingOut",
  },
  "CR2 a cluster that joins and sorts first waits for a slot": {
    by: progressive({ maxConcurrency: 2 }),
    before: "b~ c~ d",
    after: "a b c d",
    apply: " / ",
    code: "WaitingForClusters",
  },
  "CR2 a cluster that joins a finished rollout is the next": {
    by: progressive({ maxConcurrency: 1 }),
    before: "b+ c+",
    after: "a b c",
    apply: " / a",
    code: "RollingOut",
  },
  "CR2 what was decided for before comes before a cluster that joins": {
    by: progressive({ maxConcurrency: 1 }),
    before: "c? d",
    after: "a b c d",
    apply: "c / c",
    code: "RollingOut",
  },
  "CR4 a cluster that joins a stopped rollout has to wait for help": {
    by: progressive(),
    before: "b! c+",
    after: "a b c",
    apply: " / ",
    code: "TooManyFailures",
  },
  "CR4 more clusters allow more failures where a percentage may fail": {
    by: progressive({ maxConcurrency: 4, maxFailures: "25%" }),
    before: "a! b! c+ d",
    after: "a b c d e f g h",
    apply: " / d e",
    code: "RollingOut",
  },
  "CR6 a cluster that joins a group that was over is applied to before later groups": {
    by: perGroup(),
    before: "a+ b+ | d",
    after: "a b c | d",
    apply: "d / c",
    code: "RollingOut",
  },
  "CR6 a group that comes last waits for those before it": {
    by: perGroup(),
    before: "a+ | b~",
    after: "a | b | c d",
    apply: " / ",
    code: "WaitingForClusters",
  },
  "CR7 a cluster that joins a mandatory group holds up the rest": {
    by: progressive({ mandatoryGroups: [{ name: "canary" }] }),
    before: "canary: a+ | c d",
    after: "canary: a b | c d",
    apply: "c d / b",
    code: "RollingOut",
  },
};

const left: Record<string, Change> = {
  "CR9 All reports who left, and nobody else changes": {
    by: all(),
    before: "a+ b~ c+",
    after: "a c",
    apply: " / ",
    code: "RolledOut",
    removed: "b",
  },
  "CR9 a cluster under way that leaves gives its slot back": {
    by: progressive({ maxConcurrency: 1 }),
    before: "a~ b c",
    after: "b c",
    apply: " / b",
    code: "RollingOut",
    removed: "a",
  },
  "CR9 a failed cluster that leaves is no failure any more": {
    by: progressive(),
    before: "a! b+ c",
    after: "b c",
    apply: " / c",
    code: "RollingOut",
    removed: "a",
  },
  "CR9 a timed out cluster that leaves is none either": {
    by: progressive({ deadlineMs: 60_000 }),
    before: "a~61 b",
    after: "b",
    apply: " / b",
    code: "RollingOut",
    removed: "a",
  },
  "CR4 fewer clusters allow fewer failures where a percentage may fail": {
    by: progressive({ maxConcurrency: 4, maxFailures: "25%" }),
    before: "a! b! c+ d e f g h",
    after: "a b c d",
    apply: "d e / ",
    code: "TooManyFailures",
  },
  "CR6 a group that leaves while it is under way lets the next begin": {
    by: perGroup(),
    before: "a~ b | c d",
    after: "c d",
    apply: "b / c d",
    code: "RollingOut",
    removed: "a",
  },
  "CR6 the one that failed leaves its group, and the next begins": {
    by: perGroup(),
    before: "a! b+ | c",
    after: "b | c",
    apply: " / c",
    code: "RollingOut",
    removed: "a",
  },
  "CR7 a mandatory group that leaves holds nothing up": {
    by: progressive({ mandatoryGroups: [{ name: "canary" }] }),
    before: "canary: a! b | c d",
    after: "c d",
    apply: " / c d",
    code: "RollingOut",
    removed: "a",
  },
  "CR9 everybody leaves": {
    by: perGroup(),
    before: "a+ b~ | c",
    after: "",
    apply: " / ",
    code: "RolledOut",
    removed: "a b",
  },
};

test.each(Object.entries({ ...joined, ...left }))(
  "%s",
  (_rule, { by, before, after, apply, code, removed = "" }) => {
    const snapshot = drawnRollout(before);
    const first = decideClusterRollout(snapshot, by);
    const then = decideClusterRollout({ ...snapshot, groups: drawnRollout(after).groups }, by);
    expect(`${first.apply.join(" ")} / ${then.apply.join(" ")}`).toBe(apply);
    expect([then.reason.code, then.removed.join(" ")]).toEqual([code, removed]);
  },
);
