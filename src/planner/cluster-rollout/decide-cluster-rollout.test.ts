/** Rollouts over clusters: who is next under each strategy, who holds it up, and what is said about it. */
import { expect, test } from "vitest";
import {
  all,
  drawnRollout,
  nowMs,
  perGroup,
  progressive,
} from "../../../test/builders/cluster-rollout.ts";
import type { ClusterRolloutPolicy, KnownCluster } from "./cluster-rollout.ts";
import { decideClusterRollout } from "./decide-cluster-rollout.ts";

interface Case {
  readonly given: string;
  readonly by: ClusterRolloutPolicy;
  readonly apply: string;
  readonly code: string;
  readonly says: string;
}

const mandatory = (...mandatoryGroups: readonly ({ name: string } | { index: number })[]) => ({
  mandatoryGroups,
});

const cases: Record<string, Case> = {
  "CR1 All takes every cluster at once": {
    given: "a b+ c~ | d",
    by: all(),
    apply: "a d",
    code: "RollingOut",
    says: "rolling out to a, d: 1 of 4 clusters done, 1 under way",
  },
  "CR1 All goes on whatever fails": {
    given: "a b! c! d!",
    by: all(),
    apply: "a",
    code: "RollingOut",
    says: "rolling out to a: 0 of 4 clusters done, 3 under way",
  },
  "CR1 All does not wait for a minimum time": {
    given: "a+0",
    by: all(),
    apply: "",
    code: "RolledOut",
    says: "rolled out to 1 cluster",
  },
  "CR2 as many at once as maxConcurrency says, by name": {
    given: "c b a",
    by: progressive(),
    apply: "a b",
    code: "RollingOut",
    says: "rolling out to a, b: 0 of 3 clusters done, 0 under way",
  },
  "CR2 a cluster under way takes a slot": {
    given: "a b~ c d",
    by: progressive(),
    apply: "a",
    code: "RollingOut",
    says: "rolling out to a: 0 of 4 clusters done, 1 under way",
  },
  "CR2 a cluster that waits takes no slot from one under way": {
    given: "a? b~ c~ d",
    by: progressive(),
    apply: "",
    code: "WaitingForClusters",
    says: "waiting for b (progressing), c (progressing), 2 clusters to follow, 2 at once",
  },
  "CR2 clusters that were decided for come first": {
    given: "a b z?",
    by: progressive({ maxConcurrency: 1 }),
    apply: "z",
    code: "RollingOut",
    says: "rolling out to z: 0 of 3 clusters done, 0 under way",
  },
  "CR2 a percentage is rounded up": {
    given: "a b c d",
    by: progressive({ maxConcurrency: "30%" }),
    apply: "a b",
    code: "RollingOut",
    says: "rolling out to a, b: 0 of 4 clusters done, 0 under way",
  },
  "CR2 none and too many mean all": {
    given: "a b c",
    by: progressive({ maxConcurrency: 0 }),
    apply: "a b c",
    code: "RollingOut",
    says: "rolling out to a, b, c: 0 of 3 clusters done, 0 under way",
  },
  "CR3 a cluster that has just succeeded keeps its slot": {
    given: "a+30 b+90 c d",
    by: progressive({ maxConcurrency: 1, minSuccessMs: 60_000 }),
    apply: "",
    code: "WaitingForClusters",
    says: "waiting for a (succeeded, not for long enough yet), 2 clusters to follow, 1 at once",
  },
  "CR4 a failed cluster stops the rollout by default": {
    given: "a! b c",
    by: progressive(),
    apply: "",
    code: "TooManyFailures",
    says: "stopped: 1 cluster failed: a (failed), none may; 0 of 3 clusters done, 1 under way",
  },
  "CR4 tolerated failures keep their slots until the deadline": {
    given: "a! b c d",
    by: progressive({ maxFailures: 1 }),
    apply: "b",
    code: "RollingOut",
    says: "rolling out to b: 0 of 4 clusters done, 1 under way",
  },
  "CR4 a percentage of all clusters may fail, rounded up": {
    given: "a! b! c d e f",
    by: progressive({ maxConcurrency: 3, maxFailures: "30%" }),
    apply: "c",
    code: "RollingOut",
    says: "rolling out to c: 0 of 6 clusters done, 2 under way",
  },
  "CR4 more failures than there are clusters mean none": {
    given: "a! b c",
    by: progressive({ maxFailures: "200%" }),
    apply: "",
    code: "TooManyFailures",
    says: "stopped: 1 cluster failed: a (failed), none may; 0 of 3 clusters done, 1 under way",
  },
  "CR5 past the deadline a cluster has timed out and gives its slot back": {
    given: "a~601 b! c d",
    by: progressive({ maxConcurrency: 1, maxFailures: 2, deadlineMs: 600_000 }),
    apply: "",
    code: "WaitingForClusters",
    says: "waiting for b (failed), 2 clusters to follow, 1 at once",
  },
  "CR5 a cluster that timed out is a failure": {
    given: "a~601 b c",
    by: progressive({ deadlineMs: 600_000 }),
    apply: "",
    code: "TooManyFailures",
    says: "stopped: 1 cluster failed: a (timed out), none may; 0 of 3 clusters done, 0 under way",
  },
  "CR5 All times out too, and says so": {
    given: "a~601 b+",
    by: all(600_000),
    apply: "",
    code: "RolledOut",
    says: "rolled out to 1 of 2 clusters; 1 cluster failed: a (timed out)",
  },
  "CR6 group after group": {
    given: "a+ b | c d | e",
    by: perGroup(),
    apply: "b",
    code: "RollingOut",
    says: "rolling out to b in group 0: 1 of 5 clusters done, 0 under way",
  },
  "CR6 a whole group at once, when the one before is over": {
    given: "a+ b- | c d | e",
    by: perGroup(),
    apply: "c d",
    code: "RollingOut",
    says: "rolling out to c, d in group 1: 2 of 5 clusters done, 0 under way",
  },
  "CR6 a group with a cluster under way is not over": {
    given: "a+ b~ | c d",
    by: perGroup(),
    apply: "",
    code: "WaitingForClusters",
    says: "waiting for b (progressing) in group 0, 2 clusters to follow",
  },
  "CR6 a timed out cluster hides no other that is under way": {
    given: "a# b~ | c d",
    by: perGroup({ maxFailures: 1 }),
    apply: "",
    code: "WaitingForClusters",
    says: "waiting for b (progressing) in group 0, 2 clusters to follow",
  },
  "CR6 tolerated failures of a group let the next begin": {
    given: "a! b+ | c d",
    by: perGroup({ maxFailures: "50%" }),
    apply: "c d",
    code: "RollingOut",
    says: "rolling out to c, d in group 1: 1 of 4 clusters done, 1 under way",
  },
  "CR6 failures are counted in their group": {
    given: "a! b+ | c! d",
    by: perGroup({ maxFailures: 1 }),
    apply: "d",
    code: "RollingOut",
    says: "rolling out to d in group 1: 1 of 4 clusters done, 2 under way",
  },
  "CR6 too many failures in a group stop everything": {
    given: "a! b! c+ | d",
    by: perGroup({ maxFailures: 1 }),
    apply: "",
    code: "TooManyFailures",
    says:
      "stopped in group 0: 2 clusters failed: a (failed), b (failed), at most 1 may; " +
      "1 of 4 clusters done, 2 under way",
  },
  "CR7 mandatory groups go first, one by one, and the rest follows": {
    given: "a b | canary: c d | e f",
    by: progressive({ maxConcurrency: 1, ...mandatory({ name: "canary" }) }),
    apply: "c d",
    code: "RollingOut",
    says: "rolling out to c, d in group canary (1): 0 of 6 clusters done, 0 under way",
  },
  "CR7 the rest has its slots for itself": {
    given: "a b | canary: c+ d+ | e~ f",
    by: progressive({ maxConcurrency: 2, ...mandatory({ name: "canary" }) }),
    apply: "a",
    code: "RollingOut",
    says: "rolling out to a: 2 of 6 clusters done, 1 under way",
  },
  "CR7 a mandatory group may be named by its index": {
    given: "a b | c",
    by: perGroup(mandatory({ index: 1 })),
    apply: "c",
    code: "RollingOut",
    says: "rolling out to c in group 1: 0 of 3 clusters done, 0 under way",
  },
  "CR7 nothing may fail in a mandatory group": {
    given: "canary: a! b+ | c d",
    by: perGroup({ maxFailures: "100%", ...mandatory({ name: "canary" }) }),
    apply: "",
    code: "TooManyFailures",
    says:
      "stopped in group canary (0): 1 cluster failed: a (failed), none may; " +
      "1 of 4 clusters done, 1 under way",
  },
  "CR7 a mandatory group that is not there holds nothing up": {
    given: "a b",
    by: progressive(mandatory({ name: "canary" }, { index: 7 })),
    apply: "a b",
    code: "RollingOut",
    says: "rolling out to a, b: 0 of 2 clusters done, 0 under way",
  },
  "CR8 everything is rolled out": {
    given: "a+ b- | c+",
    by: perGroup(),
    apply: "",
    code: "RolledOut",
    says: "rolled out to 3 clusters",
  },
  "CR8 no cluster is selected": {
    given: "",
    by: progressive(),
    apply: "",
    code: "RolledOut",
    says: "no cluster is selected",
  },
  "CR8 long lists are cut": {
    given: "a b c d e",
    by: all(),
    apply: "a b c d e",
    code: "RollingOut",
    says: "rolling out to a, b, c and 2 more: 0 of 5 clusters done, 0 under way",
  },
};

test.each(Object.entries(cases))("%s", (_rule, { given, by, apply, code, says }) => {
  const decision = decideClusterRollout(drawnRollout(given), by);
  expect({ apply: decision.apply.join(" "), ...decision.reason }).toEqual({
    apply,
    code,
    message: says,
  });
  expect(decision.isStopped).toBe(code === "TooManyFailures");
});

test("CR9 clusters that are in no group any more are named, and take no slot", () => {
  const given = drawnRollout("a~ b");
  const gone: KnownCluster = { name: "gone", state: "Progressing" };
  const snapshot = { ...given, known: [...given.known, gone] };
  const { apply, removed } = decideClusterRollout(snapshot, progressive());
  expect([apply, removed]).toEqual([["b"], ["gone"]]);
});

test("CR9 a cluster that two groups list belongs to the first", () => {
  const groups = [
    { index: 1, name: "", clusters: ["a", "b"] },
    { index: 0, name: "", clusters: ["a"] },
  ];
  const decision = decideClusterRollout({ nowMs, groups, known: [] }, perGroup());
  expect(decision.apply).toEqual(["a"]);
});

test("CR10 says when time alone changes the answer", () => {
  const decision = decideClusterRollout(
    drawnRollout("a+30 b~500 c~ d"),
    progressive({ maxConcurrency: 4, minSuccessMs: 60_000, deadlineMs: 600_000 }),
  );
  expect(decision.recheckAfterMs).toBe(30_000);
  expect(decision.underWay.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(decideClusterRollout(drawnRollout("a~ b+"), progressive()).recheckAfterMs).toBeUndefined();
});

test("CR5 names who timed out and who failed", () => {
  const by = progressive({ deadlineMs: 60_000, maxFailures: 3 });
  const { timedOut, failed } = decideClusterRollout(drawnRollout("a~61 b! c!99 d+ e#"), by);
  expect([timedOut, failed]).toEqual([["a", "c", "e"], ["b"]]);
});
