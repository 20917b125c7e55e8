/** Steers PodCliqueSets: the patches for pause, resume, undo, restart, promote and set image. Pure. */
import type { CliqueTemplate, PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import { revisionAnnotation } from "../../controllers/grove/set-revisions.ts";
import type { KubeObject } from "../../api/object.ts";
import type { PodSpec } from "../../api/pod.ts";
import { shellWord } from "../../api/shell-word.ts";
import { timeText } from "../../api/time-text.ts";
import type { SetRevision } from "../../controllers/grove/set-revisions.ts";
import type { Steer, Steering } from "../kind.ts";
import { nothing, pausesNothing, refused, restartedAtAnnotation } from "../kind.ts";
import { setNameOf, setRecords, setRevisions } from "../kinds/grove-revisions.ts";
import { changeImages, imageOperations, noSuchContainer, placedImages } from "./images.ts";
import { refusedSteering } from "./parts.ts";
import { chooseUndo, undoCommand } from "./undo.ts";

const asSet = (object: KubeObject): PodCliqueSet => object as PodCliqueSet;
const named = ({ metadata }: KubeObject): string => `podcliqueset/${metadata.name}`;
const strategyOf = (object: KubeObject) => asSet(object).spec.updateStrategy ?? {};
const isOnDelete = (object: KubeObject): boolean => strategyOf(object).type === "OnDelete";

const strategyPatch = (updateStrategy: unknown) =>
  ({ type: "merge", body: { spec: { updateStrategy } } }) as const;

export const podCliqueSetSteering: Steering = {
  pause({ object }) {
    if (isOnDelete(object)) return pausesNothing(named(object));
    if (strategyOf(object).paused === true) return nothing("is paused already");
    return {
      kind: "change",
      patch: strategyPatch({ paused: true }),
      did: "paused",
      takeBack: `lockstep resume ${named(object)}`,
    };
  },

  resume({ object }) {
    if (strategyOf(object).paused !== true) return nothing("is not paused");
    return {
      kind: "change",
      patch: strategyPatch({ paused: null }),
      did: "resumed",
      takeBack: `lockstep pause ${named(object)}`,
    };
  },

  undo({ object, related }, toRevision) {
    const choice = chooseUndo(setRecords(related), toRevision, named(object));
    if (choice.kind !== "revision") return choice;
    const revision = setRevisions(related).find(({ name }) => name === choice.to.name);
    const operations = revision === undefined ? [] : undoOperations(asSet(object), revision);
    if (operations.length === 0) return nothing(`has the pods of revision ${choice.to.number}`);
    return {
      kind: "change",
      patch: { type: "json", operations },
      did: choice.did,
      takeBack: choice.takeBack,
      notes: notesOf(object),
    };
  },

  restart({ object, related, nowMs }) {
    const operations = asSet(object).spec.template.cliques.flatMap((clique, at) =>
      withAnnotation(clique, at, timeText(nowMs)),
    );
    return {
      kind: "change",
      patch: { type: "json", operations },
      did: "restarted: its pods are replaced in turn, as in any rollout",
      takeBack: undoCommand(setRecords(related), named(object)),
      notes: notesOf(object),
    };
  },

  promote({ object }, full) {
    const held = partitionsOf(asSet(object));
    const isPaused = strategyOf(object).paused === true;
    if (isPaused && (!full || held.length === 0)) {
      const resumed = podCliqueSetSteering.resume({ object, related: {}, nowMs: 0 });
      return resumed.kind === "change" ? { ...resumed, did: "promoted past its pause" } : resumed;
    }
    if (held.length === 0) return nothing("has no partition and no pause to pass");
    // Replicas first: the components inside them follow when all replicas may move.
    const [first] = held;
    const chosen = full ? held : held.filter(({ level }) => level === first?.level);
    return lowered(object, chosen, { full, isPaused });
  },

  setImage({ object, related }, changes) {
    const { cliques } = asSet(object).spec.template;
    const changed = changeImages(podSpecs(object), changes);
    if (changed.kind === "unknown") return noSuchContainer(named(object), changed);
    if (changed.texts.length === 0) return nothing("has these images already");
    const operations = cliques.flatMap(({ name, spec }, at) =>
      imageOperations(
        `/spec/template/cliques/${at}/spec/podSpec`,
        spec.podSpec,
        changed.images[name],
      ),
    );
    return {
      kind: "change",
      patch: { type: "json", operations },
      did: `image updated: ${changed.texts.join(", ")}`,
      takeBack: undoCommand(setRecords(related), named(object)),
      notes: notesOf(object),
    };
  },

  images: (object) => placedImages(podSpecs(object)),
};

/** By clique. */
const podSpecs = (object: KubeObject): Readonly<Record<string, PodSpec>> =>
  Object.fromEntries(
    asSet(object).spec.template.cliques.map(({ name, spec }) => [name, spec.podSpec]),
  );

/** A list has no names in a patch: the operation holds only while the clique is still where it was seen. */
const isStill = ({ name }: CliqueTemplate, at: number) => ({
  op: "test",
  path: `/spec/template/cliques/${at}/name`,
  value: name,
});

function undoOperations({ spec }: PodCliqueSet, revision: SetRevision): readonly unknown[] {
  return spec.template.cliques.flatMap((clique, at) => {
    const recorded = revision.cliques.find(({ name }) => name === clique.name);
    if (recorded === undefined) return [];
    const place = `/spec/template/cliques/${at}`;
    const optional = (field: "labels" | "annotations") => {
      const value = recorded[field];
      if (value !== undefined) return [{ op: "add", path: `${place}/${field}`, value }];
      return clique[field] === undefined ? [] : [{ op: "remove", path: `${place}/${field}` }];
    };
    return [
      isStill(clique, at),
      ...optional("labels"),
      ...optional("annotations"),
      { op: "replace", path: `${place}/spec/podSpec`, value: recorded.spec.podSpec },
    ];
  });
}

function withAnnotation(clique: CliqueTemplate, at: number, time: string): readonly unknown[] {
  const path = `/spec/template/cliques/${at}/annotations`;
  const value = { ...clique.annotations, [restartedAtAnnotation]: time };
  return [isStill(clique, at), { op: "add", path, value }];
}

interface HeldPart {
  readonly level: "set" | "component";
  readonly label: string;
  /** Of the strategy that has the partition. */
  readonly path: string;
  readonly partition: number;
}

function partitionsOf({ spec }: PodCliqueSet): readonly HeldPart[] {
  const parts = (["cliques", "podCliqueScalingGroups"] as const).flatMap((list) =>
    (spec.template[list] ?? []).map(({ name, updateStrategy }, at) => ({
      level: "component" as const,
      label: `the partition of ${name}`,
      path: `/spec/template/${list}/${at}/updateStrategy`,
      partition: updateStrategy?.partition ?? 0,
    })),
  );
  const whole = {
    level: "set" as const,
    label: "the partition",
    path: "/spec/updateStrategy",
    partition: spec.updateStrategy?.partition ?? 0,
  };
  return [whole, ...parts].filter(({ partition }) => partition > 0);
}

function lowered(
  object: KubeObject,
  held: readonly HeldPart[],
  { full, isPaused }: { readonly full: boolean; readonly isPaused: boolean },
): Steer {
  const next = ({ partition }: HeldPart): number => (full ? 0 : partition - 1);
  const operations = held.flatMap((part) => [
    { op: "test", path: `${part.path}/partition`, value: part.partition },
    { op: "replace", path: `${part.path}/partition`, value: next(part) },
  ]);
  const unpaused = isPaused ? [{ op: "remove", path: "/spec/updateStrategy/paused" }] : [];
  const back = held.map(({ path, partition }) => ({
    op: "replace",
    path: `${path}/partition`,
    value: partition,
  }));
  const texts = held.map((part) => `${part.label} is ${next(part)} now, it was ${part.partition}`);
  return {
    kind: "change",
    patch: { type: "json", operations: [...operations, ...unpaused] },
    did: `promoted: ${texts.join("; ")}${isPaused ? "; resumed" : ""}`,
    takeBack: `kubectl patch ${named(object).replace("/", " ")} --type=json -p ${shellWord(JSON.stringify(back))}`,
    notes: ["units that have moved stay on their revision when the partition is raised again"],
  };
}

const notesOf = (object: KubeObject): readonly string[] => [
  ...(strategyOf(object).paused === true
    ? [`it is paused: nothing moves until \`lockstep resume ${named(object)}\``]
    : []),
  ...(isOnDelete(object)
    ? ["its strategy is OnDelete: pods are replaced when you delete them"]
    : []),
];

/** Parts are made from their set, which would write over whatever is changed in them. */
export const partSteering = (word: string): Steering =>
  refusedSteering((object, words): Steer => {
    const set = setNameOf(object);
    const name = `${word}/${object.metadata.name}`;
    if (set === "") {
      return refused(`${name} belongs to no PodCliqueSet`, "it cannot be steered by itself");
    }
    const revision = object.metadata.annotations?.[revisionAnnotation];
    const now = revision === undefined ? "" : ` (it is at ${revision})`;
    return refused(
      `${name} is a part of podcliqueset/${set}, which would undo the change${now}`,
      `steer the set: lockstep ${words.replace("NAME", `podcliqueset/${set}`)}`,
    );
  }, "CLIQUE");
