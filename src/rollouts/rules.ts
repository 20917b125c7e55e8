/** The rule behind each reason, by its number in docs/rules, in one sentence. */

export interface RuleText {
  /** `RO1`. */
  readonly number: string;
  readonly title: string;
  readonly sentence: string;
}

const rule = (number: string, title: string, sentence: string): RuleText => ({
  number,
  title,
  sentence,
});

const budget = rule(
  "RO1",
  "Budget",
  "A serving unit is deleted only if enough others keep serving: never more than maxUnavailable are down.",
);
const live = rule(
  "RO7",
  "Live",
  "A rollout ends when every unit is available on the target; until then it names what it waits for.",
);
const partition = rule(
  "RO13",
  "Partition",
  "Units below the partition keep their revision until somebody lowers it.",
);

const status = rule(
  "PS21",
  "Rolled out means all of it",
  "A unit counts as updated when all of it is available on the target; until then it may serve on what it has.",
);

const rollback = rule(
  "RO15",
  "Deadline",
  "With onStuck: Rollback, a rollout in which nothing changes for the deadline goes back.",
);

const seenThroughout = rule(
  "PL1",
  "Seen throughout",
  "A cluster that stays selected is listed in some decision after every write.",
);

export const rulesByReason: Readonly<Record<string, RuleText>> = {
  Replacing: budget,
  BudgetSpent: budget,
  RolledOut: live,
  UpdateEnded: live,
  UnitNotAvailable: rule(
    "RO5",
    "Never backwards",
    "A unit on the target that is merely down is waited for, not replaced.",
  ),
  GangDoesNotFit: rule(
    "GA8",
    "Schedulers that do not know gangs",
    "The pods of a gang stay gated until all that it needs at least would find room.",
  ),
  Updating: status,
  UnitNotComplete: status,
  AwaitingTurn: status,
  ReplacedByOwner: status,
  RollingBack: rollback,
  AwaitingRollback: rollback,
  UnitTerminating: rule(
    "RO4",
    "No holes",
    "A place is filled again only when nothing is left in it, not even a terminating unit.",
  ),
  Creating: rule("RO4", "No holes", "Every place below the desired number is filled."),
  NoBudget: rule(
    "RO2",
    "Amounts",
    "With nothing allowed down and nothing extra, no unit can ever be replaced.",
  ),
  ScalingIn: rule("RO9", "Scaling comes first", "What is above the desired number goes first."),
  Paused: rule("RO12", "Pause", "A paused rollout replaces nothing; lost units still come back."),
  AtPartition: partition,
  PartitionReached: partition,
  ProgressDeadlineExceeded: rule(
    "RO15",
    "Deadline",
    "A rollout in which nothing changes for the deadline is reported as stuck.",
  ),
  Surging: rule("SU1", "Surge first", "Extra units start before an outdated one is deleted."),
  SurgeNotAvailable: rule(
    "SU2",
    "Surge stands in",
    "Where nothing may be down, an old unit is deleted only once an extra one serves.",
  ),
  ReleasingSurge: rule(
    "SU4",
    "Surge is deleted last",
    "Extra units go when every other unit serves on the target.",
  ),
  OutdatedLeftToDelete: rule(
    "OD1",
    "OnDelete",
    "Nothing is deleted for an update: outdated units stay until somebody deletes them.",
  ),
  RoundNotOver: rule(
    "ST2",
    "OrderedReady",
    "The next round of pods starts when all pods of this one are available.",
  ),
  PredecessorNotAvailable: rule(
    "ST14",
    "Scaling",
    "Under OrderedReady a pod starts only after the one before it is available.",
  ),
  AwaitingPromotion: rule(
    "CO9",
    "Steps",
    "A step with a pause waits for its seconds, or until somebody promotes it.",
  ),
  StepPause: rule(
    "CO9",
    "Steps",
    "A step with a pause waits for its seconds, or until somebody promotes it.",
  ),
  RoleFailing: rule(
    "CO6",
    "A failing role halts its partners",
    "Roles that change together wait for the one that fails, so that all can be rolled back together.",
  ),
  RoleFailingAlone: rule(
    "RG8",
    "Failing role",
    "A role whose new pods do not start is named with pod and cause, and another image moves it on from where it is.",
  ),
  SpecRejected: rule(
    "PS11",
    "Rejected specs",
    "An invalid spec changes nothing: the last accepted one stays in force.",
  ),
  InvalidSpec: rule("RG10", "Stall", "What only a change of the spec can help is said at once."),
  Misconfigured: rule(
    "PL7",
    "Our error is not an empty selection",
    "Where clusters cannot be chosen, the decisions stay as they are.",
  ),
  NoOperator: rule(
    "OP11",
    "Absence",
    "Where nobody holds the lease, what was reported last is shown as that, and who held it until when.",
  ),
  Deleting: rule(
    "ST24",
    "A terminating set",
    "What is being deleted is neither rolled nor repaired.",
  ),
};

/** Reasons that mean something else for one kind than for the others. */
export const ownRules: Readonly<Record<string, RuleText>> = {
  "Placement Paused": rule(
    "PL20",
    "Disabled",
    "Its decisions are left alone: not even a deleted one comes back until it goes on.",
  ),
  "Placement Surging": seenThroughout,
  "Placement Finalizing": seenThroughout,
};

export const ruleOf = (code: string, kind = ""): RuleText =>
  ownRules[`${kind} ${code}`] ?? rulesByReason[code] ?? live;
