/** Steers StatefulSets: the patches for pause, resume, undo, restart, promote and set image. Pure. */
import type { StatefulSet } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import type { PodSpec } from "../../api/pod.ts";
import { shellWord } from "../../api/shell-word.ts";
import { timeText } from "../../api/time-text.ts";
import { annotationNames, readOverrides } from "../../controllers/statefulset/annotations.ts";
import { isOnDelete } from "../../controllers/statefulset/policy.ts";
import type { Patch } from "../../runtime/client.ts";
import type { Steer, Steering } from "../kind.ts";
import { nothing, pausesNothing, refused, restartedAtAnnotation } from "../kind.ts";
import { groupOf, modeOf, partitionOf, statefulSetRollout } from "../kinds/stateful-set.ts";
import { changeImages, noSuchContainer, placedImages } from "./images.ts";
import { refusedSteering, unlessPart } from "./parts.ts";
import { chooseUndo, undoCommand } from "./undo.ts";

const asSet = (object: KubeObject): StatefulSet => object as StatefulSet;
const named = ({ metadata }: KubeObject): string => `statefulset/${metadata.name}`;

const merge = (body: unknown): Patch => ({ type: "merge", body });
const strategic = (body: unknown): Patch => ({ type: "strategic", body });
const annotated = (annotations: Readonly<Record<string, string | null>>): Patch =>
  merge({ metadata: { annotations } });

const ownSteering: Steering = {
  pause({ object }) {
    const set = asSet(object);
    if (isOnDelete(set) && modeOf(set) !== "assist") return pausesNothing(named(object));
    if (modeOf(set) === "none") return notOurs(set, "no pause");
    if (readOverrides(set).paused) return nothing("is paused already");
    return {
      kind: "change",
      patch: annotated({ [annotationNames.paused]: "true" }),
      did: "paused",
      takeBack: `lockstep resume ${named(object)}`,
    };
  },

  resume({ object }) {
    const set = asSet(object);
    if (!readOverrides(set).paused) return nothing("is not paused");
    return {
      kind: "change",
      patch: annotated({ [annotationNames.paused]: null }),
      did: "resumed",
      takeBack: `lockstep pause ${named(object)}`,
    };
  },

  undo(subject, toRevision) {
    const records = statefulSetRollout.revisions(subject);
    const choice = chooseUndo(records, toRevision, named(subject.object));
    if (choice.kind !== "revision") return choice;
    return {
      kind: "change",
      // The record says of itself that it replaces the template as a whole.
      patch: strategic(choice.to.object.data),
      did: choice.did,
      takeBack: choice.takeBack,
      notes: pausedNote(asSet(subject.object)),
    };
  },

  restart({ object, related, nowMs }) {
    const set = asSet(object);
    const annotations = { [restartedAtAnnotation]: timeText(nowMs) };
    return {
      kind: "change",
      patch: strategic({ spec: { template: { metadata: { annotations } } } }),
      did: "restarted: its pods are replaced within its budget, as in any rollout",
      takeBack: undoCommand(statefulSetRollout.revisions({ object, related }), named(object)),
      notes: [...pausedNote(set), ...onDeleteNote(set)],
    };
  },

  promote({ object }, full) {
    const set = asSet(object);
    const partition = partitionOf(set);
    if (readOverrides(set).paused && !(full && partition > 0)) {
      const resumed = ownSteering.resume({ object, related: {}, nowMs: 0 });
      return resumed.kind === "change" ? { ...resumed, did: "promoted past its pause" } : resumed;
    }
    if (partition === 0) return nothing("has no partition and no pause to pass");
    return lowered(set, partition, full ? 0 : partition - 1);
  },

  setImage({ object, related }, changes) {
    const set = asSet(object);
    const changed = changeImages(podSpecs(set), changes);
    if (changed.kind === "unknown") return noSuchContainer(named(object), changed);
    const images = changed.images[""] ?? { containers: [], initContainers: [] };
    const lists = Object.fromEntries(
      Object.entries(images).filter(([, containers]) => containers.length > 0),
    );
    if (Object.keys(lists).length === 0) return nothing("has these images already");
    return {
      kind: "change",
      patch: strategic({ spec: { template: { spec: lists } } }),
      did: `image updated: ${changed.texts.join(", ")}`,
      takeBack: undoCommand(statefulSetRollout.revisions({ object, related }), named(object)),
      notes: [...pausedNote(set), ...onDeleteNote(set)],
    };
  },

  images: (object) => placedImages(podSpecs(object)),
};

/** There is one, which needs no name. */
const podSpecs = (object: KubeObject): Readonly<Record<string, PodSpec>> => ({
  "": asSet(object).spec.template.spec ?? { containers: [] },
});

/** A role moves at the pace of its group: a set of it that moves by itself breaks the promise that they go in step. */
const roleSteering = refusedSteering((object, words) => {
  const group = `rolebasedgroup/${groupOf(object)?.name}`;
  return refused(
    `${named(object)} is a role of ${group}, whose roles are updated together`,
    `steer the group: lockstep ${words.replace("NAME", group)}`,
  );
}, "ROLE");

export const statefulSetSteering: Steering = unlessPart(
  ownSteering,
  (object) => groupOf(object) !== undefined,
  roleSteering,
);

function lowered(set: StatefulSet, from: number, to: number): Steer {
  const isAssist = modeOf(set) === "assist";
  const fieldOf = (partition: number): unknown =>
    isAssist
      ? { metadata: { annotations: { [annotationNames.partition]: String(partition) } } }
      : { spec: { updateStrategy: { rollingUpdate: { partition } } } };
  const isPaused = readOverrides(set).paused;
  const unpaused = { metadata: { annotations: { [annotationNames.paused]: null } } };
  const body = isPaused ? { ...unpaused, ...(fieldOf(to) as object) } : fieldOf(to);
  const back = JSON.stringify(fieldOf(from));
  return {
    kind: "change",
    patch: merge(body),
    did: `promoted: the partition is ${to} now, it was ${from}${isPaused ? "; resumed" : ""}`,
    takeBack: `kubectl patch ${named(set).replace("/", " ")} --type=merge -p ${shellWord(back)}`,
    notes: ["pods that have moved stay on their revision when the partition is raised again"],
  };
}

function notOurs(set: StatefulSet, what: string): Steer {
  return refused(
    `StatefulSet ${set.metadata.name} is rolled out by the cluster's own controller, which knows ${what}`,
    "let Lockstep pace it: set spec.updateStrategy.type to OnDelete and annotate it with " +
      annotationNames.maxUnavailable,
  );
}

const pausedNote = (set: StatefulSet): readonly string[] =>
  readOverrides(set).paused
    ? [`it is paused: nothing moves until \`lockstep resume ${named(set)}\``]
    : [];

const onDeleteNote = (set: StatefulSet): readonly string[] =>
  isOnDelete(set) && modeOf(set) !== "assist"
    ? ["its strategy is OnDelete: pods are replaced when you delete them"]
    : [];
