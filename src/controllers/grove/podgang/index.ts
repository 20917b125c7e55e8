/** The PodGang controller: lists a gang's pods so that a scheduler can place them together, and reports its state. */
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { Pod } from "../../../api/pod.ts";
import type { Change } from "../../../runtime/cache.ts";
import { watch } from "../../../runtime/controller.ts";
import type { ControlledKind } from "../../engine/controlled-kind.ts";
import { controlledKind, kindTools } from "../../engine/controlled-kind.ts";
import { actionReasons } from "../orphans.ts";
import type { GroveOptions } from "../caches.ts";
import { baseGangIndex, groveCacheDefinitions } from "../caches.ts";
import { isOnlyPlacing, laterMs, watchPods } from "../../engine/pod-watch.ts";
import { isStatusEcho } from "../../engine/status-writer.ts";
import type { GangTools, PodGangCaches } from "./reconcile.ts";
import { isUrgentFor, podGangReconciler } from "./reconcile.ts";
import { heldBackReason } from "../clique-state.ts";
import { isListed, isSameMember } from "./references.ts";
import { groveKinds } from "../../../api/grove/definitions.ts";
import { defineKind, statusAccess } from "../../engine/kind-definition.ts";

function podGangController(options: GroveOptions<keyof PodGangCaches>): ControlledKind {
  const { sets, gangs, cliques, pods } = options.caches;
  const caches = { sets, gangs, cliques, pods };
  const resource = podGangResource;
  const isUrgent = isUrgentFor(caches);
  const tools = kindTools(options, { resource, reasons: actionReasons, isUrgent });
  return controlledKind(options, {
    name: "podgang",
    caches,
    tools,
    kind: podGangReconciler(caches, tools),
    watches: [
      watch(caches.gangs, undefined, (change) => gangDue(caches, tools.statuses, change)),
      watch(caches.sets, () => []),
      watch(caches.cliques, gangKeys, (change) => cliqueDue(caches, change)),
      watchPods(caches.pods, gangKeys, {
        isAlike: isSameMember,
        mayWait: (change) => isOnlyPlacing(change) && !isWaitedFor(caches, change.object),
      }),
    ],
    workers: 10,
  });
}

/** A status that was just written says no more than the reconcile that wrote it knew. */
function gangDue(
  caches: PodGangCaches,
  statuses: GangTools["statuses"],
  change: Change<PodGang>,
): number | undefined {
  if (isStatusEcho(change)) return statuses.isEcho(change.object) ? undefined : laterMs;
  return change.type === "added" && hasNobody(caches, change.object) ? laterMs : 0;
}

/** None of its cliques is there yet; each brings it back. */
const hasNobody = ({ cliques }: PodGangCaches, { metadata, spec }: PodGang): boolean =>
  spec.podgroups.every(({ name }) => cliques.get(`${metadata.namespace}/${name}`) === undefined);

/** Of a clique a gang reads its size; one whose pods are listed already waits for nothing. */
function cliqueDue({ gangs }: PodGangCaches, change: Change<PodClique>): number | undefined {
  if (isStatusEcho(change)) return isHeldOtherwise(change) ? laterMs : undefined;
  const isExpected = gangKeys(change.object).every((key) =>
    isListed(gangs.get(key), change.object),
  );
  return change.type === "added" && isExpected ? laterMs : 0;
}

/** The gang quotes why its pods are held back. */
const isHeldOtherwise = (change: Change<PodClique>): boolean =>
  change.type === "updated" && heldBackReason(change.old) !== heldBackReason(change.object);

/** Scaled gangs start once the pods of their base are placed. */
const isWaitedFor = ({ cliques }: PodGangCaches, pod: Pod): boolean =>
  gangKeys(pod).some((gang) => cliques.byIndex(baseGangIndex, gang).length > 0);

function gangKeys({ metadata }: KubeObject): readonly string[] {
  const gang = metadata.labels?.[labelKeys.podGang];
  return gang === undefined ? [] : [`${metadata.namespace}/${gang}`];
}

const { sets, gangs, cliques, pods } = groveCacheDefinitions;

export const podGangKind = defineKind<PodGangCaches>({
  name: "podgang",
  resource: podGangResource,
  customKinds: groveKinds,
  caches: { sets, gangs, cliques, pods },
  access: [{ resource: podGangResource, verbs: ["patch"] }, statusAccess(podGangResource)],
  controller: podGangController,
});
