/** A simulated run as data: what is there, what people do and when, and what goes wrong. */
import type { KubeObject } from "../api/object.ts";

/** What can happen to a request of the operator. */
export const requestFaults = {
  conflict: "refused with 409 though nothing changed",
  throttled: "refused with 429",
  serverError: "refused with 500",
  timeout: "lost before it reached the server",
  appliedTimeout: "applied, its answer lost",
  lateTimeout: "lost for its sender, applied a little later",
  admission: "refused by an admission",
  crash: "applied, then the operator crashes and is started again",
} as const;

/** What can happen to an event of a watch. */
export const eventFaults = {
  slowWatch: "comes late, and all later ones of its watch with it",
  droppedWatch: "is the last of its watch, which ends",
  relist: "is the last of its watch, whose history is gone: everything is listed again",
} as const;

/** What can happen at a moment, besides what people do. */
export const momentFaults = {
  outOfStep: "one kind of objects is not seen for a while, the others are",
  lostLeader: "the leading operator is cut off and another one takes over",
  clockJump: "the clock of the operator jumps",
  nodeLoss: "a node is lost and returns",
  eviction: "a pod is evicted",
  podLoss: "a pod is deleted by somebody",
} as const;

/** What people do to the object. */
export const edits = {
  image: "set the image",
  neverReady: "set an image that never becomes ready",
  broken: "set an image that cannot be pulled",
  slowStart: "set an image that starts slowly",
  unschedulable: "ask for more than any node has",
  replicas: "change the replicas",
  partition: "change the partition",
  strategy: "change the strategy",
  pause: "pause or resume",
  undo: "go back to the template before",
  delete: "delete the object and create it again",
} as const;

export type RequestFault = keyof typeof requestFaults;
export type EventFault = keyof typeof eventFaults;
export type MomentFault = keyof typeof momentFaults;
export type EditName = keyof typeof edits;
export type FaultName = RequestFault | EventFault | MomentFault | EditName;

export const faultTexts: Readonly<Record<FaultName, string>> = {
  ...requestFaults,
  ...eventFaults,
  ...momentFaults,
  ...edits,
};

export const faultNames = Object.keys(faultTexts) as readonly FaultName[];

export const isRequestFault = (name: string): name is RequestFault => name in requestFaults;
export const isEventFault = (name: string): name is EventFault => name in eventFaults;
export const isMomentFault = (name: string): name is MomentFault => name in momentFaults;
export const isEdit = (name: string): name is EditName => name in edits;

/**
 * Probabilities: of a fault of requests and events, per request or event; of everything else, its share of what
 * happens at moments.
 */
export type Rates = Readonly<Partial<Record<FaultName, number>>>;

export const defaultRates: Rates = {
  conflict: 0.01,
  throttled: 0.01,
  serverError: 0.01,
  timeout: 0.01,
  appliedTimeout: 0.01,
  lateTimeout: 0.005,
  admission: 0.005,
  crash: 0.004,
  slowWatch: 0.05,
  droppedWatch: 0.01,
  relist: 0.003,
  outOfStep: 1,
  lostLeader: 1,
  clockJump: 0.5,
  nodeLoss: 1,
  eviction: 1,
  podLoss: 1,
  image: 6,
  neverReady: 1,
  broken: 1,
  slowStart: 0.5,
  unschedulable: 0.5,
  replicas: 2,
  partition: 1,
  strategy: 1,
  pause: 0.5,
  undo: 1,
  delete: 0.3,
};

/** One thing that happens at a moment; `value` says which or how much, from 0 up to 1. */
export interface Step {
  readonly atMs: number;
  readonly what: EditName | MomentFault;
  readonly value: number;
}

/** One thing that goes wrong with the n-th request or event; `value` says how much, from 0 up to 1. */
export interface Strike {
  readonly what: RequestFault | EventFault;
  readonly nth: number;
  readonly value: number;
}

export interface Script {
  /** The kind that is changed. */
  readonly kind: string;
  readonly seed: number;
  readonly nodes: number;
  /** Kubelets report of pods only what changes their readiness, or what is wrong with them. */
  readonly isTerse?: boolean;
  /** Two of them elect a leader. */
  readonly operators: number;
  /** The first one is the one that people change. */
  readonly objects: readonly KubeObject[];
  readonly steps: readonly Step[];
  /** Faults of requests and events, drawn from the seed. */
  readonly rates: Rates;
  /** The same written out; then `rates` has no effect on them. */
  readonly strikes?: readonly Strike[];
}
