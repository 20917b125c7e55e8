/** Keeps what surrounds the replicas in step with them: services, autoscalers, gangs. Pure. */
import { autoscalerResource } from "../../../api/autoscaler.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import type { KubeObject } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import { includesJson, isSameJson } from "../../../api/same-json.ts";
import { serviceResource } from "../../../api/service.ts";
import type { Write } from "../../engine/write.ts";
import { createOf, deletesOf, ensureSpec, updateOf } from "../../engine/write.ts";
import { isUnderWay } from "../update-condition.ts";
import type { SetRevision } from "../set-revisions.ts";
import { revisionAnnotation } from "../set-revisions.ts";
import { buildGangs, surgeGangNames, withReferencesOf } from "./gangs.ts";
import type { Observed } from "./observe.ts";
import { objectsOf } from "./observe.ts";
import type { ReplicaPlan } from "./plan.ts";
import type { ReplicaObjects } from "./replica-objects.ts";
import type { GroupState } from "./replica-state.ts";
import { hasOtherTarget } from "./replica-state.ts";
import { buildAutoscalers, buildService } from "./supporting-objects.ts";

/** Gangs come before the pods that wait for them. */
export function supportingWrites(
  observed: Observed,
  target: SetRevision,
  { index, replica }: Pick<ReplicaPlan, "index" | "replica">,
): readonly Write[] {
  const existing = objectsOf(observed, index);
  const autoscalers = buildAutoscalers(observed, index);
  const gangs = buildGangs(observed, index, replica?.groups ?? []);
  const updated = (replica?.groups ?? []).filter((group) => isUpdating(group, target));
  return [
    ...ensureSpec(serviceResource, existing.services, buildService(observed, index)),
    ...autoscalers.flatMap((wanted) =>
      ensureSpec(autoscalerResource, existing.autoscalers, wanted),
    ),
    ...gangs.flatMap((wanted) => ensureGang(existing.gangs, wanted)),
    ...deletesOf(podGangResource, surplusGangs(existing.gangs, gangs, updated)),
    ...deletesOf(autoscalerResource, surplus(existing.autoscalers, autoscalers)),
  ];
}

const surplus = (
  objects: readonly KubeObject[],
  wanted: readonly KubeObject[],
): readonly KubeObject[] =>
  objects.filter(({ metadata }) => !wanted.some((each) => each.metadata.name === metadata.name));

/**
 * A group that is being updated may create its surge again at any moment, and its pods trust a gang that is only seen:
 * the gangs of surge stay to the end of the update.
 */
function surplusGangs(
  existing: readonly PodGang[],
  wanted: readonly PodGang[],
  updated: readonly GroupState[],
): readonly KubeObject[] {
  const kept = new Set(updated.flatMap(surgeGangNames));
  return surplus(existing, wanted).filter(({ metadata }) => !kept.has(metadata.name ?? ""));
}

const isUpdating = ({ object }: GroupState, target: SetRevision): boolean =>
  isUnderWay(object?.status?.updateProgress) ||
  hasOtherTarget(object, target) ||
  object?.metadata.annotations?.[revisionAnnotation] !== object?.status?.observedRevision;

function ensureGang(existing: readonly PodGang[], wanted: PodGang): readonly Write[] {
  const object = existing.find(({ metadata }) => metadata.name === wanted.metadata.name);
  if (object === undefined) return [createOf(podGangResource, wanted)];
  if (isTerminating(object)) return [];
  const next = withReferencesOf(wanted, object);
  const { labels, annotations } = next.metadata;
  const isSame =
    includesJson(object.metadata.labels ?? {}, labels) &&
    includesJson(object.metadata.annotations ?? {}, annotations) &&
    includesJson(object.spec, next.spec) &&
    isSameJson(constraintsOf(object.spec), constraintsOf(next.spec));
  if (isSame) return [];
  const metadata = { ...object.metadata, labels, annotations };
  return [updateOf(podGangResource, { ...object, metadata, spec: next.spec })];
}

/** Constraints can also vanish, with the binding that gave them a meaning. */
const constraintsOf = (spec: PodGang["spec"]): unknown => [
  spec.topologyConstraint ?? null,
  spec.topologyConstraintGroupConfigs ?? [],
  spec.podgroups.map(({ topologyConstraint }) => topologyConstraint ?? null),
];

/** Services, autoscalers and gangs of a replica that is no more. */
export const supportingDeletes = ({
  services,
  autoscalers,
  gangs,
}: ReplicaObjects): readonly Write[] => [
  ...deletesOf(serviceResource, services),
  ...deletesOf(autoscalerResource, autoscalers),
  ...deletesOf(podGangResource, gangs),
];
