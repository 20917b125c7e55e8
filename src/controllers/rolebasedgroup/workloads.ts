/** What roles can be run by. */
import type { WorkloadKind } from "../../api/rbg/defaults.ts";
import { deploymentRole } from "./deployment-role.ts";
import { leaderWorkerRole } from "./leader-worker-role.ts";
import { podRole } from "./pod-role.ts";
import type { RoleWorkload } from "./role-workload.ts";
import { statefulSetRole } from "./stateful-set.ts";

const workloads: Readonly<Partial<Record<WorkloadKind, RoleWorkload>>> = {
  StatefulSet: statefulSetRole,
  Deployment: deploymentRole,
  Pod: podRole,
  LeaderWorkerSet: leaderWorkerRole,
};

/** Undefined where this version of Lockstep cannot run it. */
export const workloadOf = (kind: WorkloadKind): RoleWorkload | undefined => workloads[kind];
