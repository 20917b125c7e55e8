/** What an operator that may not use its lease says: which lease, why not, and which flag chooses another place. */
import { ApiError } from "../api/status.ts";

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** Whatever else goes wrong is passed on as it is: trying again helps there. */
export function leaseProblem(problem: unknown, { namespace, name }: LeaseName): unknown {
  if (!(problem instanceof ApiError)) return problem;
  const { code, message } = problem.status;
  const lease = `the lease ${namespace}/${name}`;
  if (code === 403) {
    const fix =
      "apply the Role of deploy/operator.yaml there, or choose a namespace that has one with --lease-namespace";
    return new Error(`${lease} may not be used, so nothing is reconciled: ${message}; ${fix}`);
  }
  if (code === 404) {
    const fix = `create the namespace ${namespace}, or choose another one with --lease-namespace`;
    return new Error(`${lease} cannot be created, so nothing is reconciled: ${message}; ${fix}`);
  }
  return problem;
}
