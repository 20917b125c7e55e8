/** Components of a replica that the template does not have: an earlier set of this name created them. */
import { isTerminating } from "../../../api/object.ts";
import type { DefaultedSetSpec } from "../../../api/grove/defaults.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import { componentName, memberName } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../../api/grove/scaling-group.ts";
import type { Resource } from "../../../api/resource.ts";
import { isNamedInLabels } from "../orphans.ts";
import { numberLabel } from "../set-members.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import type { ReplicaObjects } from "./replica-objects.ts";

export interface ObsoleteComponent {
  readonly resource: Resource;
  readonly object: PodClique | PodCliqueScalingGroup;
}

export function obsoleteComponentsOf(
  { set, index: setReplica, groups, cliques }: ReplicaObjects,
  { template }: DefaultedSetSpec,
): readonly ObsoleteComponent[] {
  const { podCliqueScalingGroups } = template;
  const component = (name: string): string => componentName({ set, setReplica, component: name });
  const groupNames = new Set(podCliqueScalingGroups.map(({ name }) => component(name)));
  const members = new Set(podCliqueScalingGroups.flatMap(({ cliqueNames }) => cliqueNames));
  const standalone = new Set(
    template.cliques.filter(({ name }) => !members.has(name)).map(({ name }) => component(name)),
  );
  const hasPlace = (clique: PodClique): boolean => {
    const { name = "", labels } = clique.metadata;
    const groupReplica = numberLabel(clique, labelKeys.scalingGroupReplicaIndex) ?? 0;
    const group = podCliqueScalingGroups.find(
      (each) => component(each.name) === labels?.[labelKeys.scalingGroup],
    );
    const place = { set, setReplica, group: group?.name ?? "", groupReplica };
    const isMember = group?.cliqueNames.some(
      (each) => memberName({ ...place, clique: each }) === name,
    );
    return isMember ?? standalone.has(name);
  };
  return [
    ...groups
      .filter((group) => isNamedInLabels(group) && !groupNames.has(group.metadata.name ?? ""))
      .map((object) => ({ resource: scalingGroupResource, object })),
    ...cliques
      .filter((clique) => isNamedInLabels(clique) && !hasPlace(clique))
      .map((object) => ({ resource: podCliqueResource, object })),
  ];
}

/** Whether it has a component that the template does not have, perhaps because that was renamed. */
export const isOfEarlierShape = ({
  obsolete,
}: {
  readonly obsolete: readonly ObsoleteComponent[];
}): boolean => obsolete.some(({ object }) => !isTerminating(object));

/** Whether a revision has these cliques: what it does not have can be neither created nor missed. */
export const hasCliques = ({ cliques }: SetRevision, names: readonly string[]): boolean =>
  names.every((name) => cliques.some((clique) => clique.name === name));

/** The revision that a replica was created from, if that is not the target. */
export function earlierRevision(
  { groups, cliques }: Pick<ReplicaObjects, "groups" | "cliques">,
  revisions: readonly SetRevision[],
  target: SetRevision,
): SetRevision | undefined {
  const names = new Set(
    [...groups, ...cliques].map(({ metadata }) => metadata.annotations?.[revisionAnnotation]),
  );
  return revisions.find(({ name }) => name !== target.name && names.has(name));
}
