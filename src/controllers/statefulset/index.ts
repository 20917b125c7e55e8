/** The StatefulSet controller: its caches, what wakes it up, and its two modes. */
import type { ControllerRevision, StatefulSet } from "../../api/apps.ts";
import { controllerRevisionResource, statefulSetResource } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import { selectorMatches } from "../../api/label-selector.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import type { Resource } from "../../api/resource.ts";
import type { VolumeClaim } from "../../api/volume-claim.ts";
import { volumeClaimResource } from "../../api/volume-claim.ts";
import { Cache } from "../../runtime/cache.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import { eventRecorder } from "../../runtime/event-recorder.ts";
import type { Indexes } from "../../runtime/object-store.ts";
import { keyOf, namespaceOf } from "../../runtime/object-store.ts";
import { cachedMetadata, cachedPod } from "../engine/cached-objects.ts";
import type { ControlledKind, KindOptions } from "../engine/controlled-kind.ts";
import { controlledKind } from "../engine/controlled-kind.ts";
import { controllerOf, ownerIndexKeys } from "../engine/ownership.ts";
import { assistReconcile } from "./assist.ts";
import { setsUsingClaim } from "./claims.ts";
import type { GaugeFactory } from "./gauges.ts";
import { setGauges } from "./gauges.ts";
import type { StatefulSetCaches } from "./observe.ts";
import { ownerIndex } from "./observe.ts";
import { fullReconcile } from "./reconcile.ts";
import { Reporter } from "./report.ts";

export interface StatefulSetOptions extends KindOptions {
  /** `full`: we are the StatefulSet controller. `assist`: the cluster has its own, we only pace OnDelete sets. */
  readonly mode: "full" | "assist";
  /** Makes the gauges that tell of each set; without it none are kept. */
  readonly gauge?: GaugeFactory;
}

/**
 * Pods of one set change in swarms, and a look costs as much as there are pods: a large set rests longer between two
 * looks, so that the cost per pod stays the same.
 */
const restMsPerPod = 0.05;
const longestRestMs = 100;

export function statefulSetController(options: StatefulSetOptions): ControlledKind {
  const { client, clock, mode, observer, onProblem } = options;
  const caches = statefulSetCaches(options);
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const reporter = new Reporter(clock, events);
  const reconcile = mode === "full" ? fullReconcile : assistReconcile;
  const controller = new Controller({
    name: "statefulset",
    client,
    clock,
    watches: [
      watch(caches.sets),
      watch(caches.pods, (pod) => concernedSets(caches.sets, pod)),
      watch(caches.revisions, (revision) => owningSet(revision)),
      watch(caches.claims, (claim) => {
        const sets = caches.sets.byIndex("namespace", claim.metadata.namespace ?? "");
        return setsUsingClaim(sets, claim).map((set) => keyOf(set));
      }),
    ],
    reconcile: reconcile({
      caches,
      clock,
      reporter,
      gauges: setGauges(options.gauge),
    }),
    workers: 5,
    spacingMs: (key) => {
      const pods = caches.sets.get(key)?.spec.replicas ?? 1;
      return Math.min(longestRestMs, Math.floor(pods * restMsPerPod));
    },
    observer,
  });
  return controlledKind(controller, caches, { events: reporter });
}

function statefulSetCaches({ client, clock, onProblem }: StatefulSetOptions): StatefulSetCaches {
  const cache = <T extends KubeObject>(
    resource: Resource,
    indexes: Indexes<T>,
    transform?: (object: T) => T,
  ): Cache<T> => new Cache<T>({ client, clock, resource, indexes, transform, onProblem });
  const byOwner = { [ownerIndex]: ownerIndexKeys };
  return {
    sets: cache<StatefulSet>(statefulSetResource, { namespace: namespaceOf }),
    pods: cache<Pod>(podResource, byOwner, cachedPod),
    claims: cache<VolumeClaim>(volumeClaimResource, {}, cachedMetadata),
    revisions: cache<ControllerRevision>(controllerRevisionResource, byOwner),
  };
}

function owningSet(object: KubeObject): readonly string[] {
  const owner = controllerOf(object);
  if (owner?.kind !== "StatefulSet" || !owner.apiVersion.startsWith("apps/")) return [];
  return [`${object.metadata.namespace}/${owner.name}`];
}

/** The owner of a pod, or every set that might adopt an orphan. */
function concernedSets(sets: Cache<StatefulSet>, pod: Pod): readonly string[] {
  if (controllerOf(pod) !== undefined) return owningSet(pod);
  return sets
    .byIndex("namespace", pod.metadata.namespace ?? "")
    .filter((set) => selectorMatches(set.spec.selector, pod.metadata.labels))
    .map((set) => keyOf(set));
}
