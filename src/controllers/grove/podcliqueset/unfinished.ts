/** What replicas that are being updated still lack, part by part, in words. */
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../../api/grove/scaling-group.ts";
import type { WithConditions } from "../../engine/conditions.ts";
import { isConditionTrue } from "../../engine/conditions.ts";
import { memoizeByIdentity } from "../../engine/memoize.ts";
import { rolloutConditionTypes } from "../../engine/rollout-conditions.ts";
import type { CliqueState } from "../clique-state.ts";
import { isComplete } from "../clique-state.ts";
import type { SetRevision } from "../set-revisions.ts";
import { overdueText } from "../update-condition.ts";
import type { GroupState, ReplicaState } from "./replica-state.ts";
import { hasOtherTarget } from "./replica-state.ts";

type Parts = Pick<ReplicaState, "index" | "standalone" | "groups">;

/** Parts that cannot go on although no pod of theirs is in trouble, as they say themselves: a surge was given up. */
export function stalledParts(
  replicas: readonly Pick<Parts, "standalone" | "groups">[],
  target: SetRevision,
): string[] {
  return replicas.flatMap((replica) => stalledIn(replica, target));
}

const stalledIn = memoizeByIdentity(
  (
    { standalone, groups }: Pick<Parts, "standalone" | "groups">,
    target: SetRevision,
  ): readonly string[] =>
    [
      ...standalone.map(({ object, causes }) => ({ object, causes })),
      ...groups.map(({ object, replicas: members }) => ({
        object,
        causes: [...members.values()].flat().flatMap(({ causes }) => causes),
      })),
    ]
      .filter(({ object, causes }) => causes.length === 0 && isAbout(object, target))
      .flatMap(({ object }) => stallOf(object)),
);

/** What a part said of an earlier target is over with it. */
function isAbout(
  part: PodClique | PodCliqueScalingGroup | undefined,
  target: SetRevision,
): boolean {
  if (part === undefined || hasOtherTarget(part, target)) return false;
  const { observedGeneration = 0 } = part.status ?? {};
  if (observedGeneration < (part.metadata.generation ?? 0)) return false;
  const { observedRevision = target.name } = (part as PodCliqueScalingGroup).status ?? {};
  return observedRevision === target.name;
}

/** Whether a part of it says that only a person can help. */
export const hasStalledPart = ({
  standalone,
  groups,
}: Pick<Parts, "standalone" | "groups">): boolean =>
  [...standalone, ...groups].some(({ object }) =>
    isConditionTrue(object?.status, rolloutConditionTypes.stalled),
  );

interface Part {
  readonly metadata: { readonly name?: string };
  readonly status?: WithConditions;
}

function stallOf(part: Part | undefined): string[] {
  const text = overdueText(part?.status ?? {});
  return part === undefined || text === undefined ? [] : [`${part.metadata.name}: ${text}`];
}

/** Parts that were scaled below their minimum: their replica cannot be available, though no pod is in trouble. */
export function belowMinimum(replicas: readonly Pick<Parts, "standalone" | "groups">[]): string[] {
  return replicas.flatMap(({ standalone, groups }) =>
    [
      ...standalone.map(({ object, replicas: size, minAvailable }) => ({
        object,
        size,
        minAvailable,
      })),
      ...groups.map(({ object, desired, template }) => ({
        object,
        size: desired,
        minAvailable: template.minAvailable,
      })),
    ].flatMap(({ object, size, minAvailable }) =>
      object === undefined || size >= minAvailable
        ? []
        : [`${object.metadata.name} is scaled to ${size}, below its minimum of ${minAvailable}`],
    ),
  );
}

/** The parts that are not whole on the target yet: `chat-0-frontend has 1 of 3 pods updated, 2 ready`. */
export function unfinished(replicas: readonly Parts[], updating: readonly number[]): string[] {
  return replicas
    .filter(({ index }) => updating.includes(index))
    .flatMap(({ standalone, groups }) => [
      ...standalone.filter(isUnfinished).map(describe),
      ...groups.flatMap(describeGroup),
    ]);
}

const isUnfinished = (state: CliqueState): boolean =>
  state.object !== undefined && !isComplete(state);

function describe(state: CliqueState): string {
  const { object, replicas, updated, updatedBeyond, ready, beyond } = state;
  const extra = beyond === 0 ? "" : `, ${beyond} extra`;
  const [shown, serving] = [updated - updatedBeyond, ready].map((count) =>
    Math.min(count, replicas),
  );
  const name = object?.metadata.name;
  return `${name} has ${shown} of ${counted(replicas, "pod")} updated, ${serving} ready${extra}`;
}

/** How far a group is, then its cliques that do not serve yet: those that do serve are not waited for. */
function describeGroup({ object, desired, replicas }: GroupState): string[] {
  const members = [...replicas.values()].flat();
  if (object === undefined || !members.some(isUnfinished)) return [];
  const updated = [...replicas].filter(
    ([index, each]) => index < desired && each.every((member) => !isUnfinished(member)),
  ).length;
  const starting = members.filter(
    (member) => isUnfinished(member) && member.ready < member.replicas,
  );
  return [
    `${object.metadata.name} has ${updated} of ${counted(desired, "replica")} updated`,
    ...starting.map(
      ({ object: clique, ready, replicas: size }) =>
        `${clique?.metadata.name} has ${ready} of ${counted(size, "pod")} ready`,
    ),
  ];
}

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;
