/** What makes a pod the k-th of its clique: hostname, labels, environment variables, gate. */
import { labelKeys, managedLabels, podGangGate, variables } from "../../../api/grove/labels.ts";
import {
  headlessServiceAddress,
  headlessServiceName,
  podHostname,
  podIndexOf,
} from "../../../api/grove/names.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { podCliqueResource } from "../../../api/grove/podclique.ts";
import { isRolling } from "../../../api/grove/update-strategy.ts";
import type { Pod } from "../../../api/pod.ts";
import { controllerReferenceTo } from "../../engine/ownership.ts";
import type { Variable } from "../../engine/pod-variables.ts";
import { withVariables } from "../../engine/pod-variables.ts";
import { numberLabel } from "../set-members.ts";
import type { CliqueTemplate } from "./templates.ts";

export const setNameOf = ({ metadata }: PodClique): string =>
  metadata.labels?.[labelKeys.partOf] ?? "";

export const setReplicaOf = (clique: PodClique): number =>
  numberLabel(clique, labelKeys.setReplicaIndex) ?? 0;

/** Members of a scaling group are replaced together with their replica, never one by one. */
export const isMember = ({ metadata }: PodClique): boolean =>
  metadata.labels?.[labelKeys.scalingGroup] !== undefined;

export const isOnDelete = ({ spec }: PodClique): boolean =>
  spec.updateStrategy?.type === "OnDelete";

/** Whether the clique replaces its outdated pods itself; otherwise its owner replaces the clique. */
export const rollsItself = (clique: PodClique): boolean =>
  !isMember(clique) && isRolling(clique.spec.updateStrategy?.type);

export const isGated = ({ spec }: Pod): boolean =>
  (spec.schedulingGates ?? []).some(({ name }) => name === podGangGate);

/** From the hostname; from the label where the hostname is not one of ours. */
export function indexOf(clique: string, { metadata, spec }: Pod): number | undefined {
  const label = metadata.labels?.[labelKeys.podIndex];
  return (
    podIndexOf(clique, spec.hostname ?? "") ?? podIndexOf(clique, podHostnameOf(clique, label))
  );
}

const podHostnameOf = (clique: string, label: string | undefined): string => `${clique}-${label}`;

interface PodDraft {
  readonly clique: PodClique;
  readonly template: CliqueTemplate;
  readonly index: number;
  /** Whether it is held back from the scheduler until its gate is opened. */
  readonly isGated: boolean;
}

/**
 * A pod has its hostname as its name, in every incarnation of its clique. So the server itself refuses a second one,
 * however late a creation arrives.
 */
export function buildPod({ clique, template, index, isGated: hasGate }: PodDraft): Pod {
  const { name: cliqueName = "", namespace } = clique.metadata;
  const { annotations, podSpec } = template;
  const hostname = podHostname(cliqueName, index);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: hostname,
      generateName: `${cliqueName}-`,
      namespace,
      labels: {
        ...template.labels,
        ...managedLabels(setNameOf(clique)),
        [labelKeys.podClique]: cliqueName,
        [labelKeys.podIndex]: String(index),
        [labelKeys.podTemplateHash]: template.revision,
      },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReferenceTo(podCliqueResource, clique)],
    },
    spec: {
      ...withVariables(podSpec, variablesOf(clique)),
      hostname,
      subdomain: headlessServiceName(setNameOf(clique), setReplicaOf(clique)),
      schedulingGates: hasGate ? [{ name: podGangGate }] : [],
    },
  };
}

function variablesOf(clique: PodClique): readonly Variable[] {
  const [set, replica] = [setNameOf(clique), setReplicaOf(clique)];
  const { name = "", namespace = "" } = clique.metadata;
  return [
    { name: variables.podCliqueSetName, value: set },
    { name: variables.podCliqueSetIndex, value: String(replica) },
    { name: variables.podCliqueName, value: name },
    { name: variables.headlessService, value: headlessServiceAddress(set, replica, namespace) },
    {
      name: variables.podIndex,
      valueFrom: { fieldRef: { fieldPath: `metadata.labels['${labelKeys.podIndex}']` } },
    },
  ];
}
