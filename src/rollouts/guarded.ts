/**
 * Objects that no definition should have let through, such as one without a spec after its definition was loosened.
 * They are shown as what they are, so that they keep nobody from seeing the others.
 */
import { UserError } from "../api/user-error.ts";
import type { KubeObject } from "../api/object.ts";
import type { KindView, RolloutKind, Steer, Steering } from "./kind.ts";
import { refused } from "./kind.ts";
import { placed } from "./steering/place.ts";

const fix = "correct it, or delete it";

export function guarded(kind: RolloutKind): RolloutKind {
  return {
    ...kind,
    isTopLevel: (object) =>
      attempt(
        () => kind.isTopLevel(object),
        () => true,
      ),
    isRunBy: (object, scope) =>
      attempt(
        () => kind.isRunBy?.(object, scope) ?? true,
        () => false,
      ),
    related: (object) =>
      attempt(
        () => kind.related(object),
        () => ({}),
      ),
    view: (subject) => attempt(() => requireSound(kind.view(subject)), unreadable),
    revisions: (subject) =>
      attempt(
        () => kind.revisions(subject),
        () => [],
      ),
    steering: guardedSteering(kind),
  };
}

function guardedSteering({ word, steering }: RolloutKind): Steering {
  const steer = (object: KubeObject, run: () => Steer): Steer => {
    const named = `${word}/${object.metadata.name}`;
    const steered = attempt(run, (problem) => refused(`${named}: ${problemText(problem)}`, fix));
    return placed(steered, object);
  };
  return {
    pause: (subject) => steer(subject.object, () => steering.pause(subject)),
    resume: (subject) => steer(subject.object, () => steering.resume(subject)),
    undo: (subject, to) => steer(subject.object, () => steering.undo(subject, to)),
    restart: (subject) => steer(subject.object, () => steering.restart(subject)),
    promote: (subject, full) => steer(subject.object, () => steering.promote(subject, full)),
    setImage: (subject, changes) =>
      steer(subject.object, () => steering.setImage(subject, changes)),
    images: (object) =>
      attempt(
        () => steering.images(object),
        () => [],
      ),
  };
}

function attempt<T>(run: () => T, instead: (problem: unknown) => T): T {
  try {
    return run();
  } catch (problem) {
    // Says by itself what is wrong and what to do.
    if (problem instanceof UserError) throw problem;
    return instead(problem);
  }
}

/** What the fields of a view are, wherever they stand in it; those of an object may be anything. */
const types: ReadonlyMap<string, string> = new Map([
  ..."message code name label kind cause since createdAt startedAt node container strategy changes"
    .split(" ")
    .map((field) => [field, "string"] as const),
  ..."desired available updated done total used allowed number ordinal restarts partition"
    .split(" ")
    .map((field) => [field, "number"] as const),
]);

/** Whoever shows a view reads its fields as what they are declared to be. */
function requireSound<T>(part: T, field = ""): T {
  const wanted = types.get(field);
  const isLeftOut = part === undefined && wanted !== "number";
  if (part === null || (wanted !== undefined && !isLeftOut && typeof part !== wanted)) {
    const found = part === undefined ? "missing" : JSON.stringify(part).slice(0, 100);
    throw new TypeError(`${field} is ${found}`);
  }
  if (Array.isArray(part)) for (const each of part) requireSound(each);
  else if (typeof part === "object") {
    for (const key in part) requireSound(part[key], key);
  }
  return part;
}

const problemText = (problem: unknown): string =>
  "this object, or one that belongs to it, is not what its definition asks for: " +
  (problem instanceof Error ? problem.message : String(problem));

const unreadable = (problem: unknown): KindView => ({
  state: "Rejected",
  reason: { code: "Unreadable", message: `${problemText(problem)}: ${fix}` },
  strategy: "",
  isPaused: false,
  changes: "",
  counts: { unit: "unit", desired: 0, available: 0, updated: 0 },
  progress: { unit: "unit", done: 0, total: 0 },
  nodes: [],
  notes: [],
});
