/** Decides the next step of any rollout. Pure: the same snapshot always gives the same decision. */
import { createMissing } from "./create.ts";
import type { Action, Decision, DeleteAction, Step } from "./decision.ts";
import { explainHold, explainStep, explainDone } from "./explain.ts";
import type { Fleet } from "./fleet.ts";
import type { Policy } from "./policy.ts";
import { recheckAfterMs, remedyFor } from "./diagnose.ts";
import { replaceFailed, replaceOutdated } from "./replace.ts";
import type { Snapshot } from "./rollout.ts";
import { spareUnits } from "./room.ts";
import { removeExtra } from "./scale-in.ts";
import { indexUnits } from "./unit-index.ts";
import { createSurge } from "./surge.ts";
import { waitsOf } from "./waits.ts";

export const decide = (snapshot: Snapshot, policy: Policy): Decision =>
  decideFleet(indexUnits(snapshot, policy));

export function decideFleet(fleet: Fleet): Decision {
  const actions = nextActions(fleet);
  if (actions.length > 0) return step(fleet, actions);
  if (isComplete(fleet)) {
    const remedy = { kind: "none" } as const;
    const nothingElse = { waits: [], waitingFor: 0, recheckAfterMs: undefined, remedy };
    return { kind: "done", actions: [], reason: explainDone(fleet), ...nothingElse };
  }
  const { waits, waitingFor } = waitsOf(fleet);
  return {
    kind: "hold",
    actions: [],
    reason: explainHold(fleet, waits, waitingFor),
    waits,
    waitingFor,
    recheckAfterMs: recheckAfterMs(fleet, "hold"),
    remedy: remedyFor(fleet),
  };
}

/** Scaling comes before updating: the update uses the budget that scaling leaves. */
function nextActions(fleet: Fleet): Action[] {
  const spare = spareUnits(fleet);
  const removal = removeExtra(fleet, spare);
  const replacement = replaceOutdated(fleet, spare - removal.spent, removal.isPending);
  const actions: Action[] = replaceFailed(fleet);
  return actions.concat(
    createMissing(fleet),
    removal.actions,
    replacement.actions,
    createSurge(fleet, replacement.spent),
  );
}

function step(fleet: Fleet, actions: readonly Action[]): Step {
  const has = (kind: Action["kind"]): boolean => actions.some((action) => action.kind === kind);
  const kind = has("replace") ? "replace" : has("create") ? "create" : "delete";
  const { waits, waitingFor } = waitsOf(fleet);
  return {
    kind,
    actions,
    reason: explainStep(fleet, kind, actions),
    waits,
    waitingFor,
    recheckAfterMs: recheckAfterMs(fleet, "step"),
    remedy: actions.some(isRelease) ? { kind: "releaseSurge" } : { kind: "none" },
  };
}

const isRelease = (action: Action): action is DeleteAction => action.code === "SurgeReleased";

/** Every unit of the base is available, on the target revision where it should be, and no other unit is left. */
const isComplete = ({ sets: { down, unfinished, extra, leaving } }: Fleet): boolean =>
  down.size === 0 && unfinished.size === 0 && extra.size === 0 && leaving.size === 0;
