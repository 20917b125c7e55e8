/** The recorded revisions of a rollout, newest last: what `history`, `diff` and `undo` work from. Pure. */
import type { ControllerRevision } from "../api/apps.ts";
import type { TemplateChange } from "../controllers/engine/template-changes.ts";
import { changesIn, templateChanges } from "../controllers/engine/template-changes.ts";
import type { RevisionView, RolloutView } from "./view.ts";
import { podsOf } from "./view.ts";

export interface RevisionRecord {
  readonly name: string;
  readonly number: number;
  readonly createdAt?: string;
  readonly changeCause?: string;
  /** The part of the spec that it records, as people know it: paths in it are short. */
  readonly template: unknown;
  readonly object: ControllerRevision;
}

const changeCauseAnnotation = "kubernetes.io/change-cause";

export function recordOf(object: ControllerRevision, template: unknown): RevisionRecord {
  const { name = "", creationTimestamp, annotations } = object.metadata;
  const changeCause = annotations?.[changeCauseAnnotation];
  return {
    name,
    number: object.revision,
    ...(creationTimestamp === undefined ? {} : { createdAt: creationTimestamp }),
    ...(changeCause === undefined ? {} : { changeCause }),
    template,
    object,
  };
}

export const oldestFirst = (a: RevisionRecord, b: RevisionRecord): number =>
  a.number - b.number || (a.name < b.name ? -1 : 1);

export function revisionView(
  name: string | undefined,
  records: readonly RevisionRecord[],
): RevisionView | undefined {
  if (name === undefined || name === "") return undefined;
  const number = records.find((record) => record.name === name)?.number;
  return { name, ...(number === undefined ? {} : { number }) };
}

export const differencesBetween = (
  before: RevisionRecord,
  after: RevisionRecord,
): readonly TemplateChange[] => changesIn([], before.template, after.template);

/** In a few words; empty where nothing differs or one of them is not recorded. */
export const changesBetween = (
  before: RevisionRecord | undefined,
  after: RevisionRecord | undefined,
): string =>
  before === undefined || after === undefined
    ? ""
    : templateChanges(before.template, after.template);

/** `2 (chat-xyz)`, or the name where no number is recorded. */
export const revisionText = ({ name, number }: RevisionView): string =>
  number === undefined ? name : `${number} (${name})`;

/** Where a rollout comes from and goes to, by the names in its status, and what differs between the two. */
export function revisionParts(
  currentName: string | undefined,
  targetName: string | undefined,
  records: readonly RevisionRecord[],
): Pick<RolloutView, "current" | "target" | "changes"> {
  const current = revisionView(currentName, records);
  const target = revisionView(targetName, records);
  const recorded = (name: string | undefined) => records.find((record) => record.name === name);
  return {
    ...(current === undefined ? {} : { current }),
    ...(target === undefined ? {} : { target }),
    changes: changesBetween(recorded(currentName), recorded(targetName)),
  };
}

/** A recorded revision as a list shows it. */
export interface RevisionRow {
  readonly number: number;
  readonly name: string;
  readonly createdAt?: string;
  /** `current`, `target` or nothing. */
  readonly role: string;
  readonly pods: number;
  readonly changeCause?: string;
  /** Against the revision before. */
  readonly changes: string;
}

export function revisionRows(
  view: RolloutView,
  records: readonly RevisionRecord[],
): readonly RevisionRow[] {
  const pods = podsOf(view.nodes);
  return records.map((record, at) => {
    const { number, name, createdAt, changeCause } = record;
    return {
      number,
      name,
      ...(createdAt === undefined ? {} : { createdAt }),
      role: roleOf(name, view),
      pods: pods.filter(({ revision }) => revision?.name === name).length,
      ...(changeCause === undefined ? {} : { changeCause }),
      changes: changesBetween(records[at - 1], record),
    };
  });
}

function roleOf(name: string, { current, target }: RolloutView): string {
  if (name === target?.name) return name === current?.name ? "current" : "target";
  return name === current?.name ? "current" : "";
}

/** Names with dots (labels, annotations) are quoted. */
export const pathText = (path: readonly string[]): string =>
  path
    .map((word, at) => (/[./]/.test(word) ? `['${word}']` : at === 0 ? word : `.${word}`))
    .join("");
