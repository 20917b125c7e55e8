/** What holds in every scenario of a RoleBasedGroup after every event: skew, closed beginnings, falling cursors. */
import type { StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import type { RollingCoordination } from "../../api/rbg/coordination.ts";
import { coordinationsOf, isRolling } from "../../api/rbg/coordination.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import { labelKeys, roleRevisionKey } from "../../api/rbg/labels.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { follow } from "../follow.ts";
import { Recent } from "./recent.ts";
import type { KindPromises, Watched } from "../scenario-kind.ts";
import { isServing, isTerminating } from "../scenario-kind.ts";

interface RoleSet {
  readonly role: string;
  readonly revision: string;
  readonly partition: number;
  readonly replicas: number;
}

const roleOf = (set: StatefulSet): RoleSet => {
  const role = set.metadata.labels?.[labelKeys.roleName] ?? "";
  return {
    role,
    revision: set.metadata.labels?.[roleRevisionKey(role)] ?? "",
    partition: set.spec.updateStrategy?.rollingUpdate?.partition ?? 0,
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
  readonly #sets = new Map<string, RoleSet>();
  readonly #pods: ReadonlyMap<string, Pod>;
  /** By workload: what was confirmed lately; an operator may act on a view that is a little late. */
  readonly #progress = new Map<string, Recent<Progress>>();

  /** Workloads that have had a pod. */
  readonly #started = new Set<string>();

  constructor(watched: Watched) {
    const { client, clock, signal } = watched;
    const selection = signal === undefined ? {} : { signal };
    this.#watched = watched;
    this.#startMs = clock.now();
    follow<RoleBasedGroup>({ client, resource: roleBasedGroupResource, selection }, (_, group) => {
      const { name = "" } = group.metadata;
      const recent = this.#coordinations.get(name) ?? new Recent(() => clock.now());
      this.#coordinations.set(name, recent);
      recent.set(coordinationsOf(group.spec).filter(isRolling));
    });
    this.#pods = follow<Pod>({ client, resource: podResource, selection }, (_type, pod) =>
      this.#seePod(pod),
    );
    follow<StatefulSet>({ client, resource: statefulSetResource, selection }, (type, set) => {
      const { name = "" } = set.metadata;
      if (type === "DELETED") this.#sets.delete(name);
      else this.#seeSet(name, set);
    });
  }

  /** Pods are deleted by the controller of their workload, whose own promises cover that. */
  deleteRequested(): void {}
  deleteRefused(): void {}

  /** Every pod is in the pool of its coordination once nothing moves. */
  checkAtRest(): void {
    for (const pod of this.#pods.values()) {
      const labels = pod.metadata.labels ?? {};
      const isOurs = labels[labelKeys.roleName] !== undefined;
      if (!isOurs || isTerminating(pod) || labels[labelKeys.revision] !== undefined) continue;
      this.#report(`${pod.metadata.name} has no revision label`);
    }
  }

  #seePod(pod: Pod): void {
    const { [labelKeys.groupName]: group, [labelKeys.roleName]: role } = pod.metadata.labels ?? {};
    if (group === undefined || role === undefined) return;
    this.#started.add(`${group}-${role}`);
    this.#measure(`${group}-${role}`);
  }

  #measure(workload: string): void {
    const set = this.#sets.get(workload);
    if (set === undefined) return;
    const recent = this.#progress.get(workload) ?? new Recent(() => this.#watched.clock.now());
    this.#progress.set(workload, recent);
    recent.set(this.#progressOf(workload, set));
  }

  #progressOf(workload: string, { revision, replicas }: RoleSet): Progress {
    const ordinals = Array.from({ length: replicas }, (_, ordinal) => ordinal);
    const confirmed = ordinals.filter((ordinal) => {
      const pod = this.#pods.get(`${workload}-${ordinal}`);
      return pod !== undefined && isServing(pod) && revisionOf(pod) === revision;
    });
    return { confirmed: confirmed.length, desired: replicas };
  }

  #seeSet(name: string, object: StatefulSet): void {
    const group = object.metadata.labels?.[labelKeys.groupName];
    if (group === undefined) return;
    const before = this.#sets.get(name);
    const now = roleOf(object);
    this.#sets.set(name, now);
    if (before?.revision !== now.revision) this.#progress.delete(name);
    this.#measure(name);
    if (before === undefined) return;
    if (before.revision !== now.revision) {
      // A new template that lets pods through before anything is measured would break every bound.
      if (now.partition < now.replicas)
        this.#report(`${name} begins with partition ${now.partition}`);
      return;
    }
    if (now.partition > before.partition) {
      this.#report(`the cursor of ${name} rises from ${before.partition} to ${now.partition}`);
    }
    if (this.#takesUnits(name, now, before.partition)) this.#checkSkew(group, now);
  }

  /** Going back to a revision that units still have replaces none of them. */
  #takesUnits(workload: string, { partition, revision }: RoleSet, before: number): boolean {
    const ordinals = Array.from(
      { length: Math.max(0, before - partition) },
      (_, at) => partition + at,
    );
    return ordinals.some((ordinal) => {
      const pod = this.#pods.get(`${workload}-${ordinal}`);
      return pod === undefined || revisionOf(pod) !== revision;
    });
  }

  /** A role that takes units has no more of them asked than its partners confirmed, plus maxSkew, plus one unit. */
  #checkSkew(group: string, role: RoleSet): void {
    // A role without any pod is new: it has no unit of another revision to keep.
    if (!this.#started.has(`${group}-${role.role}`)) return;
    const asked = this.#askedOf(`${group}-${role.role}`, role);
    for (const coordination of this.#coordinations.get(group)?.current ?? []) {
      if (coordination.maxSkew === undefined || !coordination.roles.includes(role.role)) continue;
      const skew = Number(coordination.maxSkew.replace("%", "")) / 100;
      for (const partner of coordination.roles.filter((each) => each !== role.role)) {
        const share = this.#confirmedShare(`${group}-${partner}`, coordination);
        const limit = (share + skew) * role.replicas + 1;
        if (asked <= limit + 1e-9) continue;
        this.#report(
          `${role.role} has ${asked} of ${role.replicas} asked while ${partner} has confirmed ` +
            `${(share * 100).toFixed(1)}% (maxSkew ${coordination.maxSkew})`,
        );
      }
    }
  }

  #askedOf(workload: string, { revision, partition, replicas }: RoleSet): number {
    const ordinals = Array.from({ length: replicas }, (_, ordinal) => ordinal);
    return ordinals.filter((ordinal) => {
      const pod = this.#pods.get(`${workload}-${ordinal}`);
      const isUpdated = pod !== undefined && !isTerminating(pod) && revisionOf(pod) === revision;
      return ordinal >= partition || isUpdated;
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

const revisionOf = (pod: Pod): string | undefined => pod.metadata.labels?.[labelKeys.roleRevision];

function keptOf({ partition = 0 }: RollingCoordination, desired: number): number {
  if (typeof partition === "number") return Math.min(partition, desired);
  const percent = Number(partition.replace("%", ""));
  const kept = Math.ceil((percent * desired) / 100);
  return percent < 100 ? Math.min(kept, Math.max(0, desired - 1)) : kept;
}
