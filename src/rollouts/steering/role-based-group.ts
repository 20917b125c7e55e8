/** Steers RoleBasedGroups: the patches for pause, resume, undo, restart, promote and set image. Pure. */
import type { KubeObject } from "../../api/object.ts";
import type { PodSpec } from "../../api/pod.ts";
import { annotationKeys, isPaused } from "../../api/rbg/labels.ts";
import { shellWord } from "../../api/shell-word.ts";
import { timeText } from "../../api/time-text.ts";
import type { Patch } from "../../runtime/client.ts";
import type { Steer, Steering } from "../kind.ts";
import { nothing, restartedAtAnnotation } from "../kind.ts";
import type { Group, GroupSpec, Role } from "../kinds/role-based-group.ts";
import { dataOf, roleBasedGroupRollout } from "../kinds/role-based-group.ts";
import { changeImages, imageOperations, noSuchContainer, placedImages } from "./images.ts";
import type { HeldRoles } from "./role-partitions.ts";
import { nextPartition, partitionsOf } from "./role-partitions.ts";
import { chooseUndo, undoCommand } from "./undo.ts";

const asGroup = (object: KubeObject): Group => object as Group;
const named = ({ metadata }: KubeObject): string => `rolebasedgroup/${metadata.name}`;
const annotated = (annotations: Readonly<Record<string, string | null>>): Patch => ({
  type: "merge",
  body: { metadata: { annotations } },
});

export const roleBasedGroupSteering: Steering = {
  pause({ object }) {
    if (isPaused(object)) return nothing("is paused already");
    return {
      kind: "change",
      patch: annotated({ [annotationKeys.paused]: "true" }),
      did: "paused",
      takeBack: `lockstep resume ${named(object)}`,
    };
  },

  resume({ object }) {
    if (!isPaused(object)) return nothing("is not paused");
    return {
      kind: "change",
      patch: annotated({ [annotationKeys.paused]: null }),
      did: "resumed",
      takeBack: `lockstep pause ${named(object)}`,
    };
  },

  undo(subject, toRevision) {
    const records = roleBasedGroupRollout.revisions(subject);
    const choice = chooseUndo(records, toRevision, named(subject.object));
    if (choice.kind !== "revision") return choice;
    const recorded = dataOf(choice.to.object).spec;
    if (recorded === undefined) return nothing(`has the roles of revision ${choice.to.number}`);
    return {
      kind: "change",
      patch: undoPatch(asGroup(subject.object), recorded),
      did: choice.did,
      takeBack: choice.takeBack,
      notes: [
        ...pausedNote(subject.object),
        ...settingsNote(asGroup(subject.object).spec, recorded),
      ],
    };
  },

  restart({ object, related, nowMs }) {
    const { roles } = asGroup(object).spec;
    const time = timeText(nowMs);
    return {
      kind: "change",
      patch: { type: "json", operations: roles.flatMap((role, at) => restarted(role, at, time)) },
      did: "restarted: the pods of its roles are replaced in step, as in any rollout",
      takeBack: undoCommand(roleBasedGroupRollout.revisions({ object, related }), named(object)),
      notes: pausedNote(object),
    };
  },

  promote(subject, full) {
    const { object } = subject;
    const promotions = (asGroup(object).status?.coordinationState ?? []).flatMap(
      ({ promotion }) => promotion ?? [],
    );
    if (promotions.length > 0) {
      return promoted(
        object,
        full ? promotions.map((each) => pastAll(asGroup(object), each)) : promotions,
        full,
      );
    }
    const held = partitionsOf(asGroup(object));
    if (isPaused(object) && (!full || held.length === 0)) {
      const resumed = roleBasedGroupSteering.resume(subject);
      return resumed.kind === "change" ? { ...resumed, did: "promoted past its pause" } : resumed;
    }
    return held.length === 0
      ? nothing("has no partition and no pause to pass")
      : lowered(object, held, full);
  },

  setImage({ object, related }, changes) {
    const { roles } = asGroup(object).spec;
    const changed = changeImages(podSpecs(object), changes);
    if (changed.kind === "unknown") return noSuchContainer(named(object), changed);
    if (changed.texts.length === 0) return nothing("has these images already");
    const operations = roles.flatMap(({ name, template }, at) =>
      template?.spec === undefined
        ? []
        : imageOperations(`/spec/roles/${at}/template/spec`, template.spec, changed.images[name]),
    );
    return {
      kind: "change",
      patch: { type: "json", operations },
      did: `image updated: ${changed.texts.join(", ")}`,
      takeBack: undoCommand(roleBasedGroupRollout.revisions({ object, related }), named(object)),
      notes: pausedNote(object),
    };
  },

  images: (object) => placedImages(podSpecs(object)),
};

/** By role, of those that have a template of their own. */
const podSpecs = (object: KubeObject): Readonly<Record<string, PodSpec>> =>
  Object.fromEntries(
    asGroup(object).spec.roles.flatMap(({ name, template }) =>
      template?.spec === undefined ? [] : [[name, template.spec] as const],
    ),
  );

/** Sizes belong to whoever scales: going back does not scale. The version guards against a change in between. */
function undoPatch({ metadata, spec }: Group, recorded: GroupSpec): Patch {
  const sizes = new Map(spec.roles.map(({ name, replicas }) => [name, replicas]));
  const roles = recorded.roles.map((role) => {
    const replicas = sizes.get(role.name);
    return { ...role, ...(replicas === undefined ? {} : { replicas }) };
  });
  const { roleTemplates = null, coordination = null } = recorded;
  const { resourceVersion } = metadata;
  const body = { metadata: { resourceVersion }, spec: { roles, roleTemplates, coordination } };
  return { type: "merge", body };
}

/** A partition that was in force then is in force again. */
function settingsNote(now: GroupSpec, then: GroupSpec): readonly string[] {
  const [before, after] = [now, then].map(({ coordination = [] }) =>
    coordination
      .map(({ name, strategy }) => `${name} ${JSON.stringify(strategy ?? {})}`)
      .join(", "),
  );
  if (before === after) return [];
  return [`coordination comes back with it: ${after || "none"}; now it is ${before || "none"}`];
}

/** A role that refers to a shared template is restarted by its own patch of it. */
function restarted(role: Role, at: number, time: string): readonly unknown[] {
  const field = role.template === undefined ? "templatePatch" : "template";
  const template = role[field] ?? {};
  const annotations = { ...template.metadata?.annotations, [restartedAtAnnotation]: time };
  const value = { ...template, metadata: { ...template.metadata, annotations } };
  return [
    { op: "test", path: `/spec/roles/${at}/name`, value: role.name },
    { op: "add", path: `/spec/roles/${at}/${field}`, value },
  ];
}

/** `pair:b7c2:1` with three steps -> `pair:b7c2:3`: a promotion says how many steps are passed. */
function pastAll({ spec }: Group, promotion: string): string {
  const [name = "", revision = ""] = promotion.split(":");
  const strategy = spec.coordination?.find((each) => each.name === name)?.strategy;
  const steps = strategy?.rollingUpdate?.steps ?? strategy?.steps ?? [];
  return `${name}:${revision}:${steps.length}`;
}

function promoted(object: KubeObject, promotions: readonly string[], full: boolean): Steer {
  const before = object.metadata.annotations?.[annotationKeys.promote];
  const back =
    before === undefined
      ? `${annotationKeys.promote}-`
      : `--overwrite ${shellWord(`${annotationKeys.promote}=${before}`)}`;
  return {
    kind: "change",
    patch: annotated({ [annotationKeys.promote]: promotions.join(",") }),
    did: `promoted past the pause of ${full ? "all its steps" : "its step"} (${promotions.join(", ")})`,
    takeBack: `kubectl annotate ${named(object).replace("/", " ")} ${back}`,
    notes: ["units that have moved stay on their revision"],
  };
}

/** To nothing, or just far enough that another unit moves. */
function lowered(object: KubeObject, held: readonly HeldRoles[], full: boolean): Steer {
  const changes = held.map(({ path, label, from, sizes }) => {
    return { path, label, from, to: full ? 0 : nextPartition(from, sizes) };
  });
  const operations = changes.flatMap(({ path, from, to }) => [
    { op: "test", path, value: from },
    { op: "replace", path, value: to },
  ]);
  const escaped = annotationKeys.paused.replace("/", "~1");
  const unpaused =
    full && isPaused(object) ? [{ op: "remove", path: `/metadata/annotations/${escaped}` }] : [];
  const texts = changes.map(({ label, from, to }) => `${label} is ${to} now, it was ${from}`);
  const back = changes.map(({ path, from }) => ({ op: "replace", path, value: from }));
  const target = named(object).replace("/", " ");
  return {
    kind: "change",
    patch: { type: "json", operations: [...operations, ...unpaused] },
    did: `promoted: ${texts.join("; ")}${unpaused.length > 0 ? "; resumed" : ""}`,
    takeBack: `kubectl patch ${target} --type=json -p ${shellWord(JSON.stringify(back))}`,
    notes: ["units that have moved stay on their revision when a partition is raised again"],
  };
}

const pausedNote = (object: KubeObject): readonly string[] =>
  isPaused(object)
    ? [`it is paused: nothing moves until \`lockstep resume ${named(object)}\``]
    : [];
