/** What would free a rollout that waits, and the exact command for it. Pure. */
import { shellWord } from "../api/shell-word.ts";
import type { Command } from "./commands.ts";
import {
  kubectl,
  lockstep,
  nodeCommand,
  nodesCommand,
  promotions,
  steered,
  undo,
  watching,
} from "./commands.ts";
import { badImage } from "./pod-node.ts";
import { definitionsInstall } from "./kind.ts";
import { noStatus } from "./state.ts";
import type { RolloutNode, RolloutView } from "./view.ts";
import { needsHelp, podsOf, shownOnly, typed, waitsForOperator } from "./view.ts";

export interface Remedy {
  readonly freedBy: string;
  readonly commands: readonly Command[];
}

/** `blocker` is the unit waited for; undefined where it waits for none. */
export function remedyFor(view: RolloutView, blocker: RolloutNode | undefined): Remedy {
  if (view.abandoned !== undefined) return forAbandoned(view);
  if (waitsForOperator(view)) return anOperator(view);
  const remedy = remedyIn(view, blocker);
  if (view.operator !== undefined && view.state === "Paused") {
    const { freedBy, commands } = anOperator(view);
    return {
      freedBy: `${freedBy}, and ${remedy.freedBy}`,
      commands: [...commands, ...remedy.commands],
    };
  }
  return view.missingLease !== undefined && view.state === "Progressing"
    ? unlessNobody(view, remedy)
    : remedy;
}

function remedyIn(view: RolloutView, blocker: RolloutNode | undefined): Remedy {
  switch (view.state) {
    case "Healthy":
      return { freedBy: healthy(view), commands: [] };
    case "AtPartition":
      return isCursor(view) ? forTurn(view) : forPartition(view);
    case "AwaitingDelete":
      return { freedBy: "the deletion of outdated pods", commands: deletions(view, blocker) };
    case "AwaitingTurn":
      return forTurn(view);
    case "Paused":
      return forPause(view, view.reason.code);
    case "Rejected":
      return {
        freedBy: "a corrected spec",
        commands: [kubectl(view, `edit ${steered(view)}`, "opens the spec to correct it")],
      };
    case "Deleting":
      return {
        freedBy: "the end of its pods and the removal of its finalizers",
        commands: [{ ...watching(view), does: "shows what is left" }],
      };
    case "Progressing":
    case "Stalled":
      return forMoving(view, blocker);
  }
}

function forMoving(view: RolloutView, blocker: RolloutNode | undefined): Remedy {
  // What is outdated is replaced by its group, however broken it is.
  if (view.steeredBy?.state === "Paused" && blocker?.isUpdated === false) {
    return forPause(view, view.steeredBy.code);
  }
  return forReason(view) ?? forReleased(view) ?? forUnseen(view, blocker);
}

const forPartition = (view: RolloutView): Remedy => ({
  freedBy: "a lower partition",
  commands: [...promotions(view), ...undo(view)],
});

/** The partition of a role is what its group moves, unless the group rests at one itself. */
const isCursor = ({ steeredBy: { word, state } = { word: "", name: "" } }: RolloutView): boolean =>
  word === "rolebasedgroup" && (state === "Progressing" || state === "Paused");

/** A person paused it, or a step waits for one. */
function forPause(view: RolloutView, code: string | undefined): Remedy {
  if (code === "AwaitingPromotion") {
    const promote = lockstep(view, "promote", "passes the pause of this step");
    return { freedBy: "a promotion", commands: [promote, ...undo(view)] };
  }
  return { freedBy: "a resume", commands: [lockstep(view, "resume", "lets it go on")] };
}

/** What its owner waits for, so does the part. */
function forTurn(view: RolloutView): Remedy {
  const state = view.steeredBy?.state;
  if (state === "AtPartition") return forPartition(view);
  if (state === "Paused") return forPause(view, view.steeredBy?.code);
  if (state !== undefined && needsHelp(state)) {
    return {
      freedBy: `${steered(view)}, which is ${state}`,
      commands: [lockstep(view, "why", "says what would free it")],
    };
  }
  return {
    freedBy: "its owner, when the turn of this part comes and no partition or pause keeps it",
    commands: [watching(view)],
  };
}

const whetherItRuns: Command = {
  command: "kubectl get pods -n lockstep-system",
  does: "shows whether it runs",
};

/** A pod of the cluster, or a process that somebody started. */
const anOperator = ({ operator }: RolloutView): Remedy => ({
  freedBy: "an operator that takes the lease",
  commands: [
    whetherItRuns,
    { command: "kubectl apply -f deploy/operator.yaml", does: "installs it, where there is none" },
    ...(operator === undefined
      ? []
      : [
          {
            command: `lockstep operator ${operator.flags}`,
            does: "starts again what ran before, where that was no pod",
          },
        ]),
  ],
});

/** Without a lease nobody knows whether an operator is at work: first comes what is known. */
function unlessNobody(view: RolloutView, { freedBy, commands }: Remedy): Remedy {
  const operator = `an operator, if none is at work (there is no lease ${view.missingLease})`;
  const toRunOne = anOperator(view).commands;
  return freedBy === nextStep
    ? { freedBy: `${operator}; else ${freedBy}`, commands: [...toRunOne, ...commands] }
    : { freedBy: `${freedBy}; or ${operator}`, commands: [...commands, ...toRunOne] };
}

/**
 * Where an operator is enough, what takes everything along comes last. The namespace is always named: without it all of
 * the cluster would go.
 */
function forAbandoned({ abandoned, object: { namespace } }: RolloutView): Remedy {
  const definitions = {
    command: definitionsInstall,
    does: "if you stay: has its kinds served again",
  };
  const end = {
    command: `lockstep uninstall --yes -n ${namespace}`,
    does: `ends it, and deletes all else of Lockstep's kinds in ${namespace}`,
  };
  // Applying a definition that terminates changes nothing: its objects have to go first.
  const ofDefinitions = abandoned === "NoDefinitions";
  return {
    freedBy:
      "an operator that goes on with it, or the end of all that Lockstep has in its namespace",
    commands: ofDefinitions ? [end, definitions] : [whetherItRuns, end],
  };
}

function forReason(view: RolloutView): Remedy | undefined {
  switch (view.reason.code) {
    case "NotObserved":
      if (view.notes.includes(shownOnly)) {
        const describe = kubectl(view, `describe ${typed(view.object)}`, "shows its events");
        return {
          freedBy:
            "the cluster's own StatefulSet controller, or an operator with --statefulset-mode full",
          commands: [describe],
        };
      }
      // A new part reports some seconds after its pods are made: who made them runs.
      if (view.reason.message.endsWith(noStatus) && podsOf(view.nodes).length > 0) return undefined;
      return {
        freedBy: "a running operator that may read and write this kind",
        commands: [whetherItRuns],
      };
    case "NoBudget":
      return {
        freedBy: "a maxUnavailable or maxSurge above 0",
        commands: [kubectl(view, `edit ${steered(view)}`, "opens its update strategy")],
      };
    default:
      return undefined;
  }
}

/**
 * A note may say what is not as somebody meant it: a setting without effect, a Placement that selects nothing. That a
 * part is steered through its set is no such thing.
 */
const healthy = ({ notes, steeredBy }: RolloutView): string =>
  notes.length === (steeredBy === undefined ? 0 : 1)
    ? "nothing: it has all that was asked for"
    : "nothing: it waits for nothing, but see the note";

/** What was given up comes back with another target only; its pods are gone, so no unit is waited for. */
function forReleased(view: RolloutView): Remedy | undefined {
  const { released, state } = view;
  if (released === undefined || state !== "Stalled") return undefined;
  // Room helps what found none; what did not start, no room lets start.
  if (!released.every((each) => each.includes(", which did not fit before "))) {
    const change = kubectl(view, `edit ${steered(view)}`, "opens the spec to correct it");
    return { freedBy: "a revision whose pods become available", commands: [...undo(view), change] };
  }
  const restart = lockstep(
    view,
    "restart",
    "replaces every pod in turn, surge first, once there is room for it",
  );
  const edit = kubectl(view, `edit ${steered(view)}`, "opens its update strategies");
  return {
    freedBy: "room for the surge and a restart, or a maxUnavailable above 0",
    commands: [restart, edit, ...undo(view)],
  };
}

/** What is broken comes before what does not exist. */
function forUnseen(view: RolloutView, blocker: RolloutNode | undefined): Remedy {
  const isBroken = blocker?.health === "broken";
  const unseen = isBroken ? undefined : (forRefused(view) ?? forSmall(view));
  return unseen ?? forBlocker(view, blocker);
}

/** A pod that the API server refused does not exist, so no unit is waited for. */
function forRefused(view: RolloutView): Remedy | undefined {
  const [, why] = /: not created: ([^;]*)/.exec(view.reason.message) ?? [];
  if (why === undefined) return undefined;
  const [, quota] = /^exceeded quota: ([a-z0-9.-]+),/.exec(why) ?? [];
  const retried = "refused pods are tried again every two minutes at least";
  return quota === undefined
    ? {
        freedBy: `pods that the API server accepts; ${retried}`,
        commands: [
          kubectl(view, `edit ${steered(view)}`, "opens the spec to change"),
          ...undo(view),
        ],
      }
    : {
        freedBy: `room in the ResourceQuota ${quota}; ${retried}`,
        commands: [
          kubectl(view, `describe quota ${quota}`, "shows what is used of it"),
          ...undo(view),
        ],
      };
}

/** A part below its minimum: everything that was asked for may be there, and its replica is not available. */
function forSmall(view: RolloutView): Remedy | undefined {
  const [, name, minimum] =
    /(?:^| )(\S+) is scaled to \d+, below its minimum of (\d+)/.exec(view.reason.message) ?? [];
  if (name === undefined) return undefined;
  const isClique = allNodes(view.nodes).some(
    (node) => node.name === name && node.kind === "PodClique",
  );
  const command = `scale ${isClique ? "pclq" : "pcsg"} ${name} --replicas=${minimum}`;
  return {
    freedBy: `${name} at its minimum of ${minimum}`,
    commands: [kubectl(view, command, "scales it to its minimum")],
  };
}

const allNodes = (nodes: readonly RolloutNode[]): readonly RolloutNode[] =>
  nodes.flatMap((node) => [node, ...allNodes(node.children)]);

const crash = /^(CrashLoopBackOff|RunContainerError)|restarted [0-9]+ time|pod ended as/;
const noRoom = /^not scheduled|^held back: .* does not fit/;
const isHeldBack = /^held back/;
const badConfig = /^CreateContainer/;

/** Where no unit is waited for. What a deleted clique leaves behind is in no tree. */
const nextStep = "the next step, which needs no help";

function forNobody(view: RolloutView): Remedy {
  if (view.state !== "Stalled" && view.reason.message.includes(" to terminate")) {
    return { freedBy: "the end of what terminates", commands: [watching(view)] };
  }
  if (view.state !== "Stalled") {
    return { freedBy: nextStep, commands: [watching(view)] };
  }
  const describe = kubectl(view, `describe ${typed(view.object)}`, "shows its conditions");
  return { freedBy: "a change of its spec", commands: [describe, ...undo(view)] };
}

/** The gang whose scheduling a pod is held back for. */
const baseGangOf = ({ cause = "" }: RolloutNode): string | undefined =>
  /^held back: the base gang (\S+) has not been scheduled/.exec(cause)?.[1];

/** What is held back for its base gang waits for what keeps the pods of that one. */
function forBaseGang(view: RolloutView, baseGang: string): Remedy {
  const kept = podsOf(view.nodes).find(
    (pod) =>
      pod.name.startsWith(`${baseGang}-`) &&
      pod.health !== "available" &&
      pod.health !== "terminating" &&
      baseGangOf(pod) === undefined,
  );
  if (kept !== undefined) return forBlocker(view, kept);
  return {
    freedBy: `the base gang ${baseGang} being scheduled`,
    commands: [lockstep(view, "why", "says what keeps its pods")],
  };
}

function forBlocker(view: RolloutView, blocker: RolloutNode | undefined): Remedy {
  if (blocker === undefined) return forNobody(view);
  const baseGang = baseGangOf(blocker);
  if (baseGang !== undefined) return forBaseGang(view, baseGang);
  const { cause = "", name, health } = blocker;
  const describe = kubectl(view, `describe pod ${name}`, "shows the pod and its events");
  if (badImage.test(cause)) return forImages(view, blocker);
  if (crash.test(cause)) {
    const logs = kubectl(view, `logs ${name}${whichLog(blocker)}`, "shows why the container ended");
    return { freedBy: "a container that keeps running", commands: [logs, ...undo(view)] };
  }
  if (noRoom.test(cause)) {
    // No scheduler has seen a pod that is held back, so it has no events.
    const look = isHeldBack.test(cause) ? nodesCommand : describe;
    return {
      freedBy: "a node with room for it, or a revision that asks for less",
      commands: [look, ...(blocker.isUpdated === true ? undo(view) : [])],
    };
  }
  if (badConfig.test(cause)) {
    return { freedBy: "what the container asks for", commands: [describe, ...undo(view)] };
  }
  if (health === "terminating") return forTerminating(view, blocker);
  const commands = view.state === "Stalled" ? [describe, ...undo(view)] : [watching(view)];
  return { freedBy: `${name} becoming available`, commands };
}

function forTerminating(view: RolloutView, { node, cause = "" }: RolloutNode): Remedy {
  const [, finalizers] = /^held by (.+)$/.exec(cause) ?? [];
  const freedBy =
    finalizers === undefined
      ? "its processes ending, or its node being declared lost"
      : `its processes ending, and the removal of its finalizers (${finalizers}) by whoever added them`;
  return {
    freedBy,
    commands: [...(node === undefined ? [] : [nodeCommand(node)]), watching(view)],
  };
}

/** Of a pod that ended there is no run before; of several containers kubectl shows the first unless one is named. */
function whichLog({ container, cause = "" }: RolloutNode): string {
  const which = container === undefined ? "" : ` -c ${shellWord(container)}`;
  return cause.startsWith("the pod ended") ? which : `${which} --previous`;
}

/** Every image that cannot be pulled has to be another one: with the first alone it would wait for the next. */
function forImages(view: RolloutView, blocker: RolloutNode): Remedy {
  const pods = podsOf(view.nodes).filter(({ isUpdated }) => isUpdated === blocker.isUpdated);
  const containers = new Set([blocker, ...pods].flatMap((pod) => withoutImage(view, pod)));
  const images = [...containers].map((container) => ` ${shellWord(`${container}=IMAGE`)}`).join("");
  const [does, freedBy] =
    containers.size === 1
      ? ["moves on to an image that exists", "an image that can be pulled"]
      : ["moves on to images that exist", "images that can be pulled"];
  return { freedBy, commands: [...undo(view), lockstep(view, "set image", does, images)] };
}

/** `front/server`, as `set image` takes it; the clique alone knows how the template calls it. */
function withoutImage({ nodes, steeredBy }: RolloutView, pod: RolloutNode): readonly string[] {
  const component = parentOf(nodes, pod)?.label ?? steeredBy?.component;
  const place = component === undefined ? "" : `${component}/`;
  return (pod.badImages ?? []).map((container) => `${place}${container}`);
}

function parentOf(nodes: readonly RolloutNode[], pod: RolloutNode): RolloutNode | undefined {
  for (const node of nodes) {
    const found = node.children.includes(pod) ? node : parentOf(node.children, pod);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Who asks about one of the outdated pods means that one. */
function deletions(view: RolloutView, asked: RolloutNode | undefined): readonly Command[] {
  if (asked?.isUpdated === false) {
    return [kubectl(view, `delete pod ${asked.name}`, "has it created on the target")];
  }
  const outdated = podsOf(view.nodes).find(({ isUpdated }) => isUpdated === false);
  if (outdated === undefined) return [];
  return [kubectl(view, `delete pod ${outdated.name}`, "replaces the first of them")];
}
