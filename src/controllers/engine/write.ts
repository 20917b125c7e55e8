/** Writes as data: what a plan returns, what one interpreter performs, and what a preview can list. */
import type { KubeObject, ObjectKey, ObjectMeta } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { includesJson } from "../../api/same-json.ts";
import type { Client, Patch } from "../../runtime/client.ts";

/** A pure answer to an object that has the name of one to be created. */
export type NameConflictAnswer =
  /** It is what was wanted. */
  | "accept"
  /** It is about to go, or the caches have yet to show it: the next reconcile decides. */
  | "wait"
  | { readonly writes: readonly WritePlan[] }
  /** Only a person can resolve it. */
  | { readonly problem: string };

export interface CreateWrite {
  readonly verb: "create";
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Without it the reconcile fails and reports the conflict. `found` is undefined when it is gone again. */
  readonly ifExists?: (found: KubeObject | undefined) => NameConflictAnswer;
  /** Performed right after, with the uid and version that the server gave it: servers drop a status on creation. */
  readonly andThen?: (created: KubeObject) => readonly Write[];
}

/** Carries the resourceVersion of the object that it was computed from, so a stale view cannot win. */
interface UpdateWrite {
  readonly verb: "update";
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly subresource?: "status";
}

export interface PatchWrite {
  readonly verb: "patch";
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly patch: Patch;
  readonly subresource?: "status";
  /** What a lost race costs: `fail` tries again with backoff, `skip` waits for the change to arrive by the watch. */
  readonly ifGone?: "fail" | "skip";
  readonly ifChanged?: "fail" | "skip";
  /** Takes the object over; reported in an event. */
  readonly isAdoption?: boolean;
}

/** Deletes exactly one incarnation. */
export interface DeleteWrite {
  readonly verb: "delete";
  readonly resource: Resource;
  readonly key: ObjectKey;
  readonly uid: string;
  /** Only in this state: a unit that looks broken in a stale view may serve again by now. */
  readonly resourceVersion?: string;
  /** Only now: where the server is busy it is decided anew, because what was down may serve by then. */
  readonly isTimely?: boolean;
}

export type Write = CreateWrite | UpdateWrite | PatchWrite | DeleteWrite;

/** What may be asked of the server itself, where a cache may be late. */
export type LiveReader = Pick<Client, "get" | "list">;

export interface LiveAnswer {
  /** Whether the writes that follow in the same order may be performed. */
  readonly isOpen: boolean;
  /** What the fresh read showed to be necessary; performed at once. */
  readonly writes?: readonly Write[];
  /** The same question needs no new answer for so long. */
  readonly holdsForMs?: number;
  /** What a user has to know. */
  readonly problem?: string;
  /** The objects that the answer is about, by name: a deletion of one makes it void. */
  readonly names?: ReadonlySet<string>;
  /** Called once its writes are performed. */
  readonly onDone?: () => void;
}

/** A precondition that only a fresh read can confirm. */
export interface LiveRead {
  /** The question in words; the same words are the same question. */
  readonly question: string;
  read(live: LiveReader): Promise<LiveAnswer>;
  /** Turns a failure of the read, or of one of its writes, into an answer; without it the reconcile fails. */
  onError?(error: unknown): LiveAnswer;
  /** The reason of the event that reports a problem. */
  readonly problemReason?: string;
}

/** How many of many begin at once, how many run at once, and how many one reconcile begins at most. */
export interface Pace {
  readonly firstBatch?: number;
  readonly atOnce?: number;
  readonly atMost?: number;
}

/** Writes in their order. What is side by side may run in parallel; a closed live read ends its own order. */
export type WritePlan =
  | Write
  | LiveRead
  | { readonly inOrder: readonly WritePlan[] }
  | { readonly sideBySide: readonly WritePlan[]; readonly pace?: Pace };

export const keyOfObject = ({ metadata }: KubeObject): ObjectKey => ({
  namespace: metadata.namespace,
  name: metadata.name ?? "",
});

export const createOf = (resource: Resource, object: KubeObject): CreateWrite => ({
  verb: "create",
  resource,
  object,
});

export const updateOf = (resource: Resource, object: KubeObject): UpdateWrite => ({
  verb: "update",
  resource,
  object,
});

/** What the patch has of the metadata (uid, resourceVersion) is its precondition. */
export const patchOf = (
  resource: Resource,
  object: KubeObject,
  rest: Omit<PatchWrite, "verb" | "resource" | "key">,
): PatchWrite => ({ verb: "patch", resource, key: keyOfObject(object), ...rest });

/** Changes these fields, and only of the very state that was seen. */
export function metadataPatch(
  resource: Resource,
  object: KubeObject,
  fields: Partial<ObjectMeta>,
  ifLost: Pick<PatchWrite, "ifGone" | "ifChanged"> = {},
): PatchWrite {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, ...fields } };
  return patchOf(resource, object, { patch: { type: "merge", body }, ...ifLost });
}

/** Creates an object, or brings its spec back to what is wanted; what others added to it stays. */
export function ensureSpec(
  resource: Resource,
  existing: readonly KubeObject[],
  wanted: KubeObject,
): readonly Write[] {
  const found = existing.find(({ metadata }) => metadata.name === wanted.metadata.name);
  if (found === undefined) return [createOf(resource, wanted)];
  if (isTerminating(found) || includesJson(found["spec"], wanted["spec"])) return [];
  const patch = { type: "merge", body: { spec: wanted["spec"] } } as const;
  return [patchOf(resource, found, { patch })];
}

/** None for what is terminating already. */
export const deletesOf = (resource: Resource, objects: readonly KubeObject[]): DeleteWrite[] =>
  objects
    .filter((object) => !isTerminating(object))
    .map((object) => ({
      verb: "delete",
      resource,
      key: keyOfObject(object),
      uid: object.metadata.uid ?? "",
    }));

export const timely = (writes: readonly DeleteWrite[]): DeleteWrite[] =>
  writes.map((write) => ({ ...write, isTimely: true }));

export const isWrite = (plan: WritePlan): plan is Write => "verb" in plan;
export const isLiveRead = (plan: WritePlan): plan is LiveRead => "read" in plan;

const childrenOf = (plan: WritePlan): readonly WritePlan[] =>
  "inOrder" in plan ? plan.inOrder : "sideBySide" in plan ? plan.sideBySide : [];

/** Every write of a plan, in the order in which they would be asked for one after the other. */
export const writesOf = (plans: readonly WritePlan[]): readonly Write[] =>
  plans.flatMap((plan) => (isWrite(plan) ? [plan] : writesOf(childrenOf(plan))));

export const liveReadsOf = (plans: readonly WritePlan[]): readonly LiveRead[] =>
  plans.flatMap((plan) => (isLiveRead(plan) ? [plan] : liveReadsOf(childrenOf(plan))));

/** Whether there is nothing to perform, not even a question. */
export const isEmptyPlan = (plan: WritePlan): boolean =>
  !isWrite(plan) && !isLiveRead(plan) && childrenOf(plan).every(isEmptyPlan);
