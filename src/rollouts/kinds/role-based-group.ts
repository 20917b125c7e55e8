/** RoleBasedGroups: roles of one service, each with a workload of its own, that change together. */
import type { ControllerRevision } from "../../api/apps.ts";
import { controllerRevisionResource } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { IntOrPercent } from "../../api/int-or-percent.ts";
import { coordinationsOf, isRolling } from "../../api/rbg/coordination.ts";
import { isPaused, labelKeys } from "../../api/rbg/labels.ts";
import type { WrittenCoordination } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { resolvePartition } from "../../planner/coordination/resolve-coordination.ts";
import { resolveStatefulSetBudget } from "../../planner/percent.ts";
import { byOrdinal, healthOfAll, isServing, progressOf } from "../counting.ts";
import type { KindView, Related, Subject, ViewedKind } from "../kind.ts";
import { definitionsInstall, listed } from "../kind.ts";
import { podNode } from "../pod-node.ts";
import type { RevisionRecord } from "../revisions.ts";
import { oldestFirst, recordOf, revisionParts } from "../revisions.ts";
import type { ReportedStatus, Stated } from "../state.ts";
import { reportedState } from "../state.ts";
import type { BudgetView, Counts, RolloutNode } from "../view.ts";
import { podsOf } from "../view.ts";

/** What a view reads of a group; its schema has the rest. */
export interface Group extends KubeObject {
  readonly spec: GroupSpec;
  readonly status?: ReportedStatus & {
    readonly roleStatuses?: readonly RoleStatus[];
    readonly coordinationState?: readonly {
      readonly name: string;
      readonly message?: string;
      readonly promotion?: string;
    }[];
    readonly currentRevision?: string;
    readonly updateRevision?: string;
  };
}

export interface GroupSpec {
  readonly roles: readonly Role[];
  readonly roleTemplates?: readonly unknown[];
  readonly coordination?: readonly WrittenCoordination[];
}

export interface Role {
  readonly name: string;
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly template?: { readonly metadata?: KubeObject["metadata"]; readonly spec?: Pod["spec"] };
  readonly templatePatch?: { readonly metadata?: KubeObject["metadata"] };
  readonly rolloutStrategy?: { readonly rollingUpdate?: RollingSettings };
}

interface RollingSettings {
  readonly partition?: IntOrPercent;
  readonly maxUnavailable?: IntOrPercent;
  readonly paused?: boolean;
}

interface RoleStatus {
  readonly name: string;
  readonly availableReplicas?: number;
  readonly readyReplicas?: number;
  readonly updatedReplicas?: number;
}

export const roleBasedGroupRollout: ViewedKind = {
  resource: roleBasedGroupResource,
  word: "rolebasedgroup",
  shortNames: ["rbg"],
  install: definitionsInstall,
  isTopLevel: () => true,
  rolloutOf: ({ metadata }) => metadata.labels?.[labelKeys.groupName],
  related: ({ metadata }) => {
    const labelSelector = `${labelKeys.groupName}=${metadata.name}`;
    return {
      pods: { resource: podResource, labelSelector },
      revisions: { resource: controllerRevisionResource, labelSelector },
    };
  },
  view: (subject) => viewOf(subject as Subject<Group>),
  revisions: ({ related }) => groupRecords(related),
};

interface RevisionData {
  readonly format?: number;
  readonly roleHashes?: Readonly<Record<string, string>>;
  readonly spec?: GroupSpec;
}

export const dataOf = ({ data }: ControllerRevision): RevisionData => data ?? {};

/** Roles by name, so that paths in a difference begin with the role. */
function groupRecords(related: Related): readonly RevisionRecord[] {
  return (
    listed(related, "revisions")
      // Revisions of its StatefulSets carry the label of the group too; they record no roles.
      .filter((revision) => dataOf(revision).spec?.roles !== undefined)
      .map((revision) => {
        const { roles = [], ...rest } = dataOf(revision).spec ?? {};
        const byName = roles.map(({ name, ...role }) => [name, role] as const);
        return recordOf(revision, { ...Object.fromEntries(byName), ...rest });
      })
      .toSorted(oldestFirst)
  );
}

function viewOf(subject: Subject<Group>): KindView {
  const { object: group, related } = subject;
  const { status, spec } = group;
  const records = groupRecords(related);
  const target = records.find(({ name }) => name === status?.updateRevision);
  const nodes = related["pods"] === undefined ? [] : roleNodes(subject, records, target);
  const stated = reportedState(group, status, target?.createdAt) ?? unreported;
  const counts = countsOf(group);
  // How long pauses last says nothing of the pace, and those to come would be left out. Nor does the way there of the
  // way back, and its condition has been true since then.
  const isBack = isTakenBack(group) && podsOf(nodes).some(({ isUpdated }) => isUpdated === false);
  const hasPace = stated.state === "Progressing" && !hasPauses(spec) && !isBack;
  return {
    ...stated,
    strategy: (spec.coordination ?? []).length > 0 ? "coordinated roles" : "RollingUpdate per role",
    isPaused: isPaused(group),
    ...revisionParts(status?.currentRevision, status?.updateRevision, records),
    counts,
    progress: progressOf(nodes, {
      total: toUpdate(group),
      startedAt: hasPace ? stated.since : undefined,
    }),
    nodes,
    ...coordinationsIn(spec),
    notes: stated.state === "Healthy" ? [] : coordinationNotes(group, stated),
  };
}

const hasPauses = (spec: GroupSpec): boolean =>
  coordinationsOf(spec)
    .filter(isRolling)
    .some(({ steps = [] }) => steps.some(({ pause }) => pause !== undefined));

/** The message of a coordination begins with its name; the reason of the whole may quote it already. */
const coordinationNotes = ({ status }: Group, { reason }: Stated): readonly string[] =>
  (status?.coordinationState ?? []).flatMap(({ message }) =>
    message === undefined || reason.message.includes(message) ? [] : [message],
  );

function coordinationsIn(spec: GroupSpec): Pick<KindView, "coordinations"> {
  const rolling = coordinationsOf(spec).filter(isRolling);
  const coordinations = rolling.map(({ name, roles, maxSkew = "" }) => {
    const percent = Number.parseFloat(maxSkew);
    return { name, roles, ...(Number.isNaN(percent) ? {} : { maxSkewPercent: percent }) };
  });
  return coordinations.length === 0 ? {} : { coordinations };
}

/** The target is what was rolled out completely last. */
const isTakenBack = ({ status }: Group): boolean =>
  status?.updateRevision !== undefined && status.currentRevision === status.updateRevision;

/** Pods that the rollout is to update: what a partition keeps is none of them, unless the rollout is taken back. */
function toUpdate(group: Group): number {
  const { spec } = group;
  const isBack = isTakenBack(group);
  return spec.roles.reduce((sum, role) => {
    const { replicas = 1 } = role;
    const { partition } = settingsOf(spec, role);
    return sum + replicas - (isBack ? 0 : resolvePartition(partition, replicas));
  }, 0);
}

/** Of the coordination that updates the role, otherwise of the role itself. */
const settingsOf = (spec: GroupSpec, role: Role): RollingSettings =>
  coordinationsOf(spec)
    .filter(isRolling)
    .find(({ roles }) => roles.includes(role.name)) ??
  role.rolloutStrategy?.rollingUpdate ??
  {};

const unreported: Stated = {
  state: "Progressing",
  reason: { code: "NotObserved", message: "the controller has not reported on it yet" },
};

function countsOf({ spec, status }: Group): Counts {
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const statuses = status?.roleStatuses ?? [];
  const desired = sum(spec.roles.map(({ replicas = 1 }) => replicas));
  const available = statuses.map((role) => role.availableReplicas ?? role.readyReplicas ?? 0);
  return {
    unit: "pod",
    desired,
    available: Math.min(desired, sum(available)),
    updated: Math.min(desired, sum(statuses.map(({ updatedReplicas = 0 }) => updatedReplicas))),
  };
}

function roleNodes(
  { object: group, related, nowMs }: Subject<Group>,
  records: readonly RevisionRecord[],
  target: RevisionRecord | undefined,
): readonly RolloutNode[] {
  const hashOf = (record: RevisionRecord | undefined, role: string): string | undefined =>
    record === undefined ? undefined : dataOf(record.object).roleHashes?.[role];
  return group.spec.roles.map((role) => {
    const { name, replicas: desired = 1, minReadySeconds = 0 } = role;
    const children = listed(related, "pods")
      .filter(({ metadata }) => metadata.labels?.[labelKeys.roleName] === name)
      .map((pod) => {
        const hash = pod.metadata.labels?.[labelKeys.roleRevision];
        const has = (record: RevisionRecord): boolean => hashOf(record, name) === hash;
        const found = target !== undefined && has(target) ? target : records.findLast(has);
        const place = {
          ordinal: Number(/-([0-9]+)$/.exec(pod.metadata.name ?? "")?.[1] ?? 0),
          isUpdated: hash !== undefined && hash === hashOf(target, name),
          minReadySeconds,
          revision: found === undefined ? undefined : { name: found.name, number: found.number },
        };
        return podNode(pod, place, nowMs);
      })
      .toSorted(byOrdinal);
    return roleNode({ group, role, children, desired });
  });
}

interface RoleChildren {
  readonly group: Group;
  readonly role: Role;
  readonly children: readonly RolloutNode[];
  readonly desired: number;
}

function roleNode({ group, role, children, desired }: RoleChildren): RolloutNode {
  const serving = children.filter(isServing);
  const health = desired === 0 && children.length === 0 ? "available" : healthOfAll(children);
  return {
    kind: "Role",
    name: `${group.metadata.name}-${role.name}`,
    label: role.name,
    ...(children.length === 0
      ? {}
      : { isUpdated: children.every(({ isUpdated }) => isUpdated === true) }),
    health: health === "available" && children.length < desired ? "partial" : health,
    counts: {
      unit: "pod",
      desired,
      available: Math.min(desired, serving.length),
      updated: serving.filter(({ isUpdated }) => isUpdated === true).length,
    },
    budget: budgetOf(group, role, desired - serving.length),
    children,
  };
}

function budgetOf({ spec }: Group, role: Role, down: number): BudgetView {
  const { maxUnavailable: amount } = settingsOf(spec, role);
  const { maxUnavailable } = resolveStatefulSetBudget(amount, role.replicas ?? 1);
  return {
    unavailable: { used: Math.max(0, down), allowed: maxUnavailable },
    surge: { used: 0, allowed: 0 },
  };
}
