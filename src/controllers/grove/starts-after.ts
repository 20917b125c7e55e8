/** Which PodCliques must be up before one may start: the startup order of a template as names of objects. */
import type { DefaultedTemplate } from "../../api/grove/defaults.ts";
import { componentName, memberName } from "../../api/grove/names.ts";

export interface CliquePlace {
  readonly set: string;
  readonly setReplica: number;
  readonly clique: string;
  /** For members: the scaling group by its name in the template, and which of its replicas. */
  readonly group?: {
    readonly name: string;
    readonly replica: number;
    readonly minAvailable: number;
  };
}

/** In the template's own words: the cliques that come before this one. */
export function predecessors(template: DefaultedTemplate, clique: string): readonly string[] {
  const index = template.cliques.findIndex(({ name }) => name === clique);
  switch (template.cliqueStartupType) {
    case "CliqueStartupTypeAnyOrder":
      return [];
    case "CliqueStartupTypeInOrder":
      return template.cliques
        .slice(Math.max(0, index - 1), Math.max(0, index))
        .map(({ name }) => name);
    case "CliqueStartupTypeExplicit":
      return template.cliques[index]?.spec.startsAfter ?? [];
  }
}

/**
 * A clique of the base gang waits for its predecessors in all of the base gang. One of a scaled gang waits only for
 * those beside it: the base gang is up already.
 */
export function startsAfter(template: DefaultedTemplate, place: CliquePlace): string[] {
  const { set, setReplica, group } = place;
  const isScaled = group !== undefined && group.replica >= group.minAvailable;
  return predecessors(template, place.clique).flatMap((clique) => {
    const owner = template.podCliqueScalingGroups.find(({ cliqueNames }) =>
      cliqueNames.includes(clique),
    );
    const member = (groupReplica: number): string =>
      memberName({ set, setReplica, group: owner?.name ?? "", groupReplica, clique });
    if (isScaled) return owner?.name === group.name ? [member(group.replica)] : [];
    if (owner === undefined) return [componentName({ set, setReplica, component: clique })];
    return Array.from({ length: owner.minAvailable }, (_, replica) => member(replica));
  });
}
