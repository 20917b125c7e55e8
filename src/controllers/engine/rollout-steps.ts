/** Follows rollouts from status to status, for a log that says what began, what it waits for and how it ended. */
import type { Condition } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Clock, Timer } from "../../runtime/clock.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { WithConditions } from "./conditions.ts";
import { conditionOf, isConditionTrue } from "./conditions.ts";
import { controllerOf } from "./ownership.ts";
import type { OwnerMemory, PerOwner } from "./per-owner.ts";
import { rolloutConditionTypes } from "./rollout-conditions.ts";

/** One step of a rollout, as its conditions put it. */
export interface RolloutStep {
  readonly kind: string;
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  readonly isStalled: boolean;
}

const progressing = (status: WithConditions | undefined): Condition | undefined =>
  conditionOf(status, rolloutConditionTypes.progressing);

/** What does not pass by itself: an image, a crash, a quota, no room. */
const trouble =
  /: [A-Z]\w*(BackOff|Error|ImagePull|ImageName)\b|: not created: |nodes are available|does not fit/;

const resting = new Set([
  "RolledOut",
  "UpdateEnded",
  "AtPartition",
  "PartitionReached",
  "OutdatedLeftToDelete",
]);

/** Nothing is done in these: after a rest, pods went by themselves. */
const waiting = new Set([
  "UnitNotAvailable",
  "UnitNotComplete",
  "UnitTerminating",
  "PredecessorNotAvailable",
  "BudgetSpent",
]);

/** With all of it its pods are deleted, which are watched apart: by then that is seen, too. */
const heldForMs = 2_000;

/** What was reported of one object. */
interface Story {
  reason?: string;
  isTroubled?: boolean;
  object?: string;
  isPart?: boolean;
  hasEnded?: boolean;
  held?: Held | undefined;
}

interface Held {
  readonly step: RolloutStep;
  readonly after: string;
  readonly timer: Timer;
}

interface FollowerParts {
  readonly clock: Pick<Clock, "after">;
  readonly memory: OwnerMemory;
  readonly kind: string;
  readonly onStep: ((step: RolloutStep) => void) | undefined;
}

type Owner = KubeObject & { readonly status?: WithConditions };

/** Keeps what is so now; news is another reason than before, or a trouble where there was none. */
function noted(story: Story, owner: Owner, { reason = "", message = "" }: Condition) {
  // What was written before this process started is no news.
  const written = progressing(owner.status);
  const was = story.reason ?? written?.reason ?? "";
  const hadTrouble = story.isTroubled ?? trouble.test(written?.message ?? "");
  const isTroubled = trouble.test(message);
  Object.assign(story, { reason, isTroubled });
  return { was, isTroubled, isNews: was !== reason || (isTroubled && !hadTrouble) };
}

export class RolloutFollower {
  readonly #parts: FollowerParts;
  readonly #stories: PerOwner<Story>;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    const forget = (story: Story): void => this.#end(story, "nothing of it is rolled out any more");
    this.#stories = parts.memory.perOwner<Story>(() => ({}), forget);
  }

  /** Reports a status whose reason is another one than before, or that names a trouble now; counters are no step. */
  follow(owner: Owner, status: WithConditions): void {
    const now = progressing(status);
    // What is being deleted rolls nothing out: its pods only terminate.
    if (now === undefined || this.#parts.onStep === undefined || isTerminating(owner)) return;
    const story = this.#storyOf(owner);
    const { reason = "", message = "" } = now;
    const { was, isNews, isTroubled } = noted(story, owner, now);
    if (!isNews) return;
    const isStalled = isConditionTrue(status, rolloutConditionTypes.stalled);
    const step = { kind: this.#parts.kind, object: keyOf(owner), reason, message, isStalled };
    const held = this.#takeHeld(story);
    // It was down for a moment only.
    if (held?.after === reason) return;
    if (held !== undefined) this.#parts.onStep(held.step);
    const isQuiet = resting.has(was) && waiting.has(reason) && !isTroubled && !isStalled;
    if (isQuiet) this.#hold(story, step, was);
    else this.#parts.onStep(step);
  }

  /** Its deletion was requested. */
  leave(owner: Owner): void {
    if (progressing(owner.status) === undefined) return;
    this.#end(this.#storyOf(owner), "its deletion was requested: it is not rolled out any more");
  }

  #storyOf(owner: Owner): Story {
    const isPart = controllerOf(owner) !== undefined;
    return Object.assign(this.#stories.of(owner), { object: keyOf(owner), isPart });
  }

  #hold(story: Story, step: RolloutStep, after: string): void {
    const timer = this.#parts.clock.after(heldForMs, () => {
      story.held = undefined;
      this.#parts.onStep?.(step);
    });
    story.held = { step, after, timer };
  }

  #takeHeld(story: Story): Held | undefined {
    const { held } = story;
    held?.timer.cancel();
    story.held = undefined;
    return held;
  }

  /** A part that was at rest ends with what it is a part of. */
  #end(story: Story, message: string): void {
    const { after = story.reason } = this.#takeHeld(story) ?? {};
    const { object, isPart, hasEnded } = story;
    if (object === undefined || hasEnded === true) return;
    story.hasEnded = true;
    if (isPart === true && resting.has(after ?? "")) return;
    const { kind, onStep } = this.#parts;
    onStep?.({ kind, object, reason: "Ended", message, isStalled: false });
  }
}
