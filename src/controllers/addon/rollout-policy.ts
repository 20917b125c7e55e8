/** The rollout strategy of a Placement in a ClusterManagementAddOn, as the planner takes it. */
import { durationMs } from "../../api/duration.ts";
import type { IntOrPercent } from "../../api/int-or-percent.ts";
import type { RolloutStrategy } from "../../api/ocm/addon.ts";
import type { ClusterRolloutPolicy, GroupReference } from "../../planner/index.ts";
import { isRolloutSize, progressDeadlineMs } from "../../planner/index.ts";

/** A field that cannot be read, where it is and how to fix it. */
interface PolicyProblem {
  readonly problem: string;
}

export const isPolicyProblem = (
  answer: ClusterRolloutPolicy | PolicyProblem,
): answer is PolicyProblem => "problem" in answer;

/** `path` is where the strategy stands in its object. */
export function rolloutPolicy(
  strategy: RolloutStrategy | undefined,
  path: string,
): ClusterRolloutPolicy | PolicyProblem {
  const type = strategy?.type ?? "All";
  const field = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const read = new FieldReader(`${path}.${field}`);
  const { progressDeadline, minSuccessTime } = blockOf(strategy);
  const deadlineMs = read.deadline(progressDeadline);
  const minSuccessMs = read.duration(minSuccessTime);
  if (type === "All") return read.problem ?? { type, deadlineMs };
  const { maxFailures, mandatoryDecisionGroups = [] } = blockOf(strategy);
  const paced = {
    deadlineMs,
    minSuccessMs,
    maxFailures: read.amount("maxFailures", maxFailures),
    mandatoryGroups: mandatoryDecisionGroups.map(groupReference),
  };
  if (type === "ProgressivePerGroup") return read.problem ?? { type, ...paced };
  const maxConcurrency = read.amount("maxConcurrency", strategy?.progressive?.maxConcurrency);
  return read.problem ?? { type, ...paced, maxConcurrency };
}

interface Block {
  readonly minSuccessTime?: string | undefined;
  readonly progressDeadline?: string | undefined;
  readonly maxFailures?: IntOrPercent | undefined;
  readonly mandatoryDecisionGroups?: readonly MandatoryGroup[] | undefined;
}

interface MandatoryGroup {
  readonly groupName?: string | undefined;
  readonly groupIndex?: number | undefined;
}

function blockOf(strategy: RolloutStrategy | undefined): Block {
  switch (strategy?.type) {
    case "Progressive":
      return strategy.progressive ?? {};
    case "ProgressivePerGroup":
      return strategy.progressivePerGroup ?? {};
    case "All":
    case undefined:
      return strategy?.all ?? {};
  }
}

const groupReference = ({ groupName = "", groupIndex = 0 }: MandatoryGroup): GroupReference =>
  groupName === "" ? { index: groupIndex } : { name: groupName };

/** Reads the fields of one block and keeps the first problem. */
class FieldReader {
  readonly #path: string;
  problem: PolicyProblem | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  deadline(text: string | undefined): number {
    const ms = progressDeadlineMs(text);
    return (
      ms ??
      this.#refuse("progressDeadline", text, "write hours, minutes or seconds such as 10m, or None")
    );
  }

  duration(text: string | undefined): number {
    const ms = durationMs(text ?? "0");
    return ms !== undefined && ms >= 0
      ? ms
      : this.#refuse("minSuccessTime", text, "write a length of time such as 5m");
  }

  amount(field: string, amount: IntOrPercent | undefined): IntOrPercent {
    if (amount === undefined || isRolloutSize(amount)) return amount ?? 0;
    // The schema takes a number in quotes too, so it counts as that number.
    if (/^[0-9]+$/.test(String(amount))) return Number(amount);
    return this.#refuse(
      field,
      amount,
      "write a whole number such as 10, or a percentage such as 25%",
    );
  }

  #refuse(field: string, found: unknown, fix: string): number {
    this.problem ??= {
      problem: `${this.#path}.${field}: ${JSON.stringify(found)} cannot be read; ${fix}`,
    };
    return 0;
  }
}
