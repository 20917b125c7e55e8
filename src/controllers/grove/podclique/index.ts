/** The PodClique controller: its caches and what wakes it up. */
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import type { Pod } from "../../../api/pod.ts";
import { podResource } from "../../../api/pod.ts";
import type { Node } from "../../../api/node.ts";
import type { Cache, Change } from "../../../runtime/cache.ts";
import { watch } from "../../../runtime/controller.ts";
import { keyOf } from "../../../runtime/object-store.ts";
import { claimAccess, ClaimWatch } from "../claim-watch.ts";
import type { ControlledKind, KindOptions } from "../../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../../engine/controlled-kind.ts";
import { actionReasons } from "../orphans.ts";
import type { GroveCaches } from "../caches.ts";
import {
  baseGangIndex,
  groveCacheDefinitions,
  nodeCacheDefinition,
  parentIndex,
} from "../caches.ts";
import { controllerOf } from "../../engine/ownership.ts";
import { isCloselyAlike, isOnlyPlacing, laterMs, watchPods } from "../../engine/pod-watch.ts";
import { podCliqueSetIndex, podCliqueSetKeys } from "../set-members.ts";
import { isStatusEcho } from "../../engine/status-writer.ts";
import { hasFlipped } from "./gates.ts";
import type { PodCliqueCaches } from "./observe.ts";
import type { CliqueTools } from "./reconcile.ts";
import { podCliqueReconciler } from "./reconcile.ts";
import { gangFit } from "./gang-fit.ts";
import { isUrgentFor } from "./status.ts";
import { groveKinds } from "../../../api/grove/definitions.ts";
import { defineKind, ownerAccess, statusAccess } from "../../engine/kind-definition.ts";

interface AllCaches extends PodCliqueCaches, Pick<GroveCaches, "claims"> {
  readonly nodes: Cache<Node>;
}

function podCliqueController(
  options: KindOptions & { readonly caches: AllCaches },
): ControlledKind {
  const { sets, cliques, pods, gangs, revisions, nodes, claims: sharedClaims } = options.caches;
  const readers = { sets, cliques, pods, gangs, revisions };
  const fit = gangFit(options);
  // Nobody asks for nodes where a scheduler looks after gangs.
  const caches = fit === undefined ? readers : { ...readers, nodes };
  const resource = podCliqueResource;
  const isUrgent = isUrgentFor(readers);
  const tools = kindTools(options, { resource, reasons: actionReasons, isUrgent });
  const { statuses, answers } = tools;
  const claims = new ClaimWatch({ ownerKind: resource.kind, claims: sharedClaims, answers });
  return controlledKind(options, {
    name: "podclique",
    caches,
    tools,
    kind: podCliqueReconciler(readers, tools, { claims, lackOf: fit?.lackOf }),
    watches: [
      watch(cliques, undefined, (change) => cliqueDue(statuses, change)),
      watchPods(pods, (pod) => concernedByPod(caches, pod), podPredicates),
      watch(
        gangs,
        (gang) => listedBy(caches, gang),
        (change) => (isStatusEcho(change) ? undefined : 0),
      ),
      watch(
        gangs,
        (gang) => cliques.byIndex(baseGangIndex, keyOf(gang)).map(keyOf),
        (change) => (isStatusEcho(change) && !hasFlipped(change) ? undefined : 0),
      ),
      claims.watch,
      ...(fit?.watches ?? []),
      watch(sets, () => []),
      // A new revision makes the pods of every clique outdated that has yet to get it.
      watch(
        revisions,
        (revision) =>
          podCliqueSetKeys(revision).flatMap((set) =>
            cliques.byIndex(podCliqueSetIndex, set).map(keyOf),
          ),
        () => laterMs,
      ),
    ],
    workers: 10,
    onStop: claims.stop,
  });
}

/** Scheduling of its pods changes only the status of a clique. */
const podPredicates = { isAlike: isCloselyAlike, mayWait: isOnlyPlacing };

/** Its own clique, or the one that may adopt it; those that start after it, and one that waits until it is gone. */
function concernedByPod({ cliques }: PodCliqueCaches, pod: Pod): readonly string[] {
  const { kind = "PodClique", name = pod.metadata.labels?.[labelKeys.podClique] } =
    controllerOf(pod) ?? {};
  if (kind !== "PodClique" || name === undefined) return [];
  const key = `${pod.metadata.namespace}/${name}`;
  return [key, ...cliques.byIndex(parentIndex, key).map(keyOf)];
}

/** The cliques whose pods it lists, as far as they exist. */
const listedBy = ({ cliques }: PodCliqueCaches, { metadata, spec }: PodGang): readonly string[] =>
  spec.podgroups
    .map(({ name }) => `${metadata.namespace}/${name}`)
    .filter((key) => cliques.get(key) !== undefined);

/** A status that was just written says no more than the reconcile that wrote it knew, unless it began an update. */
function cliqueDue(
  statuses: CliqueTools["statuses"],
  change: Change<PodClique>,
): number | undefined {
  if (!isStatusEcho(change)) return 0;
  const { object } = change;
  const isIdle = object.status?.updateProgress === undefined;
  return isIdle && statuses.isEcho(object) ? undefined : laterMs;
}

const { sets, cliques, pods, gangs, revisions, claims } = groveCacheDefinitions;
const nodes = nodeCacheDefinition;

export const podCliqueKind = defineKind<AllCaches>({
  name: "podclique",
  resource: podCliqueResource,
  customKinds: groveKinds,
  caches: { sets, cliques, pods, gangs, revisions, claims, nodes },
  onDemand: ["claims", "nodes"],
  access: [
    { resource: podCliqueResource, verbs: ["patch"] },
    { resource: podCliqueSetResource, verbs: ["get"] },
    { resource: podGangResource, verbs: ["get"] },
    statusAccess(podCliqueResource),
    ownerAccess(podCliqueResource),
    { resource: podResource, verbs: ["create", "patch", "delete"] },
    ...claimAccess,
  ],
  controller: podCliqueController,
});
