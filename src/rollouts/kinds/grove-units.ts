/** Which replicas of a set or scaling group serve, and which its controller counts against the budget. Pure. */
import { withDefaults } from "../../api/grove/defaults.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { isTerminating } from "../../api/object.ts";
import { lastAccepted } from "../../controllers/grove/accepted-spec.ts";
import type { CliqueState } from "../../controllers/grove/clique-state.ts";
import { assessClique, cliqueHealth } from "../../controllers/grove/clique-state.ts";
import { nothingOf } from "../../controllers/grove/podcliqueset/replica-objects.ts";
import { assessReplicas } from "../../controllers/grove/podcliqueset/replica-state.ts";
import { groupedBy } from "../../controllers/grove/set-members.ts";
import { revisionAnnotation } from "../../controllers/grove/set-revisions.ts";
import type { BudgetUnit } from "../counting.ts";
import type { GroveObjects } from "./grove-objects.ts";
import { cliqueNameOf, numberOf, replicaOf } from "./grove-objects.ts";

/** A replica that is being updated counts as down until it is whole on the target (PS4), though it may serve. */
export function unitsOfSet(set: PodCliqueSet, objects: GroveObjects): readonly BudgetUnit[] {
  const { revisions, target } = objects;
  if (target === undefined) return [];
  const spec = withDefaults(specInForce(set, objects));
  const { updateProgress } = set.status ?? {};
  const isOnDelete = spec.updateStrategy.type === "OnDelete";
  const underWay = new Set(
    isOnDelete ? [] : (updateProgress?.currentlyUpdating ?? []).map((each) => each.replicaIndex),
  );
  return assessReplicas({ spec, replicas: replicasOf(objects), revisions }, target).map(
    ({ index, exists, isAvailable, isComplete, needsUpdate }) => {
      const isSurge = index >= spec.replicas;
      const mustBeWhole = underWay.has(index) || (isSurge && !needsUpdate);
      return {
        name: `${objects.set}-${index}`,
        isSurge,
        isThere: exists,
        serves: exists && isAvailable,
        isUp: exists && (mustBeWhole ? isComplete : isAvailable),
      };
    },
  );
}

/** While the latest spec is rejected, the last accepted one says what there has to be. */
function specInForce(set: PodCliqueSet, { revisions }: GroveObjects) {
  const accepted = set.status?.conditions?.find(({ type }) => type === "SpecAccepted");
  if (accepted?.status !== "False") return set.spec;
  return lastAccepted(set, revisions.at(-1)) ?? set.spec;
}

function replicasOf({ set, cliques, groups, pods }: GroveObjects) {
  const [ownCliques, ownGroups, ownPods] = [
    groupedBy(cliques, replicaOf),
    groupedBy(groups, replicaOf),
    groupedBy(pods, replicaOf),
  ];
  const indices = [...new Set([...ownCliques.keys(), ...ownGroups.keys(), ...ownPods.keys()])];
  return new Map(
    indices.map((index) => [
      index,
      {
        ...nothingOf(set, index),
        cliques: ownCliques.get(index) ?? [],
        groups: ownGroups.get(index) ?? [],
        pods: ownPods.get(index) ?? [],
      },
    ]),
  );
}

/** A replica on the target must be whole; one that waits for its turn serves with what its cliques need at least. */
export function unitsOfGroup(
  group: PodCliqueScalingGroup,
  objects: GroveObjects,
): readonly BudgetUnit[] {
  const { name = "", annotations } = group.metadata;
  const own = objects.revisions.find(
    ({ name: each }) => each === annotations?.[revisionAnnotation],
  );
  const target = own ?? objects.target;
  const byReplica = groupedBy(objects.membersOf(name), (member) =>
    numberOf(member, labelKeys.scalingGroupReplicaIndex),
  );
  return [...byReplica].map(([index, members]) => {
    const states = members.map((object) => {
      const clique = cliqueNameOf(object);
      const pods = objects.podsOf(object.metadata.name ?? "");
      const targetHash = target?.cliqueHashes[clique] ?? "";
      return assessClique({ clique, object, pods, targetHash });
    });
    const isFull = group.spec.cliqueNames.length <= states.length;
    const isOutdated = states.some((state) => state.isOutdated);
    return {
      name: `${name}-${index}`,
      isSurge: index >= (group.spec.replicas ?? 1),
      isThere: members.some((member) => !isTerminating(member)),
      serves: isFull && areUp(states, false),
      isUp: isFull && areUp(states, !isOutdated),
    };
  });
}

const areUp = (states: readonly CliqueState[], mustBeWhole: boolean): boolean =>
  states.every((state) => cliqueHealth(state, mustBeWhole) === "available");
