/** What a person should know about a planned change before making it. Pure. */
import type { Condition } from "../api/apps.ts";
import type { PlannedComponent, PlannedStep, PlanWarning, Verdict } from "./plan.ts";
import type { Follower } from "./follower.ts";
import type { Rollback } from "./play.ts";

/** A PodDisruptionBudget that selects pods of the workload, as far as it matters here. */
export interface DisruptionBudget {
  readonly name: string;
  /** How many of the selected pods it lets go at a time, as of now. */
  readonly disruptionsAllowed: number;
  /** Names of the pods that it selects. */
  readonly pods: ReadonlySet<string>;
}

export interface WarningFacts {
  readonly verdict: Verdict;
  readonly kind: string;
  readonly steps: readonly PlannedStep[];
  readonly components: readonly PlannedComponent[];
  readonly object: { readonly status?: { readonly conditions?: readonly Condition[] } };
  readonly follower: Pick<Follower, "hasMixedVersions" | "isSurgeWaiting">;
  readonly disruptionBudgets: readonly DisruptionBudget[];
  /** What writes were refused with. */
  readonly problems: readonly string[];
  /** Undefined unless the operator itself put an earlier spec back. */
  readonly rollback: Rollback | undefined;
  /** Settings that do nothing, beside those that the status names. */
  readonly idleSettings: readonly string[];
  /** As the server words it: `unknown field "spec.replicass"`. */
  readonly unknownFields: readonly string[];
}

type StallCause = readonly [RegExp, PlanWarning["code"], string];

/** Why a rollout cannot end, by what its status says; the first that matches. */
const stallCodes: readonly StallCause[] = [
  [/SpecRejected|not accepted|until this is corrected/, "SpecRejected", "the spec is not accepted"],
  // A surge that was given up is named too: it did not fit.
  [/no \w+ may be down and|NoBudget/, "NoBudget", "the budget allows nothing"],
  [/does not fit/, "GangDoesNotFit", "a gang does not fit"],
  [/exceeded quota/, "QuotaExceeded", "a quota is exceeded"],
  [/ErrImagePull|ImagePullBackOff|InvalidImageName/, "ImageFails", "an image cannot be pulled"],
  [
    /NoManagedClusterSetBindings|SelectionFailed|Misconfigured/,
    "CannotFinish",
    "no cluster can be selected",
  ],
  [/not scheduled/, "CannotFinish", "a pod finds no place"],
  [
    /CrashLoopBackOff|RunContainerError|pod ended/,
    "ImageFails",
    "a container does not keep running",
  ],
  [/is invalid: |not created: /, "CannotFinish", "a pod is refused"],
  [/ProgressDeadlineExceeded/, "DeadlineExceeded", "nothing moves within its progress deadline"],
];

const surgeStall: StallCause = [/not scheduled/, "SurgeDoesNotFit", "the surge does not fit"];

export function warningsOf(facts: WarningFacts): readonly PlanWarning[] {
  const { verdict, follower } = facts;
  return [
    ...(verdict === "stalls" ? [stall(facts)] : []),
    ...(verdict === "nothing"
      ? [{ code: "NothingChanges" as const, message: nothingTouched(facts) }]
      : []),
    ...(follower.hasMixedVersions ? [mixedVersions(facts)] : []),
    ...vanishing(facts),
    ...idleSettings(facts),
    ...budgets(facts),
  ];
}

const nothingTouched = ({ kind }: WarningFacts): string =>
  `no ${kind === "Placement" ? "PlacementDecision" : "pod"} would be touched`;

const waysOut: Readonly<Record<string, string>> = {
  PodCliqueSet: ", or use updateStrategy.type ReplicaRecreate",
  RoleBasedGroup:
    ", or let the router pair pods by the label rolebasedgroup.workloads.x-k8s.io/revision",
};

const mixedVersions = ({ kind }: WarningFacts): PlanWarning => ({
  code: "MixedVersions",
  message: `pods of two versions serve side by side for a while: they must understand each other${waysOut[kind] ?? ""}`,
});

/** Decisions that are written in place drop clusters before others list them. */
function vanishing({ kind, components }: WarningFacts): readonly PlanWarning[] {
  const [fleet] = kind === "Placement" ? components : [];
  if (fleet === undefined || fleet.desired === 0 || fleet.promisedAvailable > 0) return [];
  const kept = fleet.keptClusters ?? 0;
  const missing = kept - fleet.lowestAvailable;
  if (missing === 0) return [];
  return [
    {
      code: "ClustersVanish",
      message:
        `${missing} of ${kept} clusters that stay selected are listed nowhere for a moment: ` +
        "use decisionStrategy.updateStrategy.type RollingUpdate",
    },
  ];
}

const conditionOf = ({ object }: WarningFacts, wanted: string): Condition | undefined =>
  object.status?.conditions?.find(({ type }) => type === wanted);

const briefLength = 400;

/** What a message says first: causes of the same kind follow, separated by semicolons. */
export function brief(message: string): string {
  const [first = "", cause] = message.split("; ");
  const hasRoom = first.length < briefLength / 2 && cause !== undefined;
  const text = hasRoom ? `${first}; ${shortCause(cause)}` : first;
  return text.length > briefLength ? `${text.slice(0, briefLength - 3)}...` : text;
}

/** `web-3, web-4: not scheduled: PodGang ...: 0/3 nodes are available: ...`: one name, and what the nodes lack. */
function shortCause(cause: string): string {
  const [names = "", ...rest] = cause.split(": ");
  if (rest.length === 0) return cause;
  const [name = "", ...more] = names.split(", ");
  const who = more.length === 0 ? name : `${name} and ${more.length} more`;
  const why = rest.join(": ");
  const nodes = /^not scheduled: .*?(\d+\/\d+ nodes are available: .*?)(\. preemption: .*)?$/.exec(
    why,
  )?.[1];
  return [who, ...(nodes === undefined ? rest : ["not scheduled", nodes])].join(": ");
}

function stall(facts: WarningFacts): PlanWarning {
  const stalled = conditionOf(facts, "Stalled");
  const last = facts.problems.at(-1) ?? "";
  if (facts.rollback !== undefined) return rolledBack(facts.rollback);
  const isSaid = stalled?.status === "True";
  const said = isSaid ? ofStalled(stalled) : nothingMoves(last, facts);
  const text = `${isSaid ? (stalled.reason ?? "") : ""} ${said} ${last}`;
  const [, code = "CannotFinish", what = "it stalls"] =
    causeIn(text, facts.follower.isSurgeWaiting) ?? [];
  const help = helps[code];
  return {
    code,
    message: `cannot finish: ${what}: ${brief(said)}${help === undefined ? "" : `; ${help}`}`,
  };
}

/** What to do where the sentence of the object does not say it. */
const helps: Readonly<Partial<Record<PlanWarning["code"], string>>> = {
  SurgeDoesNotFit: "make room for it, or replace in place: maxUnavailable 1 and maxSurge 0",
  GangDoesNotFit: "make room for it, or ask for less",
  QuotaExceeded: "raise the quota, or ask for less",
};

function causeIn(text: string, isSurgeWaiting: boolean): StallCause | undefined {
  const isSurge = isSurgeWaiting && text.includes("not scheduled");
  return isSurge ? surgeStall : stallCodes.find(([pattern]) => pattern.test(text));
}

/** Without its time, which is one of the copy. */
const ofStalled = ({ message = "" }: Condition): string =>
  message.replace(/^no progress since \S+: /, "");

function nothingMoves(last: string, facts: WarningFacts): string {
  const cause = last === "" ? (conditionOf(facts, "Progressing")?.message ?? "") : last;
  return cause === "" ? "nothing moves any more" : `nothing moves any more: ${cause}`;
}

function rolledBack({ said, isSurgeWaiting }: Rollback): PlanWarning {
  const [, , what] = causeIn(said, isSurgeWaiting) ?? [];
  const cause = what === undefined ? "" : `${what}, so `;
  return {
    code: "RolledBack",
    message: `cannot finish: ${cause}it is rolled back, as onStuck asks: ${brief(said)}`,
  };
}

function idleSettings(facts: WarningFacts): readonly PlanWarning[] {
  const accepted = conditionOf(facts, "SpecAccepted");
  const named = accepted?.reason === "SettingsWithoutEffect" ? [accepted.message ?? ""] : [];
  const unknown = facts.unknownFields.map(
    (text) => `${text}: nothing reads it, and kubectl apply refuses it`,
  );
  return [...named, ...facts.idleSettings, ...unknown].map((message) => ({
    code: "SettingWithoutEffect",
    message,
  }));
}

function budgets({ disruptionBudgets, steps }: WarningFacts): readonly PlanWarning[] {
  const deleted = new Set(
    steps
      .flatMap(({ writes }) => writes)
      .filter(({ verb, resource }) => verb === "delete" && resource === "pods")
      .map(({ name }) => name),
  );
  return disruptionBudgets
    .filter(({ disruptionsAllowed }) => disruptionsAllowed === 0)
    .filter(({ pods }) => [...pods].some((pod) => deleted.has(pod)))
    .map(({ name }) => ({
      code: "DisruptionBudget" as const,
      message:
        `PodDisruptionBudget ${name} allows no disruption now: a rollout deletes pods all the same, ` +
        "and drains of nodes wait until it is over",
    }));
}
