/** Parts of another rollout are made from it, and it would write over whatever is changed in them. Pure. */
import type { KubeObject } from "../../api/object.ts";
import type { Steer, Steering } from "../kind.ts";

/** What is typed for a verb; `NAME` is the rollout that it is typed for. */
type Refuse = (object: KubeObject, words: string) => Steer;

/** Every verb is refused, with the command for the owner. */
export function refusedSteering(refuse: Refuse, imagePlace: string): Steering {
  const refusing =
    (words: string) =>
    ({ object }: { readonly object: KubeObject }): Steer =>
      refuse(object, words);
  return {
    pause: refusing("pause NAME"),
    resume: refusing("resume NAME"),
    undo: refusing("undo NAME"),
    restart: refusing("restart NAME"),
    promote: refusing("promote NAME"),
    setImage: refusing(`set image NAME ${imagePlace}/CONTAINER=IMAGE`),
    images: () => [],
  };
}

/** Steers what stands alone, and refuses parts. */
export function unlessPart(
  steering: Steering,
  isPart: (object: KubeObject) => boolean,
  parts: Steering,
): Steering {
  const of = ({ object }: { readonly object: KubeObject }): Steering =>
    isPart(object) ? parts : steering;
  return {
    pause: (subject) => of(subject).pause(subject),
    resume: (subject) => of(subject).resume(subject),
    undo: (subject, toRevision) => of(subject).undo(subject, toRevision),
    restart: (subject) => of(subject).restart(subject),
    promote: (subject, full) => of(subject).promote(subject, full),
    setImage: (subject, changes) => of(subject).setImage(subject, changes),
    images: (object) => of({ object }).images(object),
  };
}
