/** Names, labels and volumes that make a pod the n-th of its set, and how to repair them. */
import type { PodTemplate, StatefulSet } from "../../api/apps.ts";
import { statefulSetResource } from "../../api/apps.ts";
import type { Pod, Volume } from "../../api/pod.ts";
import { podIndexLabel, podNameLabel } from "../../api/pod.ts";
import { annotationKeys, labelKeys } from "../../api/rbg/labels.ts";
import { controllerReferenceTo } from "../engine/ownership.ts";

export const revisionLabel = "controller-revision-hash";

export const podName = (setName: string, ordinal: number): string => `${setName}-${ordinal}`;

export const claimName = (template: string, setName: string, ordinal: number): string =>
  `${template}-${setName}-${ordinal}`;

/** What Kubernetes reads from a name. */
export const highestOrdinal = 2 ** 31 - 1;

/** `web-12` -> web and 12; undefined where the name cannot be a set's pod. */
export function parsePodName(name: string): { parent: string; ordinal: number } | undefined {
  const match = /^(.*)-([0-9]+)$/.exec(name);
  const [, parent, digits] = match ?? [];
  if (parent === undefined || digits === undefined) return undefined;
  const ordinal = Number(digits);
  return ordinal > highestOrdinal ? undefined : { parent, ordinal };
}

/** The pod of one ordinal, made from the template that a revision recorded. */
export function buildPod(
  set: StatefulSet,
  template: PodTemplate,
  revision: string,
  ordinal: number,
): Pod {
  const setName = set.metadata.name ?? "";
  const name = podName(setName, ordinal);
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      generateName: `${setName}-`,
      namespace: set.metadata.namespace,
      labels: {
        ...labels,
        ...pairingLabel(set, labels),
        ...identityLabels(name, ordinal),
        [revisionLabel]: revision,
      },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [controllerReferenceTo(statefulSetResource, set)],
    },
    spec: {
      containers: [],
      ...template.spec,
      hostname: name,
      ...(set.spec.serviceName === undefined ? {} : { subdomain: set.spec.serviceName }),
      ...volumesField(set, template.spec?.volumes, ordinal),
    },
  };
}

/** Roles are paired by a label that no template can have: pods would restart where only its value changes. */
function pairingLabel(
  { metadata }: StatefulSet,
  labels: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [ofRole, value] = metadata.annotations?.[annotationKeys.podRevision]?.split(" ") ?? [];
  const isMeant = value !== undefined && labels[labelKeys.roleRevision] === ofRole;
  return isMeant ? { [labelKeys.revision]: value } : {};
}

function identityLabels(name: string, ordinal: number): Record<string, string> {
  return { [podNameLabel]: name, [podIndexLabel]: String(ordinal) };
}

function volumesField(
  set: StatefulSet,
  volumes: readonly Volume[] | undefined,
  ordinal: number,
): { volumes?: Volume[] } {
  const claims = claimVolumes(set, ordinal);
  if (claims.length === 0) return volumes === undefined ? {} : { volumes: [...volumes] };
  const claimed = new Set(claims.map(({ name }) => name));
  return { volumes: [...claims, ...(volumes ?? []).filter(({ name }) => !claimed.has(name))] };
}

function claimVolumes(set: StatefulSet, ordinal: number): Volume[] {
  return (set.spec.volumeClaimTemplates ?? [])
    .map((template) => template.metadata.name ?? "")
    .map((name) => ({
      name,
      persistentVolumeClaim: { claimName: claimName(name, set.metadata.name ?? "", ordinal) },
    }));
}

/** The labels to set on a pod again, or undefined where they are right. Volumes of a pod cannot be changed. */
export function repairedLabels(pod: Pod, ordinal: number): Record<string, string> | undefined {
  const { labels = {}, name = "" } = pod.metadata;
  // Pods of old versions carry no index label; only a wrong or lost name says that somebody meddled.
  return labels[podNameLabel] === name ? undefined : identityLabels(name, ordinal);
}
