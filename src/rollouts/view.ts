/** One model of a rollout for every kind: what the command line and the dashboard show of it. Plain data. */
import type { OperatorAbsence } from "./operator.ts";

export type RolloutState =
  | "Healthy"
  | "Progressing"
  | "Paused"
  /** At rest where a partition keeps units on their revision. */
  | "AtPartition"
  /** OnDelete: outdated units are replaced when somebody deletes them. */
  | "AwaitingDelete"
  /** A part of a set whose units are outdated until the set comes to them. */
  | "AwaitingTurn"
  | "Stalled"
  /** The latest spec is invalid; the last accepted one is in force. */
  | "Rejected"
  | "Deleting";

/** Nothing moves in these states and nothing is wrong: what was asked for is there. */
export const isAtRest = (state: RolloutState): boolean =>
  ["Healthy", "AtPartition", "AwaitingDelete", "AwaitingTurn"].includes(state);

/** Only a person can help in these. */
export const needsHelp = (state: RolloutState): boolean =>
  state === "Stalled" || state === "Rejected";

/** Of a StatefulSet that no operator has reported on: the cluster has a controller of its own for it. */
export const shownOnly = "the cluster's own controller rolls this set out; Lockstep only shows it";

/** What only an operator can carry on; its own reason is what was last reported. */
export const waitsForOperator = ({ state, operator }: Pick<RolloutView, "state" | "operator">) =>
  operator !== undefined && canMove(state);

/** Not before a person acts in the other states. */
export const canMove = (state: RolloutState): boolean =>
  ["Progressing", "Stalled", "Deleting"].includes(state);

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  /** `podcliqueset`: as it is typed on a command line. */
  readonly word: string;
  readonly namespace: string;
  readonly name: string;
}

export interface StateReason {
  /** The planner's code, or one of `NotObserved`, `SpecRejected`, `Deleting`, `Unreadable`. */
  readonly code: string;
  /** One sentence, then the stuck unit with its quoted cause. */
  readonly message: string;
}

export interface RevisionView {
  readonly name: string;
  /** Undefined where the revision is not recorded (any more). */
  readonly number?: number;
}

/** How much of a budget is used: more than is allowed where units broke by themselves. */
export interface Gauge {
  readonly used: number;
  readonly allowed: number;
  /** Of those used: units that count until they are whole on the target, although they serve. */
  readonly serving?: readonly string[];
}

export interface BudgetView {
  readonly unavailable: Gauge;
  readonly surge: Gauge;
}

export interface Counts {
  /** What is counted: `replica` or `pod`. */
  readonly unit: string;
  readonly desired: number;
  readonly available: number;
  readonly updated: number;
}

export type NodeHealth =
  | "available"
  /** Ready, but not yet for `minReadySeconds`. */
  | "ready"
  | "starting"
  /** Some of its units serve. */
  | "partial"
  | "broken"
  | "terminating"
  | "missing";

/** One line of the tree: a replica, a group, a role, a clique or a pod. */
export interface RolloutNode {
  readonly kind: string;
  readonly name: string;
  /** The last part of the name, which distinguishes it from its siblings: `frontend`, `replica 1`. */
  readonly label: string;
  readonly ordinal?: number;
  readonly revision?: RevisionView;
  /** Whether it is of the target revision; undefined where it has no revision of its own. */
  readonly isUpdated?: boolean;
  readonly isSurge?: boolean;
  readonly health: NodeHealth;
  /** Of a replica that is not available as a whole: enough of it serves all the same. */
  readonly serves?: boolean;
  /** What keeps it from serving, in the words of its node or scheduler. */
  readonly cause?: string;
  /** Since when it is as it is; RFC 3339. */
  readonly since?: string;
  readonly createdAt?: string;
  readonly node?: string;
  /** Of a pod of several containers: the one in trouble. */
  readonly container?: string;
  /** Of a pod: its containers whose image cannot be had. */
  readonly badImages?: readonly string[];
  readonly restarts?: number;
  readonly counts?: Counts;
  readonly budget?: BudgetView;
  readonly children: readonly RolloutNode[];
}

export interface EventView {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** Units of the target that serve, of those that are to be; the source of the progress bar. */
export interface ProgressView {
  /** What is counted: `pod`, or `cluster` of a Placement. */
  readonly unit: string;
  readonly done: number;
  readonly total: number;
  readonly startedAt?: string;
  /** How many of the units that are done have become so since then; absent where nobody knows. */
  readonly doneSince?: number;
}

/** Roles that are updated side by side. */
export interface CoordinationView {
  readonly name: string;
  readonly roles: readonly string[];
  /** By how many percent one role may lead another; absent where steps or nothing say so. */
  readonly maxSkewPercent?: number;
}

export interface RolloutView {
  readonly object: ObjectRef;
  readonly createdAt?: string;
  readonly state: RolloutState;
  readonly reason: StateReason;
  readonly since?: string;
  /** `RollingUpdate, Parallel`. */
  readonly strategy: string;
  readonly isPaused: boolean;
  /** Units below it keep their revision; absent where there is none. */
  readonly partition?: number;
  /** What all units had before, and what they get; the same at rest. */
  readonly current?: RevisionView;
  readonly target?: RevisionView;
  /** What differs between the two, in a few words: `frontend server image v1 -> v2`. */
  readonly changes: string;
  readonly counts: Counts;
  readonly budget?: BudgetView;
  readonly progress: ProgressView;
  readonly nodes: readonly RolloutNode[];
  readonly coordinations?: readonly CoordinationView[];
  /** Oldest first. */
  readonly events: readonly EventView[];
  /** The object that commands have to name, where this one is a part of it. */
  readonly steeredBy?: Pick<ObjectRef, "word" | "name"> & {
    /** What the template calls the clique or role. */
    readonly component?: string;
    /** Numbers of the revisions here mean something else there. */
    readonly numbersRevisionsApart?: true;
    /** What it goes back to: a part that was created on the target has been nothing else. */
    readonly current?: RevisionView;
    /** How it is, where it could be read, and the code of its reason. */
    readonly state?: RolloutState;
    readonly code?: string;
  };
  /** There while nobody runs what rolls this out. */
  readonly operator?: OperatorAbsence;
  /** There while it waits, nobody has reported on it for a minute, and the lease of this name does not exist. */
  readonly missingLease?: string;
  /** There while its deletion waits for finalizers that nobody removes, and for which of the two reasons. */
  readonly abandoned?: "NoOperator" | "NoDefinitions";
  /** Why surge was given up, in sentences; absent where none was. */
  readonly released?: readonly string[];
  /** What else a person should know, in sentences. */
  readonly notes: readonly string[];
}

/** All pods below these nodes, in the order of the tree. */
export function podsOf(nodes: readonly RolloutNode[]): readonly RolloutNode[] {
  return nodes.flatMap((node) => (node.kind === "Pod" ? [node] : podsOf(node.children)));
}

/** `podcliqueset/chat`: how a person names it on a command line. */
export const typed = ({ word, name }: Pick<ObjectRef, "word" | "name">): string =>
  `${word}/${name}`;
