/** Which recorded revision a set updates to and which it comes from; what is written for that, byte for byte. Pure. */
import type { ControllerRevision, PodTemplate, StatefulSet } from "../../api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../api/apps.ts";
import { canonicalJson } from "../../api/canonical-json.ts";
import { controllerReferenceTo } from "../engine/ownership.ts";
import { revisionCreate } from "../engine/history.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import type { Write } from "../engine/write.ts";
import { updateOf } from "../engine/write.ts";
import type { Observed } from "./observe.ts";
import type { RevisionNames } from "./plan.ts";
import { isSameButDefaults } from "./sparse-record.ts";

interface ChosenRevisions {
  readonly names: RevisionNames;
  readonly collisionCount: number;
  /** Performed before anything refers to the revision by name. */
  readonly record: readonly Write[];
  /** The template that a pod of this revision is created from. */
  readonly template: (revision: string) => PodTemplate;
}

export function chooseRevisions(
  observed: Pick<Observed, "set" | "revisions" | "hasRevision">,
): ChosenRevisions {
  const { set, revisions } = observed;
  const { update, record, collisionCount } = chooseUpdate(observed);
  const others = revisions.filter(({ metadata }) => metadata.name !== update.metadata.name);
  const find = (name: string | undefined): ControllerRevision =>
    [...others, update].find(({ metadata }) => metadata.name === name) ?? update;
  const current = find(set.status?.currentRevision);
  return {
    names: { current: current.metadata.name ?? "", update: update.metadata.name ?? "" },
    collisionCount,
    record,
    template: (name) => templateOf(find(name)),
  };
}

interface ChosenUpdate {
  readonly update: ControllerRevision;
  readonly record: readonly Write[];
  readonly collisionCount: number;
}

function chooseUpdate({
  set,
  revisions,
  hasRevision,
}: Pick<Observed, "set" | "revisions" | "hasRevision">): ChosenUpdate {
  const choice = chooseUpdateRevision(set, revisions);
  const known = set.status?.collisionCount ?? 0;
  switch (choice.kind) {
    case "none":
      return { update: choice.revision, record: [], collisionCount: known };
    case "renumber": {
      const update = { ...choice.revision, revision: choice.number };
      const record = [updateOf(controllerRevisionResource, update)];
      return { update, record, collisionCount: known };
    }
    case "create": {
      const collisionCount = freeCount(set, choice.data, hasRevision);
      const update = buildRevision(set, choice, collisionCount);
      const problem =
        `ControllerRevision ${update.metadata.name} exists already with other data or another owner: ` +
        "another name is chosen once the cache shows it";
      const record = [revisionCreate(update, () => ({ problem }))];
      return { update, record, collisionCount };
    }
    default:
      return choice satisfies never;
  }
}

/** No record of ours has this data, so whatever has its name is another template's, or another owner's. */
function freeCount(set: StatefulSet, data: string, hasRevision: Observed["hasRevision"]): number {
  let count = set.status?.collisionCount ?? 0;
  while (hasRevision(revisionName(set.metadata.name ?? "", data, count))) count += 1;
  return count;
}

const hashLabel = "controller.kubernetes.io/hash";

function buildRevision(
  set: StatefulSet,
  { data, number }: { readonly data: string; readonly number: number },
  collisionCount: number,
): ControllerRevision {
  const { name = "", namespace, annotations } = set.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: revisionName(name, data, collisionCount),
      namespace,
      labels: {
        ...set.spec.template.metadata?.labels,
        // After a collision the label keeps the first hash, as upstream writes it.
        [hashLabel]: revisionHash(data, set.status?.collisionCount ?? 0),
      },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReferenceTo(statefulSetResource, set)],
    },
    data: JSON.parse(data) as unknown,
    revision: number,
  };
}

type RevisionChoice =
  | { readonly kind: "none"; readonly revision: ControllerRevision }
  /** A rollback: the old record becomes the newest one and keeps its name. */
  | { readonly kind: "renumber"; readonly revision: ControllerRevision; readonly number: number }
  | { readonly kind: "create"; readonly data: string; readonly number: number };

export function chooseUpdateRevision(
  { spec: { template } }: StatefulSet,
  oldestFirst: readonly ControllerRevision[],
): RevisionChoice {
  const wanted = comparableTemplate(template);
  const equal = oldestFirst.filter((revision) => comparableRecord(revision) === wanted);
  const latest = oldestFirst.at(-1);
  // Only the latest is worth the doubt, as upstream: a set that changes hands must not roll.
  const isLatest = latest !== undefined && isSameButDefaults(latest.data, revisionData(template));
  const found = equal.at(-1) ?? (isLatest ? latest : undefined);
  const number = (latest?.revision ?? 0) + 1;
  if (found === undefined) {
    return { kind: "create", data: canonicalJson(revisionData(template)), number };
  }
  return found === latest
    ? { kind: "none", revision: found }
    : { kind: "renumber", revision: found, number };
}

/** Oldest first; the order in which history is listed and truncated. */
export function sortRevisions(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  return revisions.toSorted(
    (a, b) =>
      a.revision - b.revision ||
      compareText(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
      compareText(a.metadata.name ?? "", b.metadata.name ?? ""),
  );
}

/** The template a revision recorded, as pods are created from it. */
export function templateOf(revision: Pick<ControllerRevision, "data">): PodTemplate {
  const data = revision.data as { spec?: { template?: PodTemplate & { $patch?: string } } };
  const { $patch: _directive, ...template } = data.spec?.template ?? {};
  return template;
}

const comparableTemplate = memoizeByIdentity((template: PodTemplate) =>
  comparable(revisionData(template)),
);
const comparableRecord = memoizeByIdentity((revision: ControllerRevision) =>
  comparable(revision.data),
);

/** Versions up to 1.33 recorded `creationTimestamp: null`; that is no change of the template. */
const comparable = (data: unknown): string => canonicalJson(withoutNulls(data));

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The part of a set that a revision restores; `$patch` makes it replace the template as a whole. */
export function revisionData(template: PodTemplate): Record<string, unknown> {
  return { spec: { template: { ...template, $patch: "replace" } } };
}

/** `web-776999688b`: stable under the same data and collision count, whatever controller computes it. */
export function revisionName(setName: string, data: string, collisionCount: number): string {
  const prefix = Buffer.from(setName, "utf8").subarray(0, 223).toString("utf8");
  return `${prefix}-${revisionHash(data, collisionCount)}`;
}

/** FNV-1 over the data and the decimal collision count, each decimal digit of the sum mapped to a safe letter. */
export function revisionHash(data: string, collisionCount: number): string {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(`${data}${collisionCount}`, "utf8")) {
    sum = (Math.imul(sum, 0x01000193) ^ byte) >>> 0;
  }
  return Array.from(String(sum), (digit) => safeDigits[Number(digit)]).join("");
}

const safeDigits = "456789bcdf";
