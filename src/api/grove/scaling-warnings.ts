/** Autoscalers that cannot see the load: without metrics they measure CPU, which accelerators leave idle. */
import type { PodSpec } from "../pod.ts";
import type { DefaultedClique, DefaultedSetSpec } from "./defaults.ts";

export function blindScalingWarnings({ template }: DefaultedSetSpec): string[] {
  const { cliques, podCliqueScalingGroups: groups } = template;
  const usesDevices = (names: readonly string[]): boolean =>
    cliques.some((clique) => names.includes(clique.name) && hasDevices(clique));
  const places = [
    ...cliques.map(({ name, spec }) => ({
      path: `spec.template.cliques[${name}].spec.autoScalingConfig`,
      config: spec.autoScalingConfig,
      names: [name],
    })),
    ...groups.map(({ name, cliqueNames, scaleConfig }) => ({
      path: `spec.template.podCliqueScalingGroups[${name}].scaleConfig`,
      config: scaleConfig,
      names: cliqueNames,
    })),
  ];
  return places
    .filter(
      ({ config, names }) => config !== undefined && !hasMetrics(config) && usesDevices(names),
    )
    .map(
      ({ path }) =>
        `${path} has no metrics, so its autoscaler measures CPU (80%), which says nothing about pods that work on ` +
        "accelerators: set metrics, for example an External one with an averageValue",
    );
}

const hasMetrics = ({ metrics = [] }: { readonly metrics?: readonly unknown[] }): boolean =>
  metrics.length > 0;

const hasDevices = ({ spec: { podSpec } }: DefaultedClique): boolean =>
  (podSpec.resourceClaims ?? []).length > 0 || podSpec.containers.some(asksForDevice);

/** Extended resources have a domain in their name: `nvidia.com/gpu`. */
const asksForDevice = ({ resources = {} }: PodSpec["containers"][number]): boolean =>
  Object.keys({ ...resources.requests, ...resources.limits }).some((name) => name.includes("/"));
