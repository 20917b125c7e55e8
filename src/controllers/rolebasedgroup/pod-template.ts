/** The template of a role's pods: what the user wrote, and what every pod of a group is given. Pure. */
import { createHash } from "node:crypto";
import type { PodTemplate } from "../../api/apps.ts";
import type { Container, PodSpec } from "../../api/pod.ts";
import { podIndexLabel } from "../../api/pod.ts";
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import { discovery, labelKeys, roleSelector, variables } from "../../api/rbg/labels.ts";
import { discoveryName } from "../../api/rbg/names.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import { gangMarks } from "./pod-group.ts";
import type { Variable } from "../engine/pod-variables.ts";
import { withVariables } from "../engine/pod-variables.ts";

export const groupKeyOf = memoizeByIdentity(({ metadata }: RoleBasedGroup): string =>
  createHash("sha1").update(`${metadata.namespace}/${metadata.name}`).digest("hex"),
);

/** What finds the pods of a role; it stays the same as long as the group exists. */
export const selectorOf = (group: RoleBasedGroup, role: string): Record<string, string> =>
  roleSelector(group.metadata.name ?? "", groupKeyOf(group), role);

export function podTemplateOf(
  group: RoleBasedGroup,
  role: DefaultedRole,
  revision: string,
): PodTemplate {
  const { metadata, spec = { containers: [] } } = role.template;
  const name = group.metadata.name ?? "";
  const gang = gangMarks(group.spec.podGroupPolicy, name);
  const annotations = { ...metadata?.annotations, ...gang.annotations };
  return {
    metadata: {
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      labels: {
        ...metadata?.labels,
        ...gang.labels,
        ...selectorOf(group, role.name),
        [labelKeys.roleRevision]: revision,
      },
    },
    spec: withDiscovery(withVariables(spec, variablesOf(name, role.name)), discoveryName(name)),
  };
}

/** No sizes: a role that is scaled would change its template. */
function variablesOf(group: string, role: string): readonly Variable[] {
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${podIndexLabel}']` } };
  return [
    ...variables.groupName.map((name) => ({ name, value: group })),
    ...variables.roleName.map((name) => ({ name, value: role })),
    ...variables.roleIndex.map((name) => ({ name, valueFrom })),
  ];
}

function withDiscovery(spec: PodSpec, configMap: string): PodSpec {
  const { volumes = [], containers } = spec;
  if (volumes.some(({ name }) => name === discovery.volume)) return spec;
  const mounted = (container: Container): Container => {
    const { volumeMounts = [] } = container;
    if (volumeMounts.some(({ mountPath }) => mountPath === discovery.mountPath)) return container;
    const mount = { name: discovery.volume, mountPath: discovery.mountPath, readOnly: true };
    return { ...container, volumeMounts: [...volumeMounts, mount] };
  };
  return {
    ...spec,
    containers: containers.map(mounted),
    volumes: [...volumes, { name: discovery.volume, configMap: { name: configMap } }],
  };
}
