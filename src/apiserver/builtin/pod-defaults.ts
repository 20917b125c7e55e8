/**
 * Defaults of pods and pod templates. They must be exact: revision hashes of workloads are computed
 * from defaulted templates, so one default more or less would roll every set.
 */
import { defaultContainer } from "./container-defaults.ts";
import type { Container, PodSpec, PodTemplate } from "./pod-types.ts";
import {
  defaultResourceList,
  defaultResources,
  requestForWholePod,
  requestLimits,
} from "./resource-defaults.ts";
import { defaultVolume } from "./volume-defaults.ts";

/** The defaults that templates and pods have in common. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.dnsPolicy ||= "ClusterFirst";
  spec.restartPolicy ||= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= "default-scheduler";
  // The older name of the field is kept as a copy of the newer one.
  spec.serviceAccountName ||= spec.serviceAccount;
  if (spec.serviceAccountName === undefined || spec.serviceAccountName === "") {
    delete spec.serviceAccountName;
    delete spec.serviceAccount;
  } else {
    spec.serviceAccount = spec.serviceAccountName;
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of allContainers(spec)) defaultContainer(container);
  defaultResourceList(spec.overhead);
  defaultResources(spec.resources);
}

export function defaultPodTemplate(template: PodTemplate): void {
  template.metadata ??= {};
  template.spec ??= {};
  defaultPodSpec(template.spec);
}

/** The defaults that only pods get, not templates. */
export function defaultPodOnly(spec: PodSpec): void {
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    if (container.resources !== undefined) requestLimits(container.resources);
    if (spec.hostNetwork === true) useHostPorts(container);
  }
  requestForWholePod(spec);
  spec.enableServiceLinks ??= true;
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
}

export function allContainers(spec: PodSpec): Container[] {
  return [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
}

function useHostPorts(container: Container): void {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
}
