/** What a kind brings to the views: how its objects are found, shown and steered. One file of `kinds/` per kind. */
import type { ControllerRevision } from "../api/apps.ts";
import type { PodClique } from "../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../api/grove/scaling-group.ts";
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import type { Patch } from "../runtime/client.ts";
import type { OperatorScope } from "./operator.ts";
import type { RevisionRecord } from "./revisions.ts";
import type { RolloutView } from "./view.ts";

/** A collection beside the object that its view is made of. */
export interface RelatedQuery {
  readonly resource: Resource;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The objects of each query, by its name; a name that is missing was not asked for. */
export type Related = Readonly<Record<string, readonly KubeObject[]>>;

export interface Subject<T extends KubeObject = KubeObject> {
  readonly object: T;
  readonly related: Related;
  readonly nowMs: number;
}

/** Everything of a view that differs between kinds. */
export type KindView = Omit<RolloutView, "object" | "createdAt" | "events" | "operator">;

/** How objects of a kind are found and shown. */
export interface ViewedKind {
  readonly resource: Resource;
  /** `podcliqueset`: what people type, and what commands say. */
  readonly word: string;
  readonly shortNames: readonly string[];
  /** Where the kind is no part of Kubernetes: how to have it served. */
  readonly install?: string;
  /** Whether a list of everything shows it: parts of another rollout are shown with that one. */
  isTopLevel(object: KubeObject): boolean;
  /** The name of the rollout that a pod belongs to, where it is one of this kind. */
  rolloutOf?(pod: Pod): string | undefined;
  /** Whether an operator with these flags rolls the object out; where it runs the kind, unless this says otherwise. */
  isRunBy?(object: KubeObject, scope: OperatorScope): boolean;
  /** Every one of its changes is worth keeping: what it shows on the way may last for milliseconds only. */
  readonly isMomentary?: boolean;
  related(object: KubeObject): Readonly<Record<string, RelatedQuery>>;
  view(subject: Subject): KindView;
  /** Oldest first. */
  revisions(subject: Pick<Subject, "object" | "related">): readonly RevisionRecord[];
}

/** Kinds that follow what is there now (a Placement) have none, and never will. */
export const recordsRevisions = (kind: Pick<ViewedKind, "related">, object: KubeObject): boolean =>
  kind.related(object)["revisions"] !== undefined;

export interface RolloutKind extends ViewedKind {
  readonly steering: Steering;
}

/** What a steering command would do. The patch is data; whoever performs it decides nothing. */
export type Steer =
  | {
      readonly kind: "change";
      readonly patch: Patch;
      /** What has been done, as a sentence without its subject: `paused`. */
      readonly did: string;
      /** The command that takes it back. */
      readonly takeBack: string;
      readonly notes?: readonly string[];
    }
  | { readonly kind: "nothing"; readonly why: string }
  | { readonly kind: "refused"; readonly problem: string; readonly fix: string };

export interface ImageChange {
  /** Of a clique or role; every component that has the container where it is absent. */
  readonly component?: string;
  /** `*` is every container. */
  readonly container: string;
  readonly image: string;
}

/** A container that an image can be set for. */
export interface PlacedImage {
  /** What people type: `frontend/server`. */
  readonly place: string;
  readonly image: string;
}

export type SteerSubject = Pick<Subject, "object" | "related" | "nowMs">;

/** The verbs, the same for every kind. Pure. */
export interface Steering {
  pause(subject: SteerSubject): Steer;
  resume(subject: SteerSubject): Steer;
  undo(subject: SteerSubject, toRevision: number | undefined): Steer;
  restart(subject: SteerSubject): Steer;
  promote(subject: SteerSubject, full: boolean): Steer;
  setImage(subject: SteerSubject, changes: readonly ImageChange[]): Steer;
  /** What `setImage` can change, in the order of the spec. */
  images(object: KubeObject): readonly PlacedImage[];
}

/** What the objects of a query are, by its name. */
export interface RelatedTypes {
  readonly pods: Pod;
  readonly revisions: ControllerRevision;
  readonly cliques: PodClique;
  readonly groups: PodCliqueScalingGroup;
  readonly decisions: KubeObject;
  /** What a part is steered through, alone. */
  readonly owner: KubeObject;
}

export const listed = <K extends keyof RelatedTypes>(
  related: Related,
  name: K,
): readonly RelatedTypes[K][] => (related[name] ?? []) as readonly RelatedTypes[K][];

/** Has the kinds of Lockstep's own definitions served. */
export const definitionsInstall = "lockstep crds | kubectl apply -f -";

/** As Deployments and StatefulSets are restarted: a template with a later time is another revision. */
export const restartedAtAnnotation = "kubectl.kubernetes.io/restartedAt";

export const nothing = (why: string) => ({ kind: "nothing", why }) as const satisfies Steer;

export const refused = (problem: string, fix: string) =>
  ({ kind: "refused", problem, fix }) as const satisfies Steer;

export const pausesNothing = (named: string) =>
  refused(
    `${named} has the strategy OnDelete, which replaces nothing by itself`,
    "there is nothing to pause: pods are replaced when you delete them",
  );
