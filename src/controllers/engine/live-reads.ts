/** What the server itself says, read where a cache may be late: before what could not be undone. */
import type { KubeObject, ObjectKey } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { isNotFound } from "../../api/status.ts";
import type { LiveAnswer, LiveRead, LiveReader, Write, WritePlan } from "./write.ts";
import { keyOfObject, liveReadsOf } from "./write.ts";

/** How soon to reconcile again where the server has something that the caches do not show. */
export const recheckMs = 1_000;

/** Undefined where nothing of this name is there. */
export async function lookUp<T extends KubeObject>(
  live: LiveReader,
  resource: Resource,
  key: ObjectKey,
): Promise<T | undefined> {
  try {
    return await live.get<T>(resource, key);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether this very object is there to stay: the garbage collector takes at once what a deleted owner creates. */
export async function isStillThere(
  live: LiveReader,
  resource: Resource,
  object: KubeObject,
): Promise<boolean> {
  const found = await lookUp(live, resource, keyOfObject(object));
  const { uid, deletionTimestamp } = found?.metadata ?? {};
  return uid === object.metadata.uid && deletionTimestamp === undefined;
}

/** Closed once the object is deleted; that arrives by the watch, which brings its key back. */
export const stillThere = (resource: Resource, object: KubeObject): LiveRead => ({
  question: `is ${resource.kind} ${object.metadata.name} still there`,
  read: async (live) => ({ isOpen: await isStillThere(live, resource, object) }),
});

interface KeptAnswer {
  readonly isOpen: boolean;
  readonly untilMs: number;
  readonly problem: string | undefined;
  readonly names: ReadonlySet<string>;
}

/** The answers that hold for a while, by question. */
export class LiveAnswers {
  readonly #kept = new Map<string, KeptAnswer>();
  #problem: string | undefined;

  get(question: string): KeptAnswer | undefined {
    return this.#kept.get(question);
  }

  keep(question: string, answer: KeptAnswer): void {
    this.#kept.set(question, answer);
  }

  /** Drops answers to questions that a plan does not ask any more. */
  retain(plans: readonly WritePlan[]): void {
    if (this.#kept.size === 0) return;
    const questions = new Set(liveReadsOf(plans).map(({ question }) => question));
    for (const question of this.#kept.keys()) {
      if (!questions.has(question)) this.#kept.delete(question);
    }
  }

  /** Drops the answers that are about an object of this name; false where there are none. */
  dropAbout(name: string): boolean {
    const about = [...this.#kept].filter(([, { names }]) => names.has(name));
    for (const [question] of about) this.#kept.delete(question);
    return about.length > 0;
  }

  /** Whether a problem is another one than the last: it is reported once while it lasts. */
  isNew(problem: string | undefined): boolean {
    const isNew = problem !== undefined && problem !== this.#problem;
    this.#problem = problem;
    return isNew;
  }
}

interface Asking {
  readonly answers: LiveAnswers;
  readonly live: LiveReader;
  readonly nowMs: number;
  readonly write: (write: Write) => Promise<void>;
  readonly onProblem: (reason: string, problem: string) => void;
}

interface Answered {
  readonly isOpen: boolean;
  readonly requeueAfterMs: number | undefined;
}

/** Answers from memory while an earlier answer holds; otherwise reads, performs what the read showed, and remembers. */
export async function answerOf(question: LiveRead, asking: Asking): Promise<Answered> {
  const { answers, nowMs } = asking;
  const kept = answers.get(question.question);
  if (kept !== undefined && nowMs < kept.untilMs) {
    return { isOpen: kept.isOpen, requeueAfterMs: remainingMs(kept.untilMs - nowMs) };
  }
  const { isOpen, holdsForMs, problem, names = new Set() } = await freshAnswer(question, asking);
  if (question.problemReason !== undefined && answers.isNew(problem)) {
    asking.onProblem(question.problemReason, problem ?? "");
  }
  if (holdsForMs === undefined) {
    return { isOpen, requeueAfterMs: isOpen ? undefined : recheckMs };
  }
  answers.keep(question.question, { isOpen, untilMs: nowMs + holdsForMs, problem, names });
  return { isOpen, requeueAfterMs: remainingMs(holdsForMs) };
}

const remainingMs = (ms: number): number | undefined => (Number.isFinite(ms) ? ms : undefined);

async function freshAnswer(question: LiveRead, { live, write }: Asking): Promise<LiveAnswer> {
  const orAnswer = (work: Promise<LiveAnswer>): Promise<LiveAnswer> =>
    work.catch((error: unknown) => {
      if (question.onError === undefined) throw error;
      return question.onError(error);
    });
  let answer = await orAnswer(question.read(live));
  for (const each of answer.writes ?? []) {
    // What fails for one object is no reason to leave out the others.
    answer = worse(answer, await orAnswer(write(each).then(() => answer)));
  }
  answer.onDone?.();
  return answer;
}

/** Both answers in one: open where both are, for as long as both hold, with what both ask for. */
export const worse = (a: LiveAnswer, b: LiveAnswer): LiveAnswer => ({
  ...a,
  isOpen: a.isOpen && b.isOpen,
  holdsForMs: earliest([a.holdsForMs, b.holdsForMs]),
  problem: a.problem ?? b.problem,
  writes: [...(a.writes ?? []), ...(b.writes ?? [])],
});

export const earliest = (moments: readonly (number | undefined)[]): number | undefined =>
  moments.reduce<number | undefined>(
    (first, moment) =>
      moment === undefined || (first !== undefined && first <= moment) ? first : moment,
    undefined,
  );
