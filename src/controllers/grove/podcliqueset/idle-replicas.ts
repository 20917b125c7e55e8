/** Edited numbers in the template of components that run: they count for new components only. Pure. */
import { conditionOf } from "../../engine/conditions.ts";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import { componentName } from "../../../api/grove/names.ts";
import type { PodCliqueSetSpec } from "../../../api/grove/podcliqueset.ts";
import { isTerminating } from "../../../api/object.ts";
import { aFew } from "../../engine/action-events.ts";
import { lastAccepted } from "../accepted-spec.ts";
import type { Observed } from "./observe.ts";
import { standaloneCliques } from "./replica-state.ts";

interface Component {
  readonly name: string;
  readonly path: string;
  readonly replicas: number;
  /** As kubectl calls the kind. */
  readonly kind: "pclq" | "pcsg";
}

/**
 * One text for each component whose number was edited and does not hold. What was scaled with kubectl or by an
 * autoscaler differs from its template too: that is nobody's mistake. An edit is recognized by the spec that was last
 * accepted, and afterwards by what the status says already.
 */
export function idleReplicas(observed: Observed): readonly string[] {
  const { set, revisions } = observed;
  const accepted = lastAccepted(set, revisions.at(-1));
  const reported = conditionOf(set.status, conditionTypes.specAccepted);
  return componentsOf(observed)
    .filter(({ name, path, kind, replicas }) => {
      const isReported = reported?.message?.includes(`${path}.replicas of `) ?? false;
      const before = replicasIn(accepted, name, kind);
      return isReported || (before !== undefined && before !== replicas);
    })
    .flatMap((component) => idleText(observed, component));
}

function componentsOf({ spec: { template }, spec }: Observed): readonly Component[] {
  const standalone = new Set(standaloneCliques(spec));
  return [
    ...template.cliques
      .filter(({ name, spec: { autoScalingConfig } }) => {
        return standalone.has(name) && autoScalingConfig === undefined;
      })
      .map(({ name, spec: { replicas } }) => {
        const path = `spec.template.cliques[${name}].spec`;
        return { name, path, replicas, kind: "pclq" as const };
      }),
    ...template.podCliqueScalingGroups
      .filter(({ scaleConfig }) => scaleConfig === undefined)
      .map(({ name, replicas }) => {
        const path = `spec.template.podCliqueScalingGroups[${name}]`;
        return { name, path, replicas, kind: "pcsg" as const };
      }),
  ];
}

function replicasIn(
  spec: PodCliqueSetSpec | undefined,
  name: string,
  kind: Component["kind"],
): number | undefined {
  const { cliques = [], podCliqueScalingGroups = [] } = spec?.template ?? {};
  return kind === "pclq"
    ? cliques.find((clique) => clique.name === name)?.spec.replicas
    : podCliqueScalingGroups.find((group) => group.name === name)?.replicas;
}

function idleText(observed: Observed, component: Component): string[] {
  const { name, path, replicas, kind } = component;
  const running = [...observed.replicas.values()].flatMap(({ index, cliques, groups }) => {
    const wanted = componentName({ set: observed.name, setReplica: index, component: name });
    const objects = kind === "pclq" ? cliques : groups;
    const object = objects.find(({ metadata }) => metadata.name === wanted);
    const isOther = object !== undefined && !isTerminating(object);
    return isOther && object.spec.replicas !== replicas ? [wanted] : [];
  });
  if (running.length === 0) return [];
  const { namespace = "default" } = observed;
  const where = namespace === "default" ? "" : ` -n ${namespace}`;
  const names = running.slice(0, 5).join(" ");
  const command = `kubectl scale ${kind} ${names} --replicas=${replicas}${where}`;
  return [`${path}.replicas of ${replicas} has no effect on ${aFew(running)}: ${command}`];
}
