/** Keeps what surrounds the replicas in step with them: services, autoscalers, gangs. */
import { autoscalerResource } from "../../../api/autoscaler.ts";
import type { PodGang } from "../../../api/grove/podgang.ts";
import { podGangResource } from "../../../api/grove/podgang.ts";
import type { KubeObject } from "../../../api/object.ts";
import { isTerminating } from "../../../api/object.ts";
import type { Resource } from "../../../api/resource.ts";
import { isSameJson } from "../../../api/same-json.ts";
import { serviceResource } from "../../../api/service.ts";
import type { Client } from "../../../runtime/client.ts";
import { createChild, includes } from "../../engine/child-writes.ts";
import type { ActOptions } from "./delete-one.ts";
import { deleteOne } from "./delete-one.ts";
import { buildGangs, withReferencesOf } from "./gangs.ts";
import type { Observed } from "./observe.ts";
import { objectsOf } from "./observe.ts";
import type { ReplicaPlan } from "./plan.ts";
import { buildAutoscalers, buildService } from "./supporting-objects.ts";

/** Gangs come before the pods that wait for them. */
export async function supportReplica(
  options: ActOptions,
  observed: Observed,
  { index, replica }: ReplicaPlan,
): Promise<void> {
  const { client } = options;
  const existing = objectsOf(observed, index);
  await ensure(client, serviceResource, existing.services, buildService(observed, index));
  const autoscalers = buildAutoscalers(observed, index);
  for (const wanted of autoscalers) {
    await ensure(client, autoscalerResource, existing.autoscalers, wanted);
  }
  const gangs = buildGangs(observed, index, replica?.groups ?? []);
  for (const wanted of gangs) await ensureGang(client, existing.gangs, wanted);
  const extra = (objects: readonly KubeObject[], wanted: readonly KubeObject[]): KubeObject[] =>
    objects.filter(
      ({ metadata }) => !wanted.some(({ metadata: other }) => other.name === metadata.name),
    );
  for (const gang of extra(existing.gangs, gangs)) {
    await deleteOne(options, podGangResource, gang);
  }
  for (const autoscaler of extra(existing.autoscalers, autoscalers)) {
    await deleteOne(options, autoscalerResource, autoscaler);
  }
}

async function ensure(
  client: Client,
  resource: Resource,
  existing: readonly KubeObject[],
  wanted: KubeObject,
): Promise<void> {
  const object = existing.find(({ metadata }) => metadata.name === wanted.metadata.name);
  if (object === undefined) {
    await createChild(client, resource, wanted);
    return;
  }
  if (isTerminating(object) || includes(object["spec"], wanted["spec"])) return;
  const { namespace, name = "" } = object.metadata;
  const body = { spec: wanted["spec"] };
  await client.patch(resource, { namespace, name }, { type: "merge", body });
}

async function ensureGang(
  client: Client,
  existing: readonly PodGang[],
  wanted: PodGang,
): Promise<void> {
  const object = existing.find(({ metadata }) => metadata.name === wanted.metadata.name);
  if (object === undefined) {
    await createChild(client, podGangResource, wanted);
    return;
  }
  if (isTerminating(object)) return;
  const next = withReferencesOf(wanted, object);
  const { labels, annotations } = next.metadata;
  const isSame =
    includes(object.metadata.labels ?? {}, labels) &&
    includes(object.metadata.annotations ?? {}, annotations) &&
    includes(object.spec, next.spec) &&
    isSameJson(constraintsOf(object.spec), constraintsOf(next.spec));
  if (isSame) return;
  const metadata = { ...object.metadata, labels, annotations };
  await client.update(podGangResource, { ...object, metadata, spec: next.spec });
}

/** Constraints can also vanish, with the binding that gave them a meaning. */
const constraintsOf = (spec: PodGang["spec"]): unknown => [
  spec.topologyConstraint ?? null,
  spec.topologyConstraintGroupConfigs ?? [],
  spec.podgroups.map(({ topologyConstraint }) => topologyConstraint ?? null),
];

/** Services, autoscalers and gangs of replicas that are no more. */
export async function removeLeftOver(
  options: ActOptions,
  { replicas }: Observed,
  kept: ReadonlySet<number>,
): Promise<void> {
  const gone = [...replicas].filter(([index]) => !kept.has(index)).map(([, objects]) => objects);
  for (const { services, autoscalers, gangs } of gone) {
    const kinds: readonly [Resource, readonly KubeObject[]][] = [
      [serviceResource, services],
      [autoscalerResource, autoscalers],
      [podGangResource, gangs],
    ];
    for (const [resource, objects] of kinds) {
      for (const object of objects) await deleteOne(options, resource, object);
    }
  }
}
