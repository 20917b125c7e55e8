/** What the PodCliqueSet controller brings to the engine. */
import { clusterTopologyBindingResource } from "../../../api/grove/cluster-topology.ts";
import type { PodCliqueSet, PodCliqueSetStatus } from "../../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../../api/grove/podcliqueset.ts";
import { mostParts } from "../../../api/size-limit.ts";
import { topologyNameOf } from "../../../api/grove/topology.ts";
import { lookUp, stillThere } from "../../engine/live-reads.ts";
import type { Kind, KindTools, Planned } from "../../engine/reconcile.ts";
import { sizeProblem } from "../../engine/size-limits.ts";
import type { LiveRead } from "../../engine/write.ts";
import type { GroveReaders } from "../caches.ts";
import type { ClaimWatch } from "../claim-watch.ts";
import { adoptionOf, nameConflicts } from "../orphans.ts";
import type { Acceptance } from "./accept.ts";
import { acceptanceEvents, assessSpec, rejectedStatus } from "./accept.ts";
import { podCliqueSetEvents, rolledBack } from "./events.ts";
import type { Observed } from "./observe.ts";
import { observe, SetMemory, withAccepted } from "./observe.ts";
import type { Plan } from "./plan.ts";
import { plan } from "./plan.ts";
import { figuresOf, podCliqueSetStatus } from "./status.ts";
import { bindingOf, isReportedMissing } from "./topology-condition.ts";
import { controllerRevisionResource } from "../../../api/apps.ts";
import { labelKeys } from "../../../api/grove/labels.ts";
import { componentName } from "../../../api/grove/names.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import type { Orphan } from "../../engine/ownership.ts";

type SetTools = KindTools<PodCliqueSet, PodCliqueSetStatus>;

/** A set with what is to be said of its spec. */
interface ObservedSet {
  readonly seen: Observed;
  readonly acceptance: Acceptance;
  /** With the spec that is followed; undefined where none can be. */
  readonly inForce: Observed | undefined;
}

interface PlannedSet extends Planned {
  /** Undefined where no spec can be followed. */
  readonly plan: Plan | undefined;
}

type PodCliqueSetKind = Kind<PodCliqueSet, PodCliqueSetStatus, ObservedSet, PlannedSet>;

export function podCliqueSetReconciler(
  readers: GroveReaders,
  tools: SetTools,
  {
    claims,
    gangSchedulers,
  }: { claims: ClaimWatch; gangSchedulers?: readonly string[] | undefined },
): PodCliqueSetKind {
  const memory = tools.memory.perOwner(() => new SetMemory());
  return {
    resource: podCliqueSetResource,
    reports: "beforeActing",
    nameConflicts,
    adoption: adoptionOf(({ inForce }) => (inForce === undefined ? [] : orphansFor(inForce))),
    observe: (key) => {
      const seen = observe(readers, memory, { key, nowMs: tools.clock.now() });
      return seen === undefined ? undefined : assessed(seen);
    },
    objectOf: ({ seen }) => seen.set,
    tooLarge: ({ seen }) => tooLargeNow(seen),
    plan: ({ inForce, acceptance }) => {
      if (inForce === undefined) return { plan: undefined, phases: [] };
      const planned = claims.first(plan(inForce, acceptance));
      return { ...planned, plan: planned };
    },
    guards: ({ inForce }) => (inForce === undefined ? [] : guardsOf(inForce)),
    status: ({ seen, inForce, acceptance }, { plan: planned }) =>
      inForce === undefined || planned === undefined
        ? rejectedStatus(seen, acceptance)
        : podCliqueSetStatus(inForce, planned, { acceptance, gangSchedulers }),
    figures: figuresOf,
    emit: (observed, { plan: planned }, status) => {
      const from = planned?.rollback === undefined ? undefined : planned.target.name;
      const isNews = memory.of(observed.seen.set).isFirstRollback(from);
      emit(tools, observed, { planned, status, isRollbackNews: isNews });
    },
  };
}

/** Its spec is measured at admission; what autoscalers made of its components since, only here. */
function tooLargeNow({ replicas }: Observed): string | undefined {
  for (const { groups, cliques } of replicas.values()) {
    const scaled = groups.find(isTooLarge) ?? cliques.find(isTooLarge);
    if (scaled === undefined) continue;
    const field = `spec.replicas of ${scaled.kind} ${scaled.metadata.name}`;
    return sizeProblem(field, scaled.spec.replicas ?? 1, "replicas");
  }
  return undefined;
}

const isTooLarge = ({ spec }: { readonly spec: { readonly replicas?: number } }): boolean =>
  (spec.replicas ?? 1) > mostParts;

function assessed(seen: Observed): ObservedSet {
  const acceptance = assessSpec(seen);
  return { seen, acceptance, inForce: acceptance.isAccepted ? seen : withAccepted(seen) };
}

function guardsOf(observed: Observed): readonly LiveRead[] {
  const { set, revisions } = observed;
  const isKnown = set.status?.currentGenerationHash !== undefined;
  return [
    // Where every revision of a set is gone it was deleted, and the cache has yet to show it.
    ...(isKnown && revisions.length === 0 ? [stillThere(podCliqueSetResource, set)] : []),
    ...unseenBinding(observed),
  ];
}

/** Gangs that are placed without their constraints stay so: before any is created, the server is asked. */
function unseenBinding(observed: Observed): readonly LiveRead[] {
  const name = topologyNameOf(observed.spec.template);
  if (name === undefined || bindingOf(observed) !== undefined || isReportedMissing(observed)) {
    return [];
  }
  return [
    {
      question: `is there a ClusterTopologyBinding ${name} that the cache does not show`,
      read: async (live) => ({
        isOpen: (await lookUp(live, clusterTopologyBindingResource, { name })) === undefined,
      }),
    },
  ];
}

interface Reported {
  readonly planned: Plan | undefined;
  readonly status: PodCliqueSetStatus | undefined;
  readonly isRollbackNews: boolean;
}

function emit(
  { events, actions }: SetTools,
  { seen, inForce, acceptance }: ObservedSet,
  { planned, status, isRollbackNews }: Reported,
): void {
  for (const event of acceptanceEvents(seen, acceptance)) events.record(seen.set, event);
  if (inForce === undefined || planned === undefined || status === undefined) return;
  const { before, updating, after } = podCliqueSetEvents(inForce, planned, status);
  for (const event of before) events.record(seen.set, event);
  actions.add(seen.set, { updating });
  if (after.some(({ reason }) => reason === "UpdateEnded")) actions.reportNow(seen.set);
  for (const event of after) {
    if (event.reason !== rolledBack || isRollbackNews) events.record(seen.set, event);
  }
}

/** Revisions come last: they record specs that were accepted before the set was there. */
function orphansFor(observed: Observed): readonly Orphan[] {
  const { replicas, orphanedRevisions } = observed;
  const found = [...replicas].flatMap(([index, { orphans }]) =>
    orphans.filter((orphan) => !isForItsGroup(observed, index, orphan)),
  );
  const resource = controllerRevisionResource;
  return [...found, ...orphanedRevisions.map((object) => ({ resource, object }))];
}

/** A member of a group that the template has is adopted by that group. */
function isForItsGroup(
  { name: set, spec }: Observed,
  setReplica: number,
  { resource, object }: Orphan,
): boolean {
  const group = object.metadata.labels?.[labelKeys.scalingGroup];
  if (resource !== podCliqueResource || group === undefined) return false;
  return spec.template.podCliqueScalingGroups.some(
    ({ name }) => componentName({ set, setReplica, component: name }) === group,
  );
}
