/** What a person should know about a planned change before making it. Pure. */
import type { Condition } from "../api/apps.ts";
import type { PlanWarning, Verdict } from "./plan.ts";
import type { PodFollower } from "./pod-follower.ts";

/** A PodDisruptionBudget that selects pods of the workload, as far as it matters here. */
export interface DisruptionBudget {
  readonly name: string;
  /** How many of the selected pods it lets go at a time, as of now. */
  readonly disruptionsAllowed: number;
}

export interface WarningFacts {
  readonly verdict: Verdict;
  readonly object: { readonly status?: { readonly conditions?: readonly Condition[] } };
  readonly follower: Pick<PodFollower, "hasMixedVersions" | "isSurgeWaiting">;
  readonly disruptionBudgets: readonly DisruptionBudget[];
}

/** Why a rollout cannot end, by what its status says; the first that matches. */
const stallCodes: readonly (readonly [RegExp, PlanWarning["code"], string])[] = [
  [/SpecRejected|not accepted|until this is corrected/, "SpecRejected", "the spec is not accepted"],
  [/does not fit/, "GangDoesNotFit", "a gang does not fit"],
  [/exceeded quota/, "QuotaExceeded", "a quota is exceeded"],
  [/ErrImagePull|ImagePullBackOff|InvalidImageName/, "ImageFails", "an image cannot be pulled"],
  [/no unit may be down and/, "NoBudget", "the budget allows nothing"],
  [/not scheduled/, "CannotFinish", "a pod finds no place"],
];

const surgeStall = ["", "SurgeDoesNotFit", "the surge does not fit"] as const;

export function warningsOf(facts: WarningFacts): readonly PlanWarning[] {
  const { verdict, follower } = facts;
  return [
    ...(verdict === "stalls" ? [stall(facts)] : []),
    ...(verdict === "nothing"
      ? [{ code: "NothingChanges" as const, message: "no pod would be touched" }]
      : []),
    ...(follower.hasMixedVersions
      ? [
          {
            code: "MixedVersions" as const,
            message:
              "pods of two versions serve the same requests for a while: they must understand each other, " +
              "or use updateStrategy.type ReplicaRecreate",
          },
        ]
      : []),
    ...idleSettings(facts),
    ...budgets(facts),
  ];
}

const conditionOf = ({ object }: WarningFacts, wanted: string): Condition | undefined =>
  object.status?.conditions?.find(({ type }) => type === wanted);

function stall(facts: WarningFacts): PlanWarning {
  const stalled = conditionOf(facts, "Stalled");
  const text = `${stalled?.reason ?? ""} ${stalled?.message ?? ""}`;
  const isSurge = facts.follower.isSurgeWaiting && text.includes("not scheduled");
  const [, code, what] = isSurge
    ? surgeStall
    : (stallCodes.find(([pattern]) => pattern.test(text)) ?? []);
  const message = stalled?.message ?? "it does not end within a week";
  return {
    code: code ?? "CannotFinish",
    message: `cannot finish: ${what ?? "it stalls"}: ${message}`,
  };
}

function idleSettings(facts: WarningFacts): readonly PlanWarning[] {
  const accepted = conditionOf(facts, "SpecAccepted");
  if (accepted?.reason !== "SettingsWithoutEffect") return [];
  return [{ code: "SettingWithoutEffect", message: accepted.message ?? "" }];
}

function budgets({ disruptionBudgets, verdict }: WarningFacts): readonly PlanWarning[] {
  if (verdict === "nothing") return [];
  return disruptionBudgets
    .filter(({ disruptionsAllowed }) => disruptionsAllowed === 0)
    .map(({ name }) => ({
      code: "DisruptionBudget" as const,
      message:
        `PodDisruptionBudget ${name} allows no disruption now: a rollout deletes pods all the same, ` +
        "and drains of nodes wait until it is over",
    }));
}
