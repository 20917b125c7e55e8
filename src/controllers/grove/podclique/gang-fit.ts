/** Holds back gangs that cannot fit, for schedulers that do not look at gangs. */
import { orderableScheduler } from "../../../api/grove/warnings.ts";
import type { Node } from "../../../api/node.ts";
import type { Cache } from "../../../runtime/cache.ts";
import type { Watch } from "../../../runtime/controller.ts";
import { watch } from "../../../runtime/controller.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import { isConditionTrue } from "../../engine/conditions.ts";
import { laterMs } from "../../engine/pod-watch.ts";
import { conditionTypes } from "../../../api/grove/conditions.ts";
import type { KindOptions } from "../../engine/controlled-kind.ts";
import type { GroveCaches } from "../caches.ts";
import { isGangFitIgnored } from "../clique-state.ts";
import { GangCapacity, gangNeeds } from "./gang-capacity.ts";
import type { LackOf } from "./observe.ts";

interface FitCaches extends Pick<GroveCaches, "sets" | "pods" | "cliques" | "gangs"> {
  readonly nodes: Cache<Node>;
}

interface GangFit {
  readonly lackOf: LackOf;
  /** What may make room for a gang that waits. */
  readonly watches: readonly Watch[];
}

/** Undefined where nobody said which schedulers place gangs: then all of them may. */
export function gangFit({
  caches,
  gangSchedulers,
}: KindOptions & { readonly caches: FitCaches }): GangFit | undefined {
  if (gangSchedulers === undefined) return undefined;
  const { sets, nodes, pods, cliques } = caches;
  const capacity = new GangCapacity(caches);
  const waiting = (): readonly string[] => capacity.waitingCliques();
  return {
    lackOf: (gang, { spec }, set) => {
      const scheduler = spec.podSpec.schedulerName ?? orderableScheduler;
      const isIgnored = set !== undefined && isGangFitIgnored(set);
      // What was on nodes once is never held back: its place may be needed again at any time.
      const wasPlaced = isConditionTrue(gang.status, conditionTypes.podGangScheduled);
      if (gangSchedulers.includes(scheduler) || isIgnored || wasPlaced) {
        capacity.forget(keyOf(gang));
        return undefined;
      }
      const needs = gangNeeds(gang, set, (key) => cliques.get(key));
      return needs === undefined ? undefined : capacity.lackOf(keyOf(gang), needs);
    },
    watches: [
      watch(nodes, waiting),
      // Somebody lets the gangs of a set go that have waited so far.
      watch(sets, waiting, ({ object }) => (isGangFitIgnored(object) ? 0 : undefined)),
      watch(pods, waiting, ({ type }) => (type === "deleted" ? laterMs : undefined)),
    ],
  };
}
