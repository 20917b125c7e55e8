/** What holds in every scenario of a RoleBasedGroup: skew, steps, closed beginnings, falling cursors. */
import type { StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import type { RollingCoordination } from "../../api/rbg/coordination.ts";
import { coordinationsOf, isRolling } from "../../api/rbg/coordination.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { KubeObject } from "../../api/object.ts";
import { annotationKeys, labelKeys, roleRevisionKey } from "../../api/rbg/labels.ts";
import { workloadName } from "../../api/rbg/names.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { serviceResource } from "../../api/service.ts";
import { readAhead } from "../../controllers/rolebasedgroup/stateful-set.ts";
import { readRecord } from "../../controllers/rolebasedgroup/role-record.ts";
import { follow } from "../follow.ts";
import { Recent } from "./recent.ts";
import { RolePodPromises } from "./role-pod-promises.ts";
import type { StepRole } from "./step-promises.ts";
import { StepPromises } from "./step-promises.ts";
import type { KindPromises, Watched } from "../scenario-kind.ts";
import { isServing, isTerminating } from "../scenario-kind.ts";

interface RoleSet {
  readonly role: string;
  readonly revision: string;
  readonly partition: number;
  /** Ordinals below the partition that are updated all the same. */
  readonly ahead: readonly number[];
  readonly replicas: number;
  /** It has no workload: its size is not written where the cursor is. */
  readonly isRecorded?: boolean;
  /** Its size was another one a moment ago. */
  readonly isResized?: boolean;
}

const roleOf = (set: StatefulSet): RoleSet => {
  const role = set.metadata.labels?.[labelKeys.roleName] ?? "";
  return {
    role,
    revision: set.metadata.labels?.[roleRevisionKey(role)] ?? "",
    partition: set.spec.updateStrategy?.rollingUpdate?.partition ?? 0,
    ahead: readAhead(set),
    replicas: set.spec.replicas ?? 1,
  };
};

/** How much of a role is updated and serves, and how much of it that is. */
interface Progress {
  readonly confirmed: number;
  readonly desired: number;
}

export class RoleBasedGroupPromises implements KindPromises {
  readonly #watched: Watched;
  readonly #startMs: number;
  readonly #coordinations = new Map<string, Recent<readonly RollingCoordination[]>>();
  readonly #groups = new Map<string, Recent<RoleBasedGroup>>();
  readonly #sets = new Map<string, RoleSet>();
  readonly #pods: ReadonlyMap<string, Pod>;
  /** By workload: what was confirmed lately; an operator may act on a view that is a little late. */
  readonly #progress = new Map<string, Recent<Progress>>();

  /** By workload: the revisions that its pods have had. */
  readonly #had = new Map<string, Set<string | undefined>>();
  /** What the pods of a role are made from that a router finds by one value of its label. */
  readonly #pools = new Map<string, string>();
  readonly #steps: StepPromises;
  readonly #rolePods: RolePodPromises;

  constructor(watched: Watched) {
    const { client, clock, signal } = watched;
    const selection = signal === undefined ? {} : { signal };
    this.#watched = watched;
    this.#startMs = clock.now();
    const wall = watched.wall ?? (() => clock.now());
    this.#steps = new StepPromises(() => ({ steadyMs: clock.now(), wallMs: wall() }));
    follow<RoleBasedGroup>({ client, resource: roleBasedGroupResource, selection }, (_, group) =>
      this.#seeGroup(group),
    );
    this.#pods = follow<Pod>({ client, resource: podResource, selection }, (type, pod, before) => {
      this.#seePod(pod);
      this.#rolePods.seePod(type, pod, before);
    });
    this.#rolePods = new RolePodPromises({
      pods: this.#pods,
      now: () => clock.now(),
      report: (violation) => this.#report(violation),
    });
    follow<StatefulSet>({ client, resource: statefulSetResource, selection }, (type, set) => {
      const { name = "", labels = {} } = set.metadata;
      if (type === "DELETED") this.#sets.delete(name);
      else this.#seeSet(name, labels[labelKeys.groupName], roleOf(set));
    });
    follow({ client, resource: serviceResource, selection }, (type, service) =>
      this.#seeService(type === "DELETED", service),
    );
  }

  /** Pods of a StatefulSet are deleted by its controller, whose own promises cover that. */
  deleteRequested(plural: string, name: string): void {
    if (plural === "pods") this.#rolePods.budget.deleteRequested(name);
  }

  deleteRefused(plural: string, name: string): void {
    if (plural === "pods") this.#rolePods.budget.deleteRefused(name);
  }

  /** Every pod is in the pool of its coordination once nothing moves. */
  checkAtRest(): void {
    for (const pod of this.#pods.values()) {
      const labels = pod.metadata.labels ?? {};
      const isOurs = labels[labelKeys.roleName] !== undefined;
      if (!isOurs || isTerminating(pod) || labels[labelKeys.revision] !== undefined) continue;
      this.#report(`${pod.metadata.name} has no revision label`);
    }
  }

  #seeGroup(group: RoleBasedGroup): void {
    const { name = "" } = group.metadata;
    const { clock } = this.#watched;
    const groups = this.#groups.get(name) ?? new Recent<RoleBasedGroup>(() => clock.now());
    this.#groups.set(name, groups);
    groups.set(group);
    const recent = this.#coordinations.get(name) ?? new Recent(() => clock.now());
    this.#coordinations.set(name, recent);
    recent.set(coordinationsOf(group.spec).filter(isRolling));
    this.#rolePods.seeGroup(group);
    this.#resize(group);
    // A higher partition may be all that a step lacked.
    this.#measureAllSteps(name, recent.current ?? []);
  }

  #resize({ metadata, spec }: RoleBasedGroup): void {
    for (const { name, replicas = 1 } of spec.roles) {
      const workload = workloadName(metadata.name ?? "", name);
      const set = this.#sets.get(workload);
      if (set?.isRecorded !== true || set.replicas === replicas) continue;
      this.#sets.set(workload, { ...set, replicas });
      this.#measure(workload);
    }
  }

  /** Where a role has no workload, its service says where it stands. */
  #seeService(isGone: boolean, service: KubeObject): void {
    const { [labelKeys.groupName]: group, [labelKeys.roleName]: role = "" } =
      service.metadata.labels ?? {};
    const record = readRecord(service);
    if (group === undefined || record === undefined) return;
    const workload = workloadName(group, role);
    const sizes = (this.#groups.get(group)?.all() ?? []).flatMap(({ spec }) =>
      spec.roles.filter(({ name }) => name === role).map(({ replicas = 1 }) => replicas),
    );
    const replicas = sizes.at(-1);
    if (isGone || replicas === undefined) {
      this.#sets.delete(workload);
      return;
    }
    const isResized = new Set(sizes).size > 1;
    const { revision, cursor: partition, ahead = [] } = record;
    const stand = { role, revision, partition, ahead, replicas };
    this.#seeSet(workload, group, { ...stand, isRecorded: true, isResized });
  }

  #seePod(pod: Pod): void {
    const { [labelKeys.groupName]: group, [labelKeys.roleName]: role } = pod.metadata.labels ?? {};
    if (group === undefined || role === undefined) return;
    const workload = `${group}-${role}`;
    this.#had.set(workload, (this.#had.get(workload) ?? new Set()).add(revisionOf(pod)));
    this.#measure(workload);
    this.#seePool(workload, pod);
  }

  /** A selector distinguishes old and new pods at every moment. */
  #seePool(workload: string, pod: Pod): void {
    const value = pod.metadata.labels?.[labelKeys.revision];
    const made = revisionOf(pod) ?? "";
    if (value === undefined) return;
    const known = this.#pools.get(`${workload} ${value}`) ?? made;
    this.#pools.set(`${workload} ${value}`, known);
    if (known === made) return;
    const { name } = pod.metadata;
    this.#report(`${name} of ${made} has the label ${value} of pods of ${known}`);
  }

  #measure(workload: string): void {
    const set = this.#sets.get(workload);
    if (set === undefined) return;
    const recent = this.#progress.get(workload) ?? new Recent(() => this.#watched.clock.now());
    this.#progress.set(workload, recent);
    recent.set(this.#progressOf(workload, set));
    for (const [group, { current = [] }] of this.#coordinations) {
      const isOurs = ({ roles }: RollingCoordination): boolean =>
        roles.some((role) => workloadName(group, role) === workload);
      this.#measureAllSteps(group, current.filter(isOurs));
    }
  }

  #measureAllSteps(group: string, coordinations: readonly RollingCoordination[]): void {
    for (const each of coordinations) if (each.steps !== undefined) this.#measureSteps(group, each);
  }

  #measureSteps(group: string, coordination: RollingCoordination): void {
    const roles = coordination.roles.map((role) => {
      const workload = workloadName(group, role);
      return { role, set: this.#sets.get(workload), recent: this.#progress.get(workload) };
    });
    const target = roles.map(({ set }) => set?.revision ?? "").join(" ");
    const stands = roles.map(({ role, set, recent }): StepRole => {
      const desired = set?.replicas ?? 0;
      const confirmed = Math.max(0, ...(recent?.all() ?? []).map((each) => each.confirmed));
      return { role, confirmed, desired, kept: keptOf(coordination, desired) };
    });
    this.#steps.see(`${group}/${coordination.name}`, target, coordination, stands);
  }

  #progressOf(workload: string, { revision, replicas }: RoleSet): Progress {
    const ordinals = Array.from({ length: replicas }, (_, ordinal) => ordinal);
    const confirmed = ordinals.filter((ordinal) => {
      const pod = this.#pods.get(`${workload}-${ordinal}`);
      return pod !== undefined && isServing(pod) && revisionOf(pod) === revision;
    });
    return { confirmed: confirmed.length, desired: replicas };
  }

  #seeSet(name: string, group: string | undefined, now: RoleSet): void {
    if (group === undefined) return;
    const before = this.#sets.get(name);
    this.#sets.set(name, now);
    if (before?.revision !== now.revision) this.#progress.delete(name);
    this.#measure(name);
    if (before === undefined || now.isResized === true) return;
    if (before.revision !== now.revision) {
      // A new template that lets pods through before anything is measured would break every bound.
      if (now.partition < now.replicas)
        this.#report(`${name} begins with partition ${now.partition}`);
      return;
    }
    if (now.partition > before.partition) {
      this.#report(`the cursor of ${name} rises from ${before.partition} to ${now.partition}`);
    }
    const takenBack = before.ahead.filter(
      (ordinal) => ordinal < now.partition && !now.ahead.includes(ordinal),
    );
    if (takenBack.length > 0)
      this.#report(`${name} takes back ${takenBack.join(", ")} that went ahead`);
    if (!this.#takesUnits(name, now, before)) return;
    this.#checkSkew(group, now);
    this.#checkSteps(group, now);
  }

  /** Going back to a revision that units still have replaces none of them. */
  #takesUnits(workload: string, { partition, ahead, revision }: RoleSet, before: RoleSet): boolean {
    const passed = Array.from(
      { length: Math.max(0, before.partition - partition) },
      (_, at) => partition + at,
    );
    const sentAhead = ahead.filter((ordinal) => !before.ahead.includes(ordinal));
    return [...passed, ...sentAhead].some((ordinal) => {
      const pod = this.#pods.get(`${workload}-${ordinal}`);
      return pod === undefined || revisionOf(pod) !== revision;
    });
  }

  /**
   * It has no unit of another revision to keep, and never had one: where the template changes before the first pod is
   * made, all are made of what came last.
   */
  #isNew(workload: string, { revision }: RoleSet): boolean {
    return [...(this.#had.get(workload) ?? [])].every((had) => had === revision);
  }

  /** A role that takes units has no more of them asked than its partners confirmed, plus maxSkew, plus one unit. */
  #checkSkew(group: string, role: RoleSet): void {
    if (this.#isNew(`${group}-${role.role}`, role)) return;
    // Whoever changes the skew in mid-rollout is asked by the one that was there a moment ago, too.
    const recent = this.#coordinations.get(group)?.all() ?? [];
    const found = recent.map((coordinations) =>
      coordinations.flatMap((each) => this.#beyondSkew(group, role, each)),
    );
    if (found.some((violations) => violations.length === 0)) return;
    for (const violation of found.at(-1) ?? []) this.#report(violation);
  }

  #beyondSkew(group: string, role: RoleSet, coordination: RollingCoordination): readonly string[] {
    const { maxSkew, roles } = coordination;
    if (maxSkew === undefined || !roles.includes(role.role)) return [];
    const asked = this.#askedOf(`${group}-${role.role}`, role);
    const skew = Number(maxSkew.replace("%", "")) / 100;
    return roles.flatMap((partner) => {
      if (partner === role.role) return [];
      const share = this.#confirmedShare(`${group}-${partner}`, coordination);
      const limit = (share + skew) * role.replicas + 1;
      if (asked <= limit + 1e-9) return [];
      const confirmed = `${partner} has confirmed ${(share * 100).toFixed(1)}%`;
      return [
        `${role.role} has ${asked} of ${role.replicas} asked while ${confirmed} (maxSkew ${maxSkew})`,
      ];
    });
  }

  /** A role that takes units has no more of them asked than the steps allow that are over, or the one that is open. */
  #checkSteps(group: string, role: RoleSet): void {
    const workload = workloadName(group, role.role);
    const isPromoted =
      this.#groups.get(group)?.current?.metadata.annotations?.[annotationKeys.promote] !==
      undefined;
    const recent = this.#coordinations.get(group)?.all() ?? [];
    // Whoever changes the steps in mid-rollout is asked by those that were there a moment ago, too.
    const stepped = recent.map((all) =>
      all.find(({ roles, steps }) => steps !== undefined && roles.includes(role.role)),
    );
    if (isPromoted || this.#isNew(workload, role) || stepped.includes(undefined)) return;
    const asked = this.#askedOf(workload, role);
    const limits = stepped.map((each) =>
      each === undefined
        ? role.replicas
        : this.#steps.limit(
            `${group}/${each.name}`,
            this.#isRollback(group) ? withoutPauses(each) : each,
            role.role,
            role.replicas,
          ),
    );
    const limit = Math.max(...limits);
    if (asked <= limit) return;
    this.#report(`${role.role} has ${asked} of ${role.replicas} asked, its steps allow ${limit}`);
  }

  /** Whoever takes a rollout back before it is complete waits for no pause. */
  #isRollback(group: string): boolean {
    const { currentRevision, updateRevision } = this.#groups.get(group)?.current?.status ?? {};
    return updateRevision !== undefined && updateRevision === currentRevision;
  }

  #askedOf(workload: string, { revision, partition, ahead, replicas }: RoleSet): number {
    const ordinals = Array.from({ length: replicas }, (_, ordinal) => ordinal);
    return ordinals.filter((ordinal) => {
      const pod = this.#pods.get(`${workload}-${ordinal}`);
      const isUpdated = pod !== undefined && !isTerminating(pod) && revisionOf(pod) === revision;
      return ordinal >= partition || ahead.includes(ordinal) || isUpdated;
    }).length;
  }

  /** A partner that has done all its partition lets it do holds nobody back. */
  #confirmedShare(workload: string, coordination: RollingCoordination): number {
    const set = this.#sets.get(workload);
    if (set === undefined || set.replicas === 0) return 1;
    const recent = this.#progress.get(workload)?.all() ?? [];
    const shares = recent.map(({ confirmed, desired }) => {
      const kept = keptOf(coordination, desired);
      return confirmed >= desired - kept ? 1 : confirmed / desired;
    });
    return Math.max(0, ...shares);
  }

  #report(violation: string): void {
    const { clock, report } = this.#watched;
    report(`${((clock.now() - this.#startMs) / 1000).toFixed(1)}s: ${violation}`);
  }
}

const withoutPauses = ({ steps = [], ...rest }: RollingCoordination): RollingCoordination => ({
  ...rest,
  steps: steps.map(({ roles }) => ({ roles })),
});

const revisionOf = (pod: Pod): string | undefined => pod.metadata.labels?.[labelKeys.roleRevision];

function keptOf({ partition = 0 }: RollingCoordination, desired: number): number {
  if (typeof partition === "number") return Math.min(partition, desired);
  const percent = Number(partition.replace("%", ""));
  const kept = Math.ceil((percent * desired) / 100);
  return percent < 100 ? Math.min(kept, Math.max(0, desired - 1)) : kept;
}
