/** The PodGang controller: lists a gang's pods so that a scheduler can place them together, and tells how it stands. */
import { conditionTypes } from "../../api/grove/conditions.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodGangStatus } from "../../api/grove/podgang.ts";
import { podGangResource } from "../../api/grove/podgang.ts";
import type { KubeObject } from "../../api/object.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import { eventRecorder } from "../../runtime/event-recorder.ts";
import type { ControlledKind } from "../controlled-kind.ts";
import { controlledKind } from "../controlled-kind.ts";
import type { GroveOptions } from "../grove-caches.ts";
import { StatusReporter } from "../status-reporter.ts";
import { podGangReconcile } from "./reconcile.ts";

export function podGangController(options: GroveOptions): ControlledKind {
  const { client, clock, observer, onProblem } = options;
  const { gangs, cliques, pods } = options.caches;
  const caches = { gangs, cliques, pods };
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
