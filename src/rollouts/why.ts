/** Why a rollout is where it is: what it does, what it waits for, under which rule, and what would free it. Pure. */
import type { OperatorAbsence } from "./operator.ts";
import { absenceText, missingLeaseText } from "./operator.ts";
import type { PodPast } from "./predecessor.ts";
import { inPlaceOf, isRelabelled, predecessorOf } from "./predecessor.ts";
import type { Command } from "./commands.ts";
import { lockstep } from "./commands.ts";
import type { Remedy } from "./remedy.ts";
import { remedyFor } from "./remedy.ts";
import { revisionText } from "./revisions.ts";
import type { RuleText } from "./rules.ts";
import { ruleOf } from "./rules.ts";
import type { ObjectRef, RolloutNode, RolloutState, RolloutView } from "./view.ts";
import { needsHelp, podsOf, typed, waitsForOperator } from "./view.ts";

export interface AwaitedUnit {
  readonly name: string;
  readonly health: string;
  readonly cause?: string;
  readonly since?: string;
}

export interface Explanation {
  readonly apiVersion: "lockstep.dev/why/v1";
  readonly object: ObjectRef;
  /** Of a pod: what keeps it, or `Healthy`. */
  readonly state: RolloutState;
  readonly since?: string;
  /** There while nobody runs what rolls it out: before all else, an operator has to. */
  readonly operator?: OperatorAbsence;
  /** What it is doing, as a sentence. */
  readonly doing: string;
  readonly waitsFor: readonly AwaitedUnit[];
  /** How many units are awaited in all; `waitsFor` has the first few. */
  readonly waitingFor: number;
  readonly rule: RuleText;
  readonly freedBy: string;
  readonly commands: readonly Command[];
  readonly notes: readonly string[];
}

const namedAtMost = 3;

export function explain(view: RolloutView): Explanation {
  const awaited = awaitedUnits(view);
  return {
    apiVersion: "lockstep.dev/why/v1",
    object: view.object,
    state: view.state,
    ...(view.since === undefined ? {} : { since: view.since }),
    ...(view.operator === undefined ? {} : { operator: view.operator }),
    doing: doingOf(view),
    waitsFor: awaited.slice(0, namedAtMost).map(awaitedUnit),
    waitingFor: awaited.length,
    rule: ruleOf(reasonCodeOf(view), view.object.kind),
    ...remedyFor(view, awaited[0]),
    notes: [...(view.released ?? []), ...view.notes],
  };
}

/** A part rests with its set; a role that fails halts no partner where it is updated on its own. */
function reasonCodeOf(view: RolloutView): string {
  const { reason, nodes, coordinations = [], state, steeredBy } = view;
  const { code } = reason;
  const isSetHeld = steeredBy?.state === "AtPartition" || steeredBy?.state === "Paused";
  if (state === "AwaitingTurn" && isSetHeld) return steeredBy.state;
  if (code !== "RoleFailing") return code;
  const failing = nodes.filter(({ health }) => health === "broken").map(({ label }) => label);
  const hasPartner = coordinations.some(
    ({ roles }) => roles.length > 1 && failing.every((role) => roles.includes(role)),
  );
  return hasPartner ? code : "RoleFailingAlone";
}

/** What no unit shows: a pod that was refused does not exist, and one that was not asked for is not missed. */
const unseen = /the surge was released|: not created: |below its minimum of/;

/** What is going on; the units and their causes follow it in a message, and are listed apart here. */
const sentenceOf = ({ reason, state }: RolloutView): string => {
  const isListed = state === "Progressing" || state === "Stalled";
  if (!isListed) return reason.message;
  const [first = "", ...others] = reason.message.split("; ");
  return [first, ...others.filter((each) => unseen.test(each))].join("; ");
};

/** What is going on, where the units that it waits for are listed beside it; else the whole message. */
export const headlineOf = (view: RolloutView): string =>
  awaitedUnits(view).length > 0 ? sentenceOf(view) : view.reason.message;

function doingOf(view: RolloutView): string {
  const { state, target, changes } = view;
  const sentence = sentenceOf(view);
  if (state === "Healthy" && target !== undefined) {
    return `${sentence}; revision ${revisionText(target)}`;
  }
  const isMoving = state === "Progressing" || state === "Stalled" || state === "Paused";
  if (!isMoving || changes === "" || target === undefined) return sentence;
  const goal = state === "Paused" ? "the target is" : "moving to";
  return `${sentence}; ${goal} revision ${revisionText(target)}: ${changes}`;
}

export const awaitedUnit = ({ name, health, cause, since }: RolloutNode): AwaitedUnit => ({
  name,
  health,
  ...(cause === undefined ? {} : { cause }),
  ...(since === undefined ? {} : { since }),
});

const urgency: Readonly<Record<RolloutNode["health"], number>> = {
  broken: 0,
  missing: 1,
  starting: 2,
  partial: 2,
  ready: 3,
  terminating: 4,
  available: 9,
};

/** A broken pod of another revision is replaced in its turn: nobody has to help while something else is on its way. */
const urgencyOf = ({ health, isUpdated }: RolloutNode): number =>
  health === "broken" && isUpdated === false ? 5 : urgency[health];

/** Pods that do not serve: the broken ones first, those that go last. At rest nothing is awaited. */
export function awaitedUnits({ state, nodes }: RolloutView): readonly RolloutNode[] {
  if (state !== "Progressing" && state !== "Stalled" && state !== "Deleting") return [];
  return podsOf(nodes)
    .filter(({ health }) => health !== "available")
    .toSorted(
      (a, b) =>
        urgencyOf(a) - urgencyOf(b) ||
        compare(a.since ?? a.createdAt ?? "", b.since ?? b.createdAt ?? "") ||
        compare(a.name, b.name),
    );
}

/**
 * What is stuck and what to type come before all else: only a person can help, or it waits for a broken pod. Not every
 * kind says at once that this is the end of the way.
 */
export const asksForHelp = (view: RolloutView): boolean =>
  needsHelp(view.state) ||
  waitsForOperator(view) ||
  view.abandoned !== undefined ||
  awaitedUnits(view)[0]?.health === "broken";

/**
 * What a pod waits for that serves itself: under OnDelete an outdated one for its own end, else what its rollout waits
 * for; undefined where the next step needs no help.
 */
function blockerOf(view: RolloutView, pod: RolloutNode): RolloutNode | undefined {
  if (view.state === "AwaitingDelete") return pod;
  return asksForHelp(view) ? awaitedUnits(view)[0] : undefined;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Why one pod is as it is: waiting for its turn, kept back, replaced, or in trouble. */
export function explainPod(view: RolloutView, pod: RolloutNode, past?: PodPast): Explanation {
  const { code, doing } = storyOf(view, pod, past);
  const end = past === undefined ? undefined : predecessorOf(past)?.end;
  const isAwaited = pod.health !== "available";
  const owner = typed(view.object);
  // A pod is not stuck before its rollout is.
  const isStuck = isAwaited && view.state === "Stalled";
  const since = isStuck ? view.since : pod.since;
  return {
    apiVersion: "lockstep.dev/why/v1",
    object: { ...view.object, apiVersion: "v1", kind: "Pod", word: "pod", name: pod.name },
    state: !isAwaited ? "Healthy" : isStuck ? "Stalled" : "Progressing",
    ...(since === undefined ? {} : { since }),
    doing,
    waitsFor: isAwaited ? [awaitedUnit(pod)] : [],
    waitingFor: isAwaited ? 1 : 0,
    rule: ruleOf(code),
    ...remedyForPod(view, pod),
    notes: [
      `it belongs to ${owner}, which is ${view.state}: ${isAwaited ? sentenceOf(view) : view.reason.message}`,
      ...(view.operator === undefined ? [] : [absenceText(view.operator)]),
      ...(view.missingLease === undefined ? [] : [missingLeaseText(view.missingLease)]),
      ...(end === undefined ? [] : [`last heard of the pod before it: ${end}`]),
    ],
  };
}

function remedyForPod(view: RolloutView, pod: RolloutNode): Remedy {
  if (pod.health === "available") {
    const blocker = blockerOf(view, pod);
    return isDoneBeside(view, pod, blocker) ? nothingAsked(view) : remedyFor(view, blocker);
  }
  if (pod.health === "broken") return remedyFor({ ...view, state: "Stalled" }, pod);
  // What starts or terminates does so without an operator.
  const { operator: _operator, missingLease: _missingLease, ...others } = view;
  const state = view.state === "Stalled" ? "Stalled" : "Progressing";
  return remedyFor({ ...others, state }, pod);
}

/** It has what was asked for, and so has its unit: what keeps another unit keeps the rollout alone. */
function isDoneBeside(
  view: RolloutView,
  pod: RolloutNode,
  blocker: RolloutNode | undefined,
): boolean {
  if (pod.isUpdated !== true || blocker === undefined || blocker === pod) return false;
  if (waitsForOperator(view) || view.state === "Deleting") return false;
  return !view.nodes.some((unit) => [pod, blocker].every((each) => podsOf([unit]).includes(each)));
}

const nothingAsked = (view: RolloutView): Remedy => ({
  freedBy: `nothing: it has what was asked for, but not all of ${typed(view.object)} has`,
  commands: [lockstep({ ...view, steeredBy: view.object }, "why", "says what keeps the rest")],
});

function storyOf(
  view: RolloutView,
  pod: RolloutNode,
  past: PodPast | undefined,
): { readonly code: string; readonly doing: string } {
  const { target, current, changes } = view;
  const own = pod.revision === undefined ? "an unrecorded revision" : revisionText(pod.revision);
  const goal = target === undefined ? "the target" : revisionText(target);
  if (pod.health === "terminating") {
    return pod.isUpdated === true
      ? {
          code: "ScalingIn",
          doing: `${pod.name} is being deleted although it is on revision ${own}`,
        }
      : {
          code: "Replacing",
          doing: `${pod.name} is being replaced: revision ${own} gives way to ${goal}`,
        };
  }
  if (pod.isUpdated === true) {
    if (past !== undefined && isRelabelled(past, pod)) {
      const why = "it was there before, and what it runs is the same";
      return {
        code: "RolledOut",
        doing: `${pod.name} moved on to revision ${own} as it is: ${why}`,
      };
    }
    const isReplacement = current !== undefined && current.name !== target?.name;
    const from = isReplacement
      ? `${placeOf(view, pod)} of ${revisionText(current)}${changes === "" ? "" : `: ${changes}`}`
      : past === undefined
        ? ""
        : inPlaceOf(past, pod.revision?.name);
    const code = pod.health === "available" ? "RolledOut" : "UnitNotAvailable";
    return { code, doing: `${pod.name} was created for revision ${own}${from}` };
  }
  return {
    code: keptBy(view, pod),
    doing: `${pod.name} is outdated: it has revision ${own}, the target is ${goal}`,
  };
}

const placeOf = ({ nodes }: RolloutView, pod: RolloutNode): string =>
  isSurge(nodes, pod) ? " as surge beside pods" : " in place of a pod";

/** It may be surge by itself, or as a part of a whole replica that is. */
const isSurge = (nodes: readonly RolloutNode[], pod: RolloutNode): boolean =>
  nodes.some(
    (node) =>
      (node.isSurge === true && podsOf([node]).includes(pod)) || isSurge(node.children, pod),
  );

/** A partition counts units of the outermost level, which a pod may be deep inside of. */
function keptBy(view: RolloutView, pod: RolloutNode): string {
  const { state, partition = 0, isPaused, nodes, reason } = view;
  if (isPaused) return "Paused";
  if (reason.code === "AwaitingPromotion" || reason.code === "StepPause") return reason.code;
  if (state === "AwaitingDelete") return "OutdatedLeftToDelete";
  // At rest there, what is outdated is kept by some partition, of the set or of a part of it.
  if (state === "AtPartition") return "AtPartition";
  const unit = nodes.find((node) => podsOf([node]).includes(pod));
  if ((unit?.ordinal ?? 0) < partition) return "AtPartition";
  return reasonCodeOf(view) === "RoleFailing" ? "RoleFailing" : "BudgetSpent";
}
