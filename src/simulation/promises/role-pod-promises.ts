/** The budget of roles whose pods Lockstep makes itself; other pods are deleted by their workload's controller. */
import { coordinationsOf, isRolling } from "../../api/rbg/coordination.ts";
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import { withDefaults } from "../../api/rbg/defaults.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import { workloadName } from "../../api/rbg/names.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import type { Pod } from "../../api/pod.ts";
import { resolveBudget, resolveCoordination } from "../../planner/index.ts";
import type { EventType } from "../follow.ts";
import type { PodLimits } from "./pod-budget.ts";
import { PodBudget } from "./pod-budget.ts";
import { Recent } from "./recent.ts";

export interface RolePodOptions {
  readonly pods: ReadonlyMap<string, Pod>;
  readonly now: () => number;
  readonly report: (violation: string) => void;
}

export class RolePodPromises {
  readonly budget: PodBudget;
  readonly #now: () => number;
  readonly #limits = new Map<string, Recent<PodLimits>>();
  /** Of pods, by group. */
  readonly #workloads = new Map<string, ReadonlySet<string>>();

  constructor({ pods, now, report }: RolePodOptions) {
    this.#now = now;
    const limitsOf = (workload: string) => this.#limits.get(workload)?.all() ?? [];
    this.budget = new PodBudget({ pods, now, limitsOf, report });
  }

  seeGroup(group: RoleBasedGroup): void {
    const { roles } = withDefaults(group.spec);
    const isPods = ({ workload }: DefaultedRole): boolean => workload.kind === "Pod";
    const { name: groupName = "" } = group.metadata;
    const wanted = new Set(roles.filter(isPods).map(({ name }) => workloadName(groupName, name)));
    // What a role leaves behind that is gone, or made of something else, goes at once.
    for (const workload of this.#workloads.get(groupName) ?? []) {
      if (!wanted.has(workload)) this.#limits.delete(workload);
    }
    this.#workloads.set(groupName, wanted);
    // A pod that restarts may take others with it: that is no update.
    if (roles.some(({ restartPolicy }) => restartPolicy !== "None")) return;
    for (const role of roles.filter(isPods)) {
      const limits = limitsOf(group, role);
      const recent = this.#limits.get(limits.workload) ?? new Recent<PodLimits>(this.#now);
      this.#limits.set(limits.workload, recent);
      const last = recent.current;
      if (last === undefined || JSON.stringify(last) !== JSON.stringify(limits)) recent.set(limits);
    }
  }

  seePod(type: EventType, pod: Pod, before: Pod | undefined): void {
    const { labels = {}, ownerReferences = [] } = pod.metadata;
    const isOurs = ownerReferences.some(
      ({ controller, kind }) => controller === true && kind === "RoleBasedGroup",
    );
    const { [labelKeys.groupName]: group = "", [labelKeys.roleName]: role = "" } = labels;
    const workload = workloadName(group, role);
    const isKnown = isOurs && this.#limits.has(workload);
    this.budget.see(isKnown ? workload : undefined, type, pod, before);
  }
}

function limitsOf({ metadata, spec }: RoleBasedGroup, role: DefaultedRole): PodLimits {
  const { name, replicas, minReadySeconds, rollingUpdate } = role;
  const coordination = coordinationsOf(spec)
    .filter(isRolling)
    .find(({ roles }) => roles.includes(name));
  const own = resolveBudget(rollingUpdate, replicas);
  const resolved = resolveCoordination(coordination ?? rollingUpdate, { [name]: replicas });
  const hasSurge = coordination === undefined && own.maxSurge > 0;
  const together =
    resolved.kind === "policy" ? (resolved.policy.limits[name]?.maxUnavailable ?? 1) : replicas;
  return {
    workload: workloadName(metadata.name ?? "", name),
    start: 0,
    replicas,
    minReadySeconds,
    maxUnavailable: hasSurge ? own.maxUnavailable : together,
  };
}
