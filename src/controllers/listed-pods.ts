/**
 * Which pods a PodGang lists. References go by name, and names are used again: beside them the gang says which
 * incarnations are meant, so that a list of before lets nobody through.
 */
import type { PodGang, PodGroup } from "../api/grove/podgang.ts";
import type { Pod } from "../api/pod.ts";
import { remembered } from "./remembered.ts";

/** On a gang: the beginnings of the uids of all pods that it lists. */
const listedAnnotation = "lockstep.dev/listed-pods";

/** Enough to tell a pod from those that had its name before; a list of a thousand pods stays small. */
const beginning = ({ metadata }: Pod): string => (metadata.uid ?? "").slice(0, 8);

export const listingOf = (pods: readonly Pod[]): Record<string, string> => ({
  [listedAnnotation]: pods.map(beginning).join(" "),
});

/** What the gang says now: for who writes the rest of it. */
export function listingOn({ metadata }: PodGang): Record<string, string> {
  const text = metadata.annotations?.[listedAnnotation];
  return text === undefined ? {} : { [listedAnnotation]: text };
}

const beginningsOn = remembered(
  ({ metadata }: PodGang): ReadonlySet<string> =>
    new Set((metadata.annotations?.[listedAnnotation] ?? "").split(" ")),
);

/** Answers for the pods of one group of the gang. */
export function isListedIn(gang: PodGang, group: PodGroup | undefined): (pod: Pod) => boolean {
  const names = new Set(group?.podReferences.map(({ name }) => name));
  const beginnings = beginningsOn(gang);
  return (pod) => names.has(pod.metadata.name ?? "") && beginnings.has(beginning(pod));
}
