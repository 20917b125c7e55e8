/** The PodGang controller: lists a gang's pods so that a scheduler can place them together, and tells how it stands. */
import { labelKeys } from "../../api/grove/labels.ts";
import type { KubeObject } from "../../api/object.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import type { ControlledKind } from "../controlled-kind.ts";
import { controlledKind } from "../controlled-kind.ts";
import type { GroveOptions } from "../grove-caches.ts";
import { watchPods } from "../pod-watch.ts";
import { podGangReconcile } from "./reconcile.ts";

export function podGangController(options: GroveOptions): ControlledKind {
  const { client, clock, observer } = options;
  const { sets, gangs, cliques, pods } = options.caches;
  const caches = { sets, gangs, cliques, pods };
  const controller = new Controller({
    name: "podgang",
    client,
    clock,
    watches: [
      watch(caches.gangs),
      watch(caches.sets, () => []),
      watch(caches.cliques, gangKeys),
      watchPods(caches.pods, gangKeys),
    ],
    reconcile: podGangReconcile({ caches, clock }),
    workers: 10,
    observer,
  });
  return controlledKind(controller, caches);
}

function gangKeys({ metadata }: KubeObject): readonly string[] {
  const gang = metadata.labels?.[labelKeys.podGang];
  return gang === undefined ? [] : [`${metadata.namespace}/${gang}`];
}
