/** The commands that are proposed, as they are typed. Pure. */
import { shellWord } from "../api/shell-word.ts";
import type { RolloutView } from "./view.ts";
import { typed } from "./view.ts";

export interface Command {
  readonly command: string;
  /** What it does, as a sentence without its subject. */
  readonly does: string;
}

export const nodesCommand: Command = {
  command: "kubectl describe nodes",
  does: "shows what pods take on each",
};

export const nodeCommand = (node: string): Command => ({
  command: `kubectl get node ${shellWord(node)}`,
  does: "shows whether its node answers",
});

export const watching = (view: RolloutView): Command => ({
  command: `lockstep watch ${typed(view.object)}${inNamespace(view.object)}`,
  does: "shows it go on",
});

/** A promotion passes a pause before it lowers a partition. */
export const promotions = (view: RolloutView): readonly Command[] => [
  lockstep(
    view,
    "promote",
    view.isPaused ? "passes its pause" : "lowers the partition until another unit moves",
  ),
  lockstep(
    view,
    "promote",
    view.isPaused ? "resumes it, with partition 0" : "lowers it to 0",
    " --full",
  ),
];

/** Only where there is something to go back to. */
export function undo(view: RolloutView): readonly Command[] {
  const { target, steeredBy } = view;
  const current = steeredBy?.current ?? view.current;
  if (target === undefined || current === undefined || current.name === target.name) return [];
  if (steeredBy?.numbersRevisionsApart === true) {
    return [lockstep(view, "undo", `takes back what changed last in ${typed(steeredBy)}`)];
  }
  const to = current.number === undefined ? "" : ` --to-revision ${current.number}`;
  return [lockstep(view, "undo", `goes back to ${current.name}`, to)];
}

/** What commands have to name: a part is steered through its set. */
export const steered = ({ object, steeredBy }: RolloutView): string => typed(steeredBy ?? object);

export const lockstep = (view: RolloutView, verb: string, does: string, more = ""): Command => ({
  command: `lockstep ${verb} ${steered(view)}${more}${inNamespace(view.object)}`,
  does,
});

export const kubectl = ({ object }: RolloutView, words: string, does: string): Command => ({
  command: `kubectl ${words}${inNamespace(object)}`,
  does,
});

/** Commands are copied as they are, so they name the namespace unless it is the one that needs no name. */
export const inNamespace = ({ namespace }: { readonly namespace: string }): string =>
  namespace === "default" || namespace === "" ? "" : ` -n ${namespace}`;
