/**
 * One reconcile of any kind, from top to bottom: unanswered deletes, observe, plan, guards, adopt, record, report, act.
 * A kind brings pure functions and data; everything that touches the server is here and in the interpreter.
 */
import type { KubeObject, ObjectKey } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import { podResource } from "../../api/pod.ts";
import type { Resource } from "../../api/resource.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Outcome, Reconcile } from "../../runtime/controller.ts";
import type { EventRecorder, EventText } from "../../runtime/event-recorder.ts";
import { keyText } from "../../runtime/object-store.ts";
import type { ActionEvents, PerformedActions } from "./action-events.ts";
import type { Orphan } from "./ownership.ts";
import { adoptedText, adoptionWrite, controllerReferenceTo, releaseWrite } from "./ownership.ts";
import type { LiveAnswers } from "./live-reads.ts";
import { earliest, isStillThere, recheckMs } from "./live-reads.ts";
import type { NameConflictTexts } from "./name-conflict.ts";
import { nameConflictEvent } from "./name-conflict.ts";
import type { OwnerMemory, PerOwner } from "./per-owner.ts";
import type { Tools } from "./perform.ts";
import { NameConflictError, perform, Performed } from "./perform.ts";
import { stallEvents } from "./rollout-conditions.ts";
import type { KindGauges, RolloutFigures } from "./rollout-gauges.ts";
import type { RolloutFollower } from "./rollout-steps.ts";
import { refusedStatus } from "./size-limits.ts";
import type { Reported, StatusWriter } from "./status-writer.ts";
import { UnconfirmedDeletes } from "./unconfirmed-deletes.ts";
import type { LiveRead, Write, WritePlan } from "./write.ts";

export interface Planned {
  /** What everything else refers to: performed before the status is written. */
  readonly record?: readonly WritePlan[];
  /** In their order. */
  readonly phases: readonly WritePlan[];
  /** When time alone changes the decision. */
  readonly requeueAfterMs?: number | undefined;
}

/** Why acting failed, in words, and what was thrown. */
export interface Failure {
  readonly message: string;
  readonly cause: unknown;
}

export interface Kind<T extends Reported<S>, S extends object, O, P extends Planned> {
  readonly resource: Resource;
  /**
   * The one difference in the order: `beforeActing` announces in the status which units move before they are touched,
   * so that whoever takes over knows what is under way; `afterActing` includes in the status what failed.
   */
  readonly reports: "beforeActing" | "afterActing";
  /** Undefined where the object, or something it cannot do without, is not there. */
  observe(key: ObjectKey): O | undefined;
  objectOf(observed: O): T;
  /** Writes for an object that is terminating; none, unless a finalizer holds it or its status goes on. */
  release?(observed: O): Released<S>;
  readonly adoption?: Adoption<O>;
  /** What the server itself must confirm before anything is written. */
  guards?(observed: O, planned: P): readonly LiveRead[];
  /** Why an object is too large to plan for, for its conditions; undefined where it is not. */
  tooLarge?(observed: O): string | undefined;
  plan(observed: O): P;
  /** Undefined where this kind writes none now. */
  status(observed: O, planned: P, failure: Failure | undefined): S | undefined;
  /** Called with a status before it is written: the answer to a write may be lost. */
  onStatus?(object: T, status: S): void;
  /** Once it is written, or nothing had to be: not where it may wait a moment. */
  onWritten?(object: T, status: S): void;
  /** What the gauges of an object show; without it there are none. */
  figures?(object: T, status: S): RolloutFigures | undefined;
  /** The kind's own events, after its status was written. */
  emit?(observed: O, planned: P, status: S | undefined): void;
  /** Called with how acting ended, where the status is written before: what failed is for the next one. */
  acted?(observed: O, failure: Failure | undefined): void;
  /** The event that reports a failure; undefined for a lost race. */
  failureEvent?(observed: O, planned: P, failure: Failure): EventText | undefined;
  /** Which of the performed writes are reported as events, and on which object. */
  performedActions?(observed: O, writes: readonly Write[]): ReportedActions;
  readonly nameConflicts?: NameConflictTexts;
}

interface Released<S> {
  readonly phases?: readonly WritePlan[];
  readonly status?: S;
}

export interface Adoption<O> {
  /** Objects to take over, and objects to let go because they do not match any more. */
  orphansOf(observed: O): {
    readonly adopt: readonly Orphan[];
    readonly release?: readonly Orphan[];
  };
  /** Whether a reconcile goes on with what it has just adopted; otherwise the caches must show it first. */
  readonly goesOn: boolean;
  /** The reason of the event; without it there is none. */
  readonly reason?: string;
}

/** What the reconciles of one kind share. */
export interface KindTools<T extends Reported<S>, S extends object> {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly memory: OwnerMemory;
  readonly statuses: StatusWriter<S, T>;
  readonly actions: ActionEvents;
  readonly answers: PerOwner<LiveAnswers>;
  /** Sees every status, written or not yet due. */
  readonly log: Pick<RolloutFollower, "follow" | "leave">;
  readonly gauges?: KindGauges | undefined;
}

export function reconcileKind<T extends Reported<S>, S extends object, O, P extends Planned>(
  kind: Kind<T, S, O, P>,
  shared: KindTools<T, S>,
): Reconcile {
  const deletes = new UnconfirmedDeletes();
  return async (key, client) => {
    const ownerKey = keyText(key);
    if (await deletes.confirm(client, ownerKey)) return { recheckAfterMs: 0 };
    const observed = kind.observe(key);
    if (observed === undefined) return shared.memory.forget(ownerKey);
    const object = kind.objectOf(observed);
    const { clock, events, answers } = shared;
    const onProblem = (reason: string, message: string): void =>
      events.record(object, { type: "Warning", reason, message });
    const tools = { client, clock, deletes, ownerKey, answers: answers.of(object), onProblem };
    const run = new ReconcileRun(kind, shared, { tools, observed, object });
    return isTerminating(object) ? run.release() : run.reconcile();
  };
}

interface Subject<T, O> {
  readonly tools: Tools;
  readonly observed: O;
  readonly object: T;
}

/** One reconcile of one object. */
class ReconcileRun<T extends Reported<S>, S extends object, O, P extends Planned> {
  readonly #kind: Kind<T, S, O, P>;
  readonly #shared: KindTools<T, S>;
  readonly #tools: Tools;
  readonly #observed: O;
  readonly #object: T;
  readonly #performed = new Performed();

  constructor(
    kind: Kind<T, S, O, P>,
    shared: KindTools<T, S>,
    { tools, observed, object }: Subject<T, O>,
  ) {
    this.#kind = kind;
    this.#shared = shared;
    this.#tools = tools;
    this.#observed = observed;
    this.#object = object;
  }

  get #client(): Client {
    return this.#tools.client;
  }

  async reconcile(): Promise<Outcome | void> {
    const problem = this.#kind.tooLarge?.(this.#observed);
    if (problem !== undefined) return earliestRequeue(await this.#report(this.#refused(problem)));
    const planned = this.#kind.plan(this.#observed);
    for (const guard of this.#kind.guards?.(this.#observed, planned) ?? []) {
      const { isOpen, holdsForMs } = await guard.read(this.#client);
      // What the caches have yet to show brings the key back.
      if (!isOpen) return earliestRequeue(holdsForMs);
    }
    const adopted = await this.#adopt();
    if (adopted !== undefined) return adopted;
    if (planned.record !== undefined) await this.#perform(planned.record);
    const reportAfterMs =
      this.#kind.reports === "beforeActing"
        ? await this.#reportThenAct(planned)
        : await this.#actThenReport(planned);
    if (this.#performed.isCutShort) return { recheckAfterMs: 0 };
    return earliestRequeue(planned.requeueAfterMs, reportAfterMs, this.#performed.requeueAfterMs);
  }

  async release(): Promise<Outcome | void> {
    this.#shared.gauges?.end(this.#object);
    this.#shared.log.leave(this.#object);
    const { phases = [], status } = this.#kind.release?.(this.#observed) ?? {};
    try {
      await this.#perform(phases);
    } finally {
      this.#reportActions();
    }
    if (status === undefined) return undefined;
    return earliestRequeue(await this.#shared.statuses.write(this.#client, this.#object, status));
  }

  async #reportThenAct(planned: P): Promise<number | undefined> {
    const status = this.#kind.status(this.#observed, planned, undefined);
    const afterMs = await this.#report(status);
    this.#kind.emit?.(this.#observed, planned, status);
    try {
      await this.#act(planned);
    } catch (cause) {
      this.#kind.acted?.(this.#observed, failureOf(cause));
      throw cause;
    }
    this.#kind.acted?.(this.#observed, undefined);
    return afterMs;
  }

  async #actThenReport(planned: P): Promise<number | undefined> {
    const failure = await this.#act(planned).then(() => undefined, failureOf);
    const event = failure && this.#kind.failureEvent?.(this.#observed, planned, failure);
    if (event !== undefined) this.#shared.events.record(this.#object, event);
    const status = this.#kind.status(this.#observed, planned, failure);
    const afterMs = await this.#report(status).catch((error: unknown) => {
      // What failed first has to be repaired first.
      throw failure === undefined ? error : failure.cause;
    });
    this.#kind.emit?.(this.#observed, planned, status);
    if (failure !== undefined) throw failure.cause;
    return afterMs;
  }

  #refused(problem: string): S {
    const { statuses, clock } = this.#shared;
    const status = statuses.written(this.#object);
    return refusedStatus<S>(this.#object, status, { problem, nowMs: clock.now() });
  }

  async #report(status: S | undefined): Promise<number | undefined> {
    if (status === undefined) return undefined;
    this.#kind.onStatus?.(this.#object, status);
    const figures = this.#kind.figures?.(this.#object, status);
    if (figures !== undefined) {
      const nowMs = this.#shared.clock.now();
      this.#shared.gauges?.show(this.#object, status, { figures, nowMs });
    }
    const object = this.#performed.latest(this.#object);
    const afterMs = await this.#shared.statuses.write(this.#client, object, status);
    if (afterMs === undefined) this.#kind.onWritten?.(object, status);
    this.#shared.log.follow(object, status);
    const events = stallEvents(object.status, status);
    // What led to it is reported first.
    if (events.length > 0) this.#shared.actions.reportNow(object);
    for (const event of events) this.#shared.events.record(object, event);
    return afterMs;
  }

  async #act(planned: P): Promise<void> {
    const { phases } = planned;
    this.#tools.answers.retain(phases);
    try {
      await this.#perform(phases);
    } finally {
      this.#reportAdopted(this.#performed);
      this.#reportActions();
    }
  }

  #reportActions(): void {
    const { writes } = this.#performed;
    if (writes.length === 0) return;
    const reported = this.#kind.performedActions?.(this.#observed, writes);
    if (reported !== undefined) this.#shared.actions.add(reported.about, reported.actions);
  }

  async #perform(phases: readonly WritePlan[]): Promise<void> {
    try {
      await perform(this.#tools, phases, this.#performed);
    } catch (error) {
      if (error instanceof NameConflictError) await this.#reportNameConflict(error);
      throw error;
    }
  }

  async #reportNameConflict(error: NameConflictError): Promise<void> {
    const { resource, nameConflicts: texts } = this.#kind;
    if (texts === undefined) return;
    const owner = this.#object;
    const event = await nameConflictEvent(this.#client, { resource, owner, texts }, error);
    if (event !== undefined) this.#shared.events.record(owner, event);
  }

  /** An outcome where the reconcile ends here: nothing is decided before the caches show what changed hands. */
  async #adopt(): Promise<Outcome | undefined> {
    const { adoption, resource } = this.#kind;
    if (adoption === undefined) return undefined;
    const { adopt, release = [] } = adoption.orphansOf(this.#observed);
    if (adopt.length === 0 && release.length === 0) return undefined;
    const owner = this.#object;
    // What an owner adopts while it is deleted would be deleted with it.
    if (adopt.length > 0 && !(await isStillThere(this.#client, resource, owner))) {
      if (!adoption.goesOn) return { recheckAfterMs: recheckMs };
      const { kind } = resource;
      throw new Error(`${kind} ${this.#tools.ownerKey} is being deleted: it adopts nothing`);
    }
    const reference = controllerReferenceTo(resource, owner);
    const ifLost = adoption.goesOn ? "fail" : "skip";
    const adopted = new Performed();
    const sideBySide = adopt.map((orphan) => adoptionWrite(reference, orphan, ifLost));
    const writes = { sideBySide, pace: { firstBatch: 1 } };
    try {
      await perform(this.#tools, [writes], adopted);
    } finally {
      this.#reportAdopted(adopted);
    }
    await perform(
      this.#tools,
      release.map((each) => releaseWrite(reference.uid, each)),
    );
    if (adopt.length === 0 || adoption.goesOn) return undefined;
    return { recheckAfterMs: adopted.writes.length > 0 ? 0 : recheckMs };
  }

  #reportAdopted({ writes }: Performed): void {
    const reason = this.#kind.adoption?.reason;
    if (reason === undefined || writes.length === 0) return;
    const adopted = writes.filter((write) => write.verb === "patch" && write.isAdoption === true);
    if (adopted.length === 0) return;
    const names = adopted.map((write) => `${write.resource.kind} ${nameOf(write)}`);
    const message = adoptedText(names);
    this.#shared.events.record(this.#object, { type: "Normal", reason, message });
  }
}

const failureOf = (cause: unknown): Failure => ({
  cause,
  message: cause instanceof Error ? cause.message : String(cause),
});

interface ReportedActions {
  /** The object whose events they are. */
  readonly about: KubeObject;
  readonly actions: PerformedActions;
}

const nameOf = (write: Write): string =>
  "key" in write ? write.key.name : (write.object.metadata.name ?? "");

/** Created and deleted pods, for the events of an object. */
export function podActions(about: KubeObject, writes: readonly Write[]): ReportedActions {
  const names = (verb: "create" | "delete"): string[] =>
    writes.filter((each) => each.verb === verb && each.resource === podResource).map(nameOf);
  return { about, actions: { created: names("create"), deleted: names("delete") } };
}

/** The earliest of several requests to reconcile again. */
function earliestRequeue(...delays: readonly (number | undefined)[]): Outcome {
  const afterMs = earliest(delays);
  return afterMs === undefined ? {} : { recheckAfterMs: Math.max(0, afterMs) };
}
