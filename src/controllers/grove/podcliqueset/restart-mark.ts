/** Which cliques of a replica start over with its gang: written down before the first of them goes. */
import { isTerminating } from "../../../api/object.ts";
import { headlessServiceName } from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { parseTime, timeText } from "../../../api/time-text.ts";
import { createdAtMs } from "../clique-state.ts";
import type { ReplicaState } from "./replica-state.ts";
import type { Observed } from "./observe.ts";
import { objectsOf } from "./observe.ts";

/** On the service of a replica: cliques made up to this moment start over. In the time of the server that made them. */
const restartAnnotation = "lockstep.dev/restart-up-to";

export const restartMark = ({ cliques }: ReplicaState): Record<string, string> => ({
  [restartAnnotation]: timeText(cliques.map(createdAtMs).reduce((a, b) => Math.max(a, b), 0)),
});

/** Those that are still there of a restart that has begun: a replica starts over whole or not at all. */
export function cliquesToRestart(
  observed: Observed,
  { index, cliques }: ReplicaState,
): PodClique[] {
  const serviceName = headlessServiceName(observed.name, index);
  const service = objectsOf(observed, index).services.find(
    ({ metadata }) => metadata.name === serviceName,
  );
  const upToMs = parseTime(service?.metadata.annotations?.[restartAnnotation] ?? "");
  if (upToMs === undefined) return [];
  return cliques.filter((clique) => !isTerminating(clique) && createdAtMs(clique) <= upToMs);
}
