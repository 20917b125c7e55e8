/** The one interpreter of write plans: order, slow start, live reads, lost races, name conflicts, lost answers. */
import type { KubeObject, ObjectKey } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { ApiError, isAlreadyExists, isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { LiveAnswers } from "./live-reads.ts";
import { answerOf, lookUp, recheckMs } from "./live-reads.ts";
import { allAtOnce, slowStart } from "./slow-start.ts";
import type { UnconfirmedDeletes } from "./unconfirmed-deletes.ts";
import type { CreateWrite, LiveRead, Pace, PatchWrite, Write, WritePlan } from "./write.ts";
import { isEmptyPlan, isLiveRead, isWrite, keyOfObject } from "./write.ts";

export interface Tools {
  readonly client: Client;
  readonly clock: Clock;
  readonly deletes: UnconfirmedDeletes;
  /** Whose deletes these are. */
  readonly ownerKey: string;
  readonly answers: LiveAnswers;
  /** Called with a problem that a live read found, the first time it is found. */
  readonly onProblem: (reason: string, problem: string) => void;
}

/** What came of a plan; filled as it is performed, so that it is also right where something failed half way. */
export class Performed {
  /** What the server carried out, in that order. */
  readonly writes: Write[] = [];
  /** Objects as the server answered, by uid. */
  readonly #latest = new Map<string, KubeObject>();
  requeueAfterMs: number | undefined;
  /** More was to be done than one reconcile does. */
  isCutShort = false;

  add(write: Write, answer?: KubeObject): void {
    this.writes.push(write);
    const uid = answer?.metadata.uid;
    if (answer !== undefined && uid !== undefined) this.#latest.set(uid, answer);
  }

  requeue(afterMs: number): void {
    this.requeueAfterMs = Math.min(afterMs, this.requeueAfterMs ?? afterMs);
  }

  /** The object as it was last written here, or as it is given. */
  latest<T extends KubeObject>(object: T): T {
    return (this.#latest.get(object.metadata.uid ?? "") as T | undefined) ?? object;
  }
}

/** The server has an object of this name that no cache shows as ours: an older one has yet to go, or a stranger. */
export class NameConflictError extends Error {
  readonly resource: Resource;
  readonly key: ObjectKey;

  constructor(resource: Resource, object: KubeObject, cause: unknown) {
    const key = keyOfObject(object);
    super(`${resource.kind} ${key.namespace}/${key.name} exists already`, { cause });
    this.resource = resource;
    this.key = key;
  }
}

/** A name conflict that only a person can resolve, in words. */
export class NameConflictProblem extends Error {}

/** In order, up to the first that is held back. */
export async function perform(
  tools: Tools,
  plans: readonly WritePlan[],
  performed = new Performed(),
): Promise<Performed> {
  await inOrder({ ...tools, performed }, plans);
  return performed;
}

interface Run extends Tools {
  readonly performed: Performed;
}

/** False where a live read held it back. */
async function performOne(run: Run, plan: WritePlan): Promise<boolean> {
  if (isWrite(plan)) {
    await performWrite(run, plan);
    return true;
  }
  if (isLiveRead(plan)) return ask(run, plan);
  return "inOrder" in plan
    ? inOrder(run, plan.inOrder)
    : sideBySide(run, plan.sideBySide, plan.pace ?? {});
}

async function inOrder(run: Run, plans: readonly WritePlan[]): Promise<boolean> {
  for (const plan of plans) {
    if (!(await performOne(run, plan))) return false;
  }
  return true;
}

/** What is in the way of one is in the way of no other: a name conflict is reported after the rest is done. */
async function sideBySide(
  run: Run,
  plans: readonly WritePlan[],
  { firstBatch = allAtOnce, atOnce, atMost = Infinity }: Pace,
): Promise<boolean> {
  const conflicts: NameConflictError[] = [];
  let begun = 0;
  let isOpen = true;
  const tasks = plans
    .filter((plan) => !isEmptyPlan(plan))
    .map((plan) => async () => {
      if (begun >= atMost) {
        run.performed.isCutShort = true;
        return;
      }
      try {
        // What is held back must not hold up others, so it does not count.
        const wasOpen = await performOne(run, plan);
        if (wasOpen) begun += 1;
        isOpen &&= wasOpen;
      } catch (error) {
        if (!(error instanceof NameConflictError)) throw error;
        conflicts.push(error);
      }
    });
  await slowStart(tasks, firstBatch, atOnce);
  if (conflicts[0] !== undefined) throw conflicts[0];
  return isOpen;
}

async function performWrite(run: Run, write: Write): Promise<void> {
  const { client, performed } = run;
  switch (write.verb) {
    case "create":
      return performCreate(run, write);
    case "update": {
      const { resource, object, subresource } = write;
      return performed.add(write, await client.update(resource, object, { subresource }));
    }
    case "patch":
      return performPatch(run, write);
    case "delete":
      if (await run.deletes.delete(client, run.ownerKey, write)) performed.add(write);
      return undefined;
    default:
      return write satisfies never;
  }
}

async function performCreate(run: Run, write: CreateWrite): Promise<void> {
  const { resource, object, ifExists, andThen } = write;
  let created: KubeObject;
  try {
    created = await run.client.create(resource, object);
    run.performed.add(write, created);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    if (ifExists === undefined) throw new NameConflictError(resource, object, error);
    const answer = ifExists(await lookUp(run.client, resource, keyOfObject(object)));
    if (answer === "accept") return;
    if (answer !== "wait" && "problem" in answer) {
      throw new NameConflictProblem(answer.problem, { cause: error });
    }
    run.performed.requeue(recheckMs);
    if (answer !== "wait") await inOrder(run, answer.writes);
    return;
  }
  await inOrder(run, andThen?.(created) ?? []);
}

async function performPatch(run: Run, write: PatchWrite): Promise<void> {
  const { resource, key, patch, subresource, ifGone = "fail", ifChanged = "fail" } = write;
  try {
    run.performed.add(write, await run.client.patch(resource, key, patch, { subresource }));
  } catch (error) {
    const isSkipped =
      (ifGone === "skip" && isNotFound(error)) || (ifChanged === "skip" && isOutOfDate(error));
    if (!isSkipped) throw error;
  }
}

/** A conflict of versions, or a uid or a tested value that is another one by now. */
const isOutOfDate = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 409 || error.code === 422);

async function ask(run: Run, question: LiveRead): Promise<boolean> {
  const { client, clock, answers, performed } = run;
  const answer = await answerOf(question, {
    answers,
    live: client,
    nowMs: clock.monotonic(),
    write: (each) => performWrite(run, each),
    onProblem: run.onProblem,
  });
  if (answer.requeueAfterMs !== undefined) performed.requeue(answer.requeueAfterMs);
  return answer.isOpen;
}
