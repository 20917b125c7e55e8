/** The PodClique controller: its caches and what wakes it up. */
import { conditionTypes, eventReasons } from "../../api/grove/conditions.ts";
import type { PodCliqueStatus } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { PodGang } from "../../api/grove/podgang.ts";
import type { Pod } from "../../api/pod.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import { eventRecorder } from "../../runtime/event-recorder.ts";
import { keyOf } from "../../runtime/object-store.ts";
import type { ControlledKind } from "../controlled-kind.ts";
import { controlledKind } from "../controlled-kind.ts";
import type { GroveOptions } from "../grove-caches.ts";
import { baseGangIndex, parentIndex } from "../grove-caches.ts";
import { controllerOf } from "../ownership.ts";
import { StatusReporter } from "../status-reporter.ts";
import { startedCondition } from "./clique-conditions.ts";
import type { PodCliqueCaches } from "./observe.ts";
import { podCliqueReconcile } from "./reconcile.ts";

export function podCliqueController(options: GroveOptions): ControlledKind {
  const { client, clock, observer, onProblem } = options;
  const { cliques, pods, gangs, revisions } = options.caches;
  const caches = { cliques, pods, gangs, revisions };
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const reporter = new StatusReporter<PodCliqueStatus>({
    clock,
    events,
    resource: podCliqueResource,
    phaseOf,
    reasons: { created: eventReasons.podCreated, deleted: eventReasons.podDeleted },
    noun: "pod",
  });
  const controller = new Controller({
    name: "podclique",
    client,
    clock,
    watches: [
      watch(caches.cliques),
      watch(caches.pods, (pod) => concernedByPod(caches, pod)),
      watch(caches.gangs, (gang) => concernedByGang(caches, gang)),
      watch(caches.revisions, () => []),
    ],
    reconcile: podCliqueReconcile({ caches, clock, reporter }),
    workers: 10,
    observer,
  });
  return controlledKind(controller, caches, events);
}

/** Its own clique, those that start after it, and one of the same name that waits for it to go. */
function concernedByPod({ cliques }: PodCliqueCaches, pod: Pod): readonly string[] {
  const owner = controllerOf(pod);
  if (owner?.kind !== "PodClique") return [];
  const key = `${pod.metadata.namespace}/${owner.name}`;
  return [key, ...cliques.byIndex(parentIndex, key).map(keyOf)];
}

/** The cliques whose pods it lists, and those of scaled gangs that wait for it. */
function concernedByGang({ cliques }: PodCliqueCaches, gang: PodGang): readonly string[] {
  const own = gang.spec.podgroups.map(({ name }) => `${gang.metadata.namespace}/${name}`);
  return [...own, ...cliques.byIndex(baseGangIndex, keyOf(gang)).map(keyOf)];
}

/** What readers wait for: enough pods, the end of an update, a failure. A newborn has nothing to tell before that. */
function phaseOf(status: PodCliqueStatus | undefined): string {
  const breached = status?.conditions?.find(
    ({ type }) => type === conditionTypes.minAvailableBreached,
  );
  const hasStarted = isSet(status, startedCondition);
  const { updateStartedAt, updateEndedAt, podTemplateHash } = status?.updateProgress ?? {};
  return JSON.stringify([
    breached?.status === "False",
    hasStarted ? status?.observedGeneration : 0,
    hasStarted ? status?.currentPodTemplateHash : "",
    status?.lastErrors?.map(({ code }) => code) ?? [],
    [updateStartedAt, updateEndedAt, podTemplateHash],
  ]);
}

const isSet = (status: PodCliqueStatus | undefined, wanted: string): boolean =>
  status?.conditions?.some(({ type }) => type === wanted) ?? false;
