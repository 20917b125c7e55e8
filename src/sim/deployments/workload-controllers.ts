/** Starts the controllers of Deployments and ReplicaSets beside the simulated nodes. */
import type { Deployment, ReplicaSet } from "../../api/apps.ts";
import { deploymentResource, replicaSetResource } from "../../api/apps.ts";
import { Cache } from "../../runtime/cache.ts";
import { namespaceIndex, namespaceKeys, ownerIndex, ownerKeys } from "./claim.ts";
import { deploymentController } from "./deployment-controller.ts";
import type { WorkloadControllerOptions } from "./replica-set-controller.ts";
import { replicaSetController } from "./replica-set-controller.ts";

type Options = Omit<WorkloadControllerOptions, "replicaSets" | "events"> & {
  readonly recorder: (component: string) => WorkloadControllerOptions["events"];
};

export interface WorkloadControllers {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function workloadControllers({ recorder, ...options }: Options): WorkloadControllers {
  const { client, clock, onProblem } = options;
  const replicaSets = new Cache<ReplicaSet>({
    client,
    clock,
    onProblem,
    resource: replicaSetResource,
    indexes: { [ownerIndex]: ownerKeys, [namespaceIndex]: namespaceKeys },
  });
  const deployments = new Cache<Deployment>({
    client,
    clock,
    onProblem,
    resource: deploymentResource,
    indexes: { [namespaceIndex]: namespaceKeys },
  });
  const common = { ...options, replicaSets };
  const controllers = [
    replicaSetController({ ...common, events: recorder("replicaset-controller") }),
    deploymentController({ ...common, deployments, events: recorder("deployment-controller") }),
  ];
  return {
    async start() {
      for (const cache of [replicaSets, deployments]) cache.start();
      await Promise.all(controllers.map((controller) => controller.start()));
    },
    async stop() {
      await Promise.all(controllers.map((controller) => controller.stop()));
      for (const cache of [replicaSets, deployments]) cache.stop();
    },
  };
}
