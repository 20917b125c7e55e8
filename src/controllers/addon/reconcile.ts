/** What the add-on installer brings to the engine. */
import type { ClusterManagementAddOn, ClusterManagementAddOnStatus } from "../../api/ocm/addon.ts";
import { clusterManagementAddOnResource } from "../../api/ocm/addon.ts";
import type { EventText } from "../../runtime/event-recorder.ts";
import { aFew } from "../engine/action-events.ts";
import { stillThere } from "../engine/live-reads.ts";
import type { Kind, KindTools } from "../engine/reconcile.ts";
import type { AddOnReaders } from "./caches.ts";
import type { AddOnGauges } from "./gauges.ts";
import type { Observed } from "./observe.ts";
import { isByPlacements, observe } from "./observe.ts";
import type { AddOnPlan } from "./plan.ts";
import { planAddOn } from "./plan.ts";
import { addOnStatus, countAddOns } from "./status.ts";
import type { AddOnRefusals } from "./writes.ts";
import { retainRefusals } from "./writes.ts";

export type AddOnTools = KindTools<ClusterManagementAddOn, ClusterManagementAddOnStatus>;
type AddOnKind = Kind<ClusterManagementAddOn, ClusterManagementAddOnStatus, Observed, AddOnPlan>;

/** What was reported last, so that every refusal and doubt is an event once. */
interface Reported {
  readonly refusals: AddOnRefusals;
  refused: string;
  doubts: string;
}

export function addOnReconciler(
  readers: AddOnReaders,
  tools: AddOnTools,
  gauges: AddOnGauges,
): AddOnKind {
  const { clock, events, memory } = tools;
  const reported = memory.perOwner<Reported>(() => ({
    refusals: { refused: new Map(), created: [], deleted: [] },
    refused: "",
    doubts: "",
  }));
  return {
    resource: clusterManagementAddOnResource,
    reports: "afterActing",
    observe: (key) => observe(readers, key, clock.now()),
    objectOf: ({ management }) => management,
    // What the garbage collector takes with a deleted owner needs no creating.
    guards: ({ management }, { install }) =>
      install.length > 0 ? [stillThere(clusterManagementAddOnResource, management)] : [],
    plan: (observed) => {
      const { refusals } = reported.of(observed.management);
      const planned = planAddOn(observed, refusals);
      retainRefusals(refusals, planned.install);
      return planned;
    },
    status: (observed, plan, failure) => {
      const { management } = observed;
      if (!isByPlacements(management)) return undefined;
      gauges.show(management, countAddOns(plan));
      return addOnStatus(observed, plan, { refusals: reported.of(management).refusals, failure });
    },
    figures: (_management, { selectedClusters = 0, installedAddOns = 0, availableAddOns = 0 }) => ({
      desired: selectedClusters,
      available: Math.min(selectedClusters, availableAddOns),
      updated: Math.min(selectedClusters, installedAddOns),
      surge: 0,
      paused: false,
      isOutdated: false,
    }),
    emit: ({ management }, plan) => {
      for (const text of actionEvents(reported.of(management), plan)) {
        events.record(management, text);
      }
    },
  };
}

/** Exported for the table of sentences. */
export function actionEvents(
  reported: Reported,
  { kept, doubts }: AddOnPlan,
): readonly EventText[] {
  const { refusals } = reported;
  const { created, deleted, refused } = refusals;
  refusals.created = [];
  refusals.deleted = [];
  const texts: EventText[] = [];
  const add = (type: EventText["type"], reason: string, message: string): void =>
    void texts.push({ type, reason, message });
  if (created.length > 0)
    add("Normal", "AddOnInstalled", `installed on ${aFew(created.toSorted())}`);
  if (deleted.length > 0) {
    const clusters = aFew(deleted.toSorted());
    add("Normal", "AddOnRemoved", `removed from ${clusters}: no Placement selects it any more`);
  }
  const clusters = aFew([...refused.keys()].toSorted());
  if (refused.size > 0 && reported.refused !== clusters) {
    const [cause] = refused.values();
    const message = `cannot install on ${clusters}, trying again: ${cause?.message}`;
    add("Warning", "AddOnRefused", message);
  }
  reported.refused = refused.size > 0 ? clusters : "";
  const doubt = kept.length > 0 ? doubts.join("; ") : "";
  if (doubt !== "" && doubt !== reported.doubts) {
    const named = aFew(kept.map(({ metadata }) => metadata.namespace ?? "").toSorted());
    add("Warning", "SelectionUnsure", `keeping the add-on of ${named}: ${doubt}`);
  }
  reported.doubts = doubt;
  return texts;
}
