/** A pod of a role that Lockstep runs itself: named, labelled and addressed like a pod of a StatefulSet. Pure. */
import type { PodTemplate } from "../../api/apps.ts";
import type { Pod } from "../../api/pod.ts";
import { podIndexLabel, podNameLabel } from "../../api/pod.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import { serviceName, workloadName } from "../../api/rbg/names.ts";
import { roleBasedGroupResource } from "../../api/rbg/rolebasedgroup.ts";
import { controllerReferenceTo } from "../engine/ownership.ts";
import type { BatchPlace } from "./batch-placement.ts";
import { placedInBatch } from "./batch-placement.ts";
import type { RolePlace } from "./role-workload.ts";

interface PodParts {
  readonly ordinal: number;
  readonly template: PodTemplate;
  /** The value that routers pair it by; a pod of an earlier revision is given its own later. */
  readonly pairedBy?: string;
  /** Where the pod has to be with others. */
  readonly batch?: BatchPlace;
}

export function buildRolePod({ group, role }: RolePlace, { ordinal, ...parts }: PodParts): Pod {
  const { name: groupName = "", namespace } = group.metadata;
  const name = `${workloadName(groupName, role.name)}-${ordinal}`;
  const { batch, pairedBy } = parts;
  const { metadata, spec } =
    batch === undefined ? parts.template : placedInBatch(parts.template, batch);
  const { labels, annotations } = metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels: {
        ...labels,
        [podNameLabel]: name,
        [podIndexLabel]: String(ordinal),
        ...(pairedBy === undefined ? {} : { [labelKeys.revision]: pairedBy }),
      },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReferenceTo(roleBasedGroupResource, group)],
    },
    spec: {
      containers: [],
      ...spec,
      hostname: name,
      subdomain: serviceName(groupName, role.name),
    },
  };
}
