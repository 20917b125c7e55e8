/** A PodCliqueSet with every default filled in: what controllers work from. */
import type { PodSpec } from "../pod.ts";
import type {
  AutoScalingConfig,
  CliqueStartupType,
  CliqueTemplate,
  PodCliqueSetSpec,
  PodCliqueSetTemplate,
  ScalingGroupTemplate,
} from "./podcliqueset.ts";
import type { SetUpdateStrategy } from "./update-strategy.ts";

export interface DefaultedAutoScaling extends AutoScalingConfig {
  readonly minReplicas: number;
}

export interface DefaultedClique extends CliqueTemplate {
  readonly spec: Omit<CliqueTemplate["spec"], "autoScalingConfig"> & {
    readonly replicas: number;
    readonly minAvailable: number;
    readonly autoScalingConfig?: DefaultedAutoScaling;
  };
}

export interface DefaultedScalingGroup extends Omit<ScalingGroupTemplate, "scaleConfig"> {
  readonly replicas: number;
  readonly minAvailable: number;
  readonly scaleConfig?: DefaultedAutoScaling;
}

export interface DefaultedTemplate extends Omit<
  PodCliqueSetTemplate,
  "cliques" | "podCliqueScalingGroups"
> {
  readonly cliques: readonly DefaultedClique[];
  readonly podCliqueScalingGroups: readonly DefaultedScalingGroup[];
  readonly cliqueStartupType: CliqueStartupType;
  readonly headlessServiceConfig: { readonly publishNotReadyAddresses: boolean };
  readonly terminationDelay: string;
}

export interface DefaultedSetSpec {
  readonly replicas: number;
  readonly updateStrategy: SetUpdateStrategy & {
    readonly type: NonNullable<SetUpdateStrategy["type"]>;
  };
  readonly template: DefaultedTemplate;
}

const defaultTerminationDelay = "4h";

export function withDefaults(spec: PodCliqueSetSpec): DefaultedSetSpec {
  const { template, updateStrategy } = spec;
  return {
    replicas: spec.replicas ?? 0,
    updateStrategy: { ...updateStrategy, type: updateStrategy?.type ?? "RollingRecreate" },
    template: {
      ...template,
      cliques: template.cliques.map(defaultedClique),
      podCliqueScalingGroups: (template.podCliqueScalingGroups ?? []).map(defaultedGroup),
      cliqueStartupType: template.cliqueStartupType ?? "CliqueStartupTypeAnyOrder",
      headlessServiceConfig: {
        publishNotReadyAddresses: template.headlessServiceConfig?.publishNotReadyAddresses ?? true,
      },
      terminationDelay: template.terminationDelay ?? defaultTerminationDelay,
    },
  };
}

function defaultedClique(clique: CliqueTemplate): DefaultedClique {
  const { autoScalingConfig, ...spec } = clique.spec;
  // Clients written in Go send 0 for a number that was not set, so 0 counts as not set.
  const replicas = (spec.replicas ?? 0) === 0 ? 1 : (spec.replicas ?? 1);
  return {
    ...clique,
    spec: {
      ...spec,
      podSpec: defaultedPodSpec(spec.podSpec),
      replicas,
      minAvailable: spec.minAvailable ?? replicas,
      ...(autoScalingConfig === undefined
        ? {}
        : { autoScalingConfig: defaultedScaling(autoScalingConfig, replicas) }),
    },
  };
}

function defaultedGroup(group: ScalingGroupTemplate): DefaultedScalingGroup {
  const { scaleConfig, ...rest } = group;
  const replicas = group.replicas ?? 1;
  return {
    ...rest,
    replicas,
    minAvailable: group.minAvailable ?? 1,
    ...(scaleConfig === undefined ? {} : { scaleConfig: defaultedScaling(scaleConfig, replicas) }),
  };
}

function defaultedScaling(config: AutoScalingConfig, replicas: number): DefaultedAutoScaling {
  return { ...config, minReplicas: config.minReplicas ?? replicas };
}

function defaultedPodSpec(podSpec: PodSpec): PodSpec {
  return {
    ...podSpec,
    restartPolicy: podSpec.restartPolicy ?? "Always",
    terminationGracePeriodSeconds: podSpec.terminationGracePeriodSeconds ?? 30,
  };
}
