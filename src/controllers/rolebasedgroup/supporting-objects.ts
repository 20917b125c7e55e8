/** Services and the discovery file: what the roles of a group find each other by. Pure. */
import { stringify } from "yaml";
import type { ConfigMap } from "../../api/config-map.ts";
import { configMapResource } from "../../api/config-map.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import { discovery, labelKeys } from "../../api/rbg/labels.ts";
import { discoveryName, podAddress, serviceName } from "../../api/rbg/names.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { includesJson, isSameJson } from "../../api/same-json.ts";
import { serviceResource } from "../../api/service.ts";
import { controllerReferenceTo } from "../engine/ownership.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import type { Write } from "../engine/write.ts";
import { createOf, deletesOf, ensureSpec, patchOf } from "../engine/write.ts";
import { podGroupNote } from "./pod-group.ts";
import { selectorOf } from "./pod-template.ts";

interface Existing {
  readonly services: readonly KubeObject[];
  readonly configMap: ConfigMap | undefined;
}

export function supportingWrites(
  group: RoleBasedGroup,
  roles: readonly DefaultedRole[],
  { services, configMap }: Existing,
): readonly Write[] {
  const wanted = roles.filter(hasAddresses).map((role) => buildService(group, role.name));
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const obsolete = services.filter(({ metadata }) => !names.has(metadata.name));
  return [
    ...wanted.flatMap((service) => ensureSpec(serviceResource, services, service)),
    ...deletesOf(serviceResource, obsolete),
    ...ensureDiscovery(configMap, buildDiscovery(group, roles, configMap)),
  ];
}

/** Pods of a Deployment come and go under names that nobody knows before. */
const hasAddresses = ({ workload }: DefaultedRole): boolean =>
  workload.kind === "StatefulSet" || workload.kind === "Pod";

function metadataOf(group: RoleBasedGroup, name: string): KubeObject["metadata"] {
  return {
    name,
    namespace: group.metadata.namespace,
    labels: { [labelKeys.groupName]: group.metadata.name ?? "" },
    ownerReferences: [controllerReferenceTo(roleBasedGroupResource, group)],
  };
}

function buildService(group: RoleBasedGroup, role: string): KubeObject {
  const metadata = metadataOf(group, serviceName(group.metadata.name ?? "", role));
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, labels: { ...metadata.labels, [labelKeys.roleName]: role } },
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: selectorOf(group, role),
    },
  };
}

/** A line for every pod: to write it anew in every reconcile cost more than all decisions about them. */
const discoveryText = memoizeByIdentity((roles: readonly DefaultedRole[], name: string): string =>
  stringify({
    group: { name, size: roles.length, roles: roles.map((role) => role.name) },
    roles: Object.fromEntries(
      roles.map((role) => [
        role.name,
        { size: role.replicas, instances: hasAddresses(role) ? instancesOf(name, role) : [] },
      ]),
    ),
  }),
);

function buildDiscovery(
  group: RoleBasedGroup,
  roles: readonly DefaultedRole[],
  existing: ConfigMap | undefined,
): ConfigMap {
  const name = group.metadata.name ?? "";
  const annotations = podGroupNote(group.spec.podGroupPolicy, existing);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      ...metadataOf(group, discoveryName(name)),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    data: { [discovery.file]: discoveryText(roles, name) },
  };
}

const instancesOf = (group: string, { name, replicas, servicePorts }: DefaultedRole) =>
  Array.from({ length: replicas }, (_, ordinal) => ({
    address: podAddress(group, name, ordinal),
    ...(servicePorts.length === 0
      ? {}
      : { ports: Object.fromEntries(servicePorts.map((port) => [portName(port), port.port])) }),
  }));

/** As programs look it up: `http-metrics` is `http_metrics`, a port without a name `port8000`. */
const portName = ({ name, port }: DefaultedRole["servicePorts"][number]): string =>
  (name ?? `port${port}`).toLowerCase().replaceAll("-", "_");

function ensureDiscovery(existing: ConfigMap | undefined, wanted: ConfigMap): readonly Write[] {
  if (existing === undefined) return [createOf(configMapResource, wanted)];
  const { annotations = {} } = wanted.metadata;
  const isSame =
    isSameJson(existing.data, wanted.data) &&
    includesJson(existing.metadata.annotations ?? {}, annotations);
  if (isTerminating(existing) || isSame) return [];
  const body = { data: wanted.data, metadata: { annotations } };
  const patch = { type: "merge", body } as const;
  return [patchOf(configMapResource, existing, { patch })];
}
