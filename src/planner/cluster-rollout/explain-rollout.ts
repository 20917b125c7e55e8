/** Says in one sentence how far a rollout over clusters is and what it waits for. */
import type { AssessedCluster } from "./assess-cluster.ts";
import type { ClusterRolloutReason } from "./cluster-rollout.ts";
import type { StageAnswer } from "./decide-cluster-rollout.ts";

const namesShown = 3;

/** `answer` is that of the first stage that is not over; undefined where all are. */
export function explainRollout(
  states: readonly AssessedCluster[],
  answer: StageAnswer | undefined,
): ClusterRolloutReason {
  if (answer === undefined) return { code: "RolledOut", message: over(states) };
  if (answer.isStopped) return { code: "TooManyFailures", message: stopped(states, answer) };
  if (answer.apply.length === 0) {
    return { code: "WaitingForClusters", message: waiting(states, answer) };
  }
  const names = listed(answer.apply);
  const message = `rolling out to ${names}${inGroup(answer)}: ${progress(states)}`;
  return { code: "RollingOut", message };
}

function over(states: readonly AssessedCluster[]): string {
  const failed = failuresIn(states);
  if (states.length === 0) return "no cluster is selected";
  if (failed.length === 0) return `rolled out to ${count(states.length)}`;
  const done = states.length - failed.length;
  return `rolled out to ${done} of ${count(states.length)}; ${failuresInWords(failed)}`;
}

function stopped(states: readonly AssessedCluster[], answer: StageAnswer): string {
  const { clusters, failuresOf = clusters, maxFailures } = answer.stage;
  const counted = new Set(failuresOf);
  const failed = failuresIn(states).filter(({ name }) => counted.has(name));
  const allowed = maxFailures === 0 ? "none may" : `at most ${maxFailures} may`;
  const failures = `${failuresInWords(failed)}, ${allowed}`;
  return `stopped${inGroup(answer)}: ${failures}; ${progress(states)}`;
}

function waiting(states: readonly AssessedCluster[], answer: StageAnswer): string {
  const { clusters, maxConcurrency } = answer.stage;
  const here = new Set(clusters);
  const underWay = states.filter(({ name, takesSlot }) => takesSlot && here.has(name));
  const names = listed(underWay.map(({ name, state }) => `${name} (${inWords[state]})`));
  const left = states.filter(({ state }) => state === "ToApply");
  // Those of later groups go at a pace of their own.
  const pace = left.some(({ name }) => here.has(name)) ? `, ${maxConcurrency} at once` : "";
  const next = left.length === 0 ? "" : `, ${count(left.length)} to follow${pace}`;
  return `waiting for ${names}${inGroup(answer)}${next}`;
}

const inWords: Readonly<Record<AssessedCluster["state"], string>> = {
  ToApply: "to be applied",
  Progressing: "progressing",
  Succeeded: "succeeded, not for long enough yet",
  Failed: "failed",
  TimeOut: "timed out",
  Skip: "skipped",
};

const failuresIn = (states: readonly AssessedCluster[]): readonly AssessedCluster[] =>
  states.filter(({ hasFailed }) => hasFailed);

function failuresInWords(failed: readonly AssessedCluster[]): string {
  const names = listed(failed.map(({ name, state }) => `${name} (${inWords[state]})`));
  return `${count(failed.length)} failed: ${names}`;
}

/** `12 of 150 clusters done, 3 under way`. */
function progress(states: readonly AssessedCluster[]): string {
  const underWay = states.filter(({ takesSlot }) => takesSlot).length;
  const done = states.filter(
    ({ state, takesSlot }) => !takesSlot && (state === "Succeeded" || state === "Skip"),
  ).length;
  return `${done} of ${count(states.length)} done, ${underWay} under way`;
}

const inGroup = ({ stage: { group } }: Pick<StageAnswer, "stage">): string =>
  group === undefined ? "" : ` in ${group}`;

/** The first few by name, the others by number. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, namesShown).join(", ");
  return names.length > namesShown ? `${shown} and ${names.length - namesShown} more` : shown;
}

const count = (clusters: number): string => `${clusters} cluster${clusters === 1 ? "" : "s"}`;
