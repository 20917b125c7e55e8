/** What a replica needs besides its cliques: a headless service, and autoscalers where the template asks for them. */
import { autoscalerResource } from "../../../api/autoscaler.ts";
import type { AutoScalingConfig } from "../../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { componentLabels, labelKeys, managedLabels } from "../../../api/grove/labels.ts";
import { componentName, headlessServiceName } from "../../../api/grove/names.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { Resource } from "../../../api/resource.ts";
import { apiVersionOf } from "../../../api/resource.ts";
import { controllerReferenceTo } from "../../engine/ownership.ts";
import type { Observed } from "./observe.ts";

export function buildService({ set, name, namespace, spec }: Observed, index: number): KubeObject {
  const replica = { [labelKeys.setReplicaIndex]: String(index) };
  const serviceName = headlessServiceName(name, index);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: serviceName,
      namespace,
      labels: {
        ...managedLabels(name),
        [labelKeys.component]: componentLabels.headlessService,
        [labelKeys.name]: serviceName,
        ...replica,
      },
      ownerReferences: [controllerReferenceTo(podCliqueSetResource, set)],
    },
    spec: {
      clusterIP: "None",
      selector: { ...managedLabels(name), ...replica },
      publishNotReadyAddresses: spec.template.headlessServiceConfig.publishNotReadyAddresses,
    },
  };
}

/** The autoscalers own the size of their targets from the moment those exist. */
export function buildAutoscalers(observed: Observed, index: number): KubeObject[] {
  const { cliques, podCliqueScalingGroups } = observed.spec.template;
  return [
    ...cliques.map((clique) => ({
      component: clique.name,
      config: clique.spec.autoScalingConfig,
      target: podCliqueResource,
    })),
    ...podCliqueScalingGroups.map((group) => ({
      component: group.name,
      config: group.scaleConfig,
      target: scalingGroupResource,
    })),
  ].flatMap(({ component, config, target }) =>
    config === undefined ? [] : [buildAutoscaler(observed, { index, component, config, target })],
  );
}

interface Scaled {
  readonly index: number;
  readonly component: string;
  readonly config: AutoScalingConfig;
  readonly target: Resource;
}

function buildAutoscaler(
  { set, name: setName, namespace }: Observed,
  { index, component, config, target }: Scaled,
): KubeObject {
  const name = componentName({ set: setName, setReplica: index, component });
  return {
    apiVersion: apiVersionOf(autoscalerResource),
    kind: autoscalerResource.kind,
    metadata: {
      name,
      namespace,
      labels: {
        ...managedLabels(setName),
        [labelKeys.component]: componentLabels.autoscaler,
        [labelKeys.name]: name,
        [labelKeys.setReplicaIndex]: String(index),
      },
      ownerReferences: [controllerReferenceTo(podCliqueSetResource, set)],
    },
    spec: {
      scaleTargetRef: { apiVersion: apiVersionOf(target), kind: target.kind, name },
      minReplicas: config.minReplicas,
      maxReplicas: config.maxReplicas,
      ...(config.metrics === undefined ? {} : { metrics: config.metrics }),
    },
  };
}
