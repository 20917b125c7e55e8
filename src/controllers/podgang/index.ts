/** The PodGang controller: lists a gang's pods so that a scheduler can place them together, and tells how it stands. */
import { conditionTypes } from "../../api/grove/conditions.ts";
import { labelKeys, managedBy } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { PodGang, PodGangStatus } from "../../api/grove/podgang.ts";
import { podGangResource } from "../../api/grove/podgang.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podResource } from "../../api/pod.ts";
import { Cache } from "../../runtime/cache.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import { eventRecorder } from "../../runtime/event-recorder.ts";
import { controllerUid } from "../../runtime/object-store.ts";
import type { ControlledKind, KindOptions } from "../controlled-kind.ts";
import { controlledKind } from "../controlled-kind.ts";
import { StatusReporter } from "../status-reporter.ts";
import type { PodGangCaches } from "./reconcile.ts";
import { ownerIndex, podGangReconcile } from "./reconcile.ts";

export function podGangController(options: KindOptions): ControlledKind {
  const { client, clock, observer, onProblem } = options;
  const caches = podGangCaches(options);
  const events = eventRecorder({ client, clock, component: "lockstep", onProblem });
  const reporter = new StatusReporter<PodGangStatus>({
    clock,
    events,
    resource: podGangResource,
    phaseOf,
    reasons: { created: "", deleted: "" },
    noun: "pod",
  });
  const controller = new Controller({
    name: "podgang",
    client,
    clock,
    watches: [watch(caches.gangs), watch(caches.cliques, gangKeys), watch(caches.pods, gangKeys)],
    reconcile: podGangReconcile({ caches, clock, reporter }),
    workers: 10,
    observer,
  });
  return controlledKind(controller, caches, events);
}

function podGangCaches({ client, clock, onProblem }: KindOptions): PodGangCaches {
  const selection = { labelSelector: `${labelKeys.managedBy}=${managedBy}` };
  const common = { client, clock, onProblem, selection };
  return {
    gangs: new Cache<PodGang>({ ...common, resource: podGangResource }),
    cliques: new Cache<PodClique>({ ...common, resource: podCliqueResource }),
    pods: new Cache<Pod>({
      ...common,
      resource: podResource,
      indexes: { [ownerIndex]: controllerUid },
    }),
  };
}

function gangKeys({ metadata }: KubeObject): readonly string[] {
  const gang = metadata.labels?.[labelKeys.podGang];
  return gang === undefined ? [] : [`${metadata.namespace}/${gang}`];
}

/** Scaled gangs wait for Scheduled; the rest of a status can wait for company. */
function phaseOf(status: PodGangStatus | undefined): string {
  const isScheduled = status?.conditions?.some(
    (condition) =>
      condition.type === conditionTypes.podGangScheduled && condition.status === "True",
  );
  return String(isScheduled ?? false);
}
