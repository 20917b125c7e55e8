/** What can be done with a rollout now: every verb with its effect, or why it would have none. Pure. */
import { isTerminating } from "../api/object.ts";
import type { ImageChange, RolloutKind, Steer, SteerSubject } from "../rollouts/kind.ts";
import { inNamespace } from "../rollouts/commands.ts";

export const verbs = [
  "pause",
  "resume",
  "undo",
  "promote",
  "promoteFull",
  "restart",
  "setImage",
] as const;
export type Verb = (typeof verbs)[number];

export interface Asked {
  readonly images?: readonly ImageChange[];
  readonly toRevision?: number;
}

/** A button. */
export interface Offer {
  readonly verb: Verb;
  /** What to type instead. */
  readonly command: string;
  /** What will have been done. */
  readonly does?: string;
  /** Why it would change nothing now. */
  readonly refusal?: string;
  /** There is no such thing for this kind or strategy. */
  readonly isImpossible?: boolean;
}

export function steer(
  { steering, word }: RolloutKind,
  verb: Verb,
  subject: SteerSubject,
  { images = [], toRevision }: Asked = {},
): Steer {
  if (isTerminating(subject.object)) {
    const problem = `${word}/${subject.object.metadata.name} is being deleted`;
    return { kind: "refused", problem, fix: "there is nothing left to steer" };
  }
  switch (verb) {
    case "undo":
      return steering.undo(subject, toRevision);
    case "promote":
    case "promoteFull":
      return steering.promote(subject, verb === "promoteFull");
    case "setImage":
      return steering.setImage(subject, images);
    case "pause":
    case "resume":
    case "restart":
      return steering[verb](subject);
    default:
      return verb satisfies never;
  }
}

export function offersOf(kind: RolloutKind, subject: SteerSubject): readonly Offer[] {
  return verbs
    .filter((verb) => verb !== "setImage")
    .map((verb) => {
      const answer = steer(kind, verb, subject);
      const words = verb === "promoteFull" ? ["promote", "--full"] : [verb];
      const [name, ...flags] = words;
      const { metadata } = subject.object;
      const command = ["lockstep", name, `${kind.word}/${metadata.name}`, ...flags].join(" ");
      const place = inNamespace({ namespace: metadata.namespace ?? "" });
      return { verb, command: `${command}${place}`, ...effectOf(answer) };
    });
}

function effectOf(answer: Steer): Omit<Offer, "verb" | "command"> {
  if (answer.kind === "change") return { does: answer.did };
  if (answer.kind === "nothing") return { refusal: `it ${answer.why}` };
  return { refusal: answer.problem, isImpossible: true };
}
