/** Which pods may be shown to the scheduler now, and what the others wait for: their gang, its base gang, parents. */
import { isTerminating } from "../../../api/object.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import { scalingGroupReplicaName } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodGang, PodGroup } from "../../../api/grove/podgang.ts";
import { orderableScheduler } from "../../../api/grove/warnings.ts";
import type { Pod } from "../../../api/pod.ts";
import { memoizeByIdentity } from "../../engine/memoize.ts";
import { isGated } from "./identity.ts";
import type { Observed, Parent } from "./observe.ts";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import type { Change } from "../../../runtime/cache.ts";
import { isConditionTrue } from "../../engine/conditions.ts";
import { isScheduled } from "../../engine/pod-health.ts";

export interface Gates {
  readonly open: readonly Pod[];
  readonly closed: number;
  /** Why the closed ones are closed; undefined where none is. */
  readonly reason: string | undefined;
  /** Whether the reason is that their gang finds no room. */
  readonly isLack: boolean;
}

export function gatesOf(observed: Observed): Gates {
  const gated = observed.pods
    .filter(({ pod, isLeftover }) => !isLeftover && isGated(pod) && !isTerminating(pod))
    .map(({ pod }) => pod);
  if (gated.length === 0) return { open: [], closed: 0, reason: undefined, isLack: false };
  const words = wordsFor(gated.length);
  const reason = closedFor(observed, words);
  if (reason !== undefined) {
    const isLack = reason === lackText(observed, words);
    return { open: [], closed: gated.length, reason, isLack };
  }
  const listed = listedPods(observed);
  const open = gated.filter(({ metadata }) => listed.has(metadata.name ?? ""));
  const closed = gated.length - open.length;
  const { their, them } = wordsFor(closed);
  const unlisted = `${their} PodGang does not list ${them} yet`;
  return { open, closed, reason: closed === 0 ? undefined : unlisted, isLack: false };
}

/** What the pods that are held back are called in a sentence. */
interface Words {
  readonly their: string;
  readonly them: string;
  readonly theyStart: string;
}

const wordsFor = (count: number): Words =>
  count === 1
    ? { their: "its", them: "it", theyStart: "it starts" }
    : { their: "their", them: "them", theyStart: "they start" };

/** Pods with no unmet prerequisite are created ungated. */
export const isCreatedUngated = (observed: Observed, name: string): boolean =>
  closedFor(observed, wordsFor(1)) === undefined && listedPods(observed).has(name);

function closedFor(observed: Observed, words: Words): string | undefined {
  const { gang, baseGang, parents, clique } = observed;
  const { their, them, theyStart } = words;
  if (gang === undefined) return `${their} PodGang does not exist yet`;
  if (baseGang !== undefined && !hasBeenScheduled(baseGang)) {
    return `the base gang ${baseGang.name} has not been scheduled yet`;
  }
  const missing = besides(gang, clique).find(
    ({ podReferences, minReplicas }) => podReferences.length < minReplicas,
  );
  if (missing !== undefined)
    return `${their} PodGang lists too few pods of ${missing.name} beside ${them}`;
  const scheduler = clique.spec.podSpec.schedulerName ?? orderableScheduler;
  // A gang scheduler waits for the whole gang: it would wait for ever if some of its pods were held back.
  if (scheduler !== orderableScheduler) return undefined;
  const behind = parents.find((parent) => !serves(parent));
  if (behind !== undefined) return `${theyStart} after ${waitText(behind)}`;
  return lackText(observed, words);
}

const lackText = ({ gang, lack }: Observed, { their }: Words): string | undefined =>
  lack === undefined ? undefined : `${their} gang ${gang?.metadata.name} does not fit: ${lack}`;

/**
 * The cliques of the same replica of a scaling group: of no use without each other, so a scheduler must see all of
 * them when it sees the first, also where only this replica of a gang is created again.
 */
function besides(gang: PodGang, { metadata }: PodClique): readonly PodGroup[] {
  const { labels = {} } = metadata;
  const group = labels[labelKeys.scalingGroup];
  const replica = labels[labelKeys.scalingGroupReplicaIndex];
  if (group === undefined || replica === undefined) return [];
  const prefix = `${scalingGroupReplicaName(group, Number(replica))}-`;
  return gang.spec.podgroups.filter(({ name }) => name.startsWith(prefix));
}

const serves = ({ ready, minAvailable }: Parent): boolean =>
  minAvailable !== undefined && ready >= minAvailable;

const waitText = ({ name, ready, minAvailable }: Parent): string =>
  minAvailable === undefined
    ? `${name}, which does not exist yet`
    : `${name}, which has ${ready} of ${minAvailable} pods ready`;

const nobody: ReadonlySet<string> = new Set();

const listedPods = ({ gang, clique }: Observed): ReadonlySet<string> =>
  gang === undefined ? nobody : listedIn(gang, clique.metadata.name);

/** Asked for every pod that is created, of as many as a clique has. */
export const listedIn = memoizeByIdentity((gang: PodGang, clique: string | undefined) => {
  const group = gang.spec.podgroups.find(({ name }) => name === clique);
  return new Set(group?.podReferences.map(({ name }) => name) ?? []);
});

export interface BaseGang {
  readonly name: string;
  readonly object: PodGang | undefined;
  /** Whether anybody of it is on a node, by its pods: its status may be late. */
  readonly isOnNodes: boolean;
}

export const isOnNode = (pod: Pod): boolean => isScheduled(pod) && !isTerminating(pod);

/**
 * Asks whether it was scheduled once, not whether it is complete now: a base gang may itself be in an update. One that
 * lost everybody starts over, and what its status says was of before.
 */
export const hasBeenScheduled = ({ object, isOnNodes }: BaseGang): boolean =>
  isOnNodes && saysScheduled(object);

/** Its status and its pods do not agree: one of them is late, and no event need come of that. */
export const isInDoubt = (base: BaseGang | undefined): boolean =>
  base !== undefined && !base.isOnNodes && saysScheduled(base.object);

const saysScheduled = (gang: PodGang | undefined): boolean =>
  isConditionTrue(gang?.status, conditionTypes.podGangScheduled);

/** Whether the cliques that wait for a gang may go on now, or have to wait again. */
export const hasFlipped = (change: Change<PodGang>): boolean =>
  change.type === "updated" && saysScheduled(change.old) !== saysScheduled(change.object);
