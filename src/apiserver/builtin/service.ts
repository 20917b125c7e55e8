/** The rules of Services. `service-addresses.ts` allocates their addresses. */
import { dns1123LabelProblems } from "../../api/dns-name.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { kindRules } from "./kind-rules.ts";
import {
  isHeadless,
  isReachedFromOutside,
  needsClusterIp,
  type Service,
  type ServiceSpec,
} from "./service-types.ts";
import { validateService, validateServiceChange } from "./service-validation.ts";

export const serviceRules = kindRules<Service>({
  checkName: dns1123LabelProblems,
  createsOnUpdate: true,
  initialStatus: () => ({ loadBalancer: {} }),
  applyDefaults(draft) {
    draft.spec ??= {};
    draft["status"] ??= { loadBalancer: {} };
    defaultSpec(draft.spec);
  },
  prepare(draft, old) {
    if (old !== undefined) keepAddresses(draft.spec, old.spec);
    joinClusterIps(draft.spec, old?.spec);
    defaultFamilies(draft.spec);
    if (draft.spec.type === "ExternalName") dropAddresses(draft.spec);
  },
  validate: ({ spec }) => validateService(spec),
  validateChange: (draft, old) => validateServiceChange(draft.spec, old.spec),
  warnings: ({ spec }) =>
    (spec.externalIPs ?? []).length === 0
      ? []
      : ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"],
});

function defaultSpec(spec: ServiceSpec): void {
  defaultAffinity(spec);
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    port.targetPort ||= port.port;
  }
  if (isReachedFromOutside(spec)) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
}

function defaultAffinity(spec: ServiceSpec): void {
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (spec.sessionAffinity === "ClientIP" && seconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10_800 } };
  }
}

/** A client that omits allocated values does not mean to release them. */
function keepAddresses(spec: ServiceSpec, old: ServiceSpec): void {
  const asksForNone = (spec.clusterIP ?? "") === "" && (spec.clusterIPs ?? []).length === 0;
  if (asksForNone && needsClusterIp(spec) && needsClusterIp(old)) {
    spec.clusterIP = old.clusterIP;
    spec.clusterIPs = old.clusterIPs;
  }
  if (spec.type !== "ExternalName") {
    spec.ipFamilies ??= old.ipFamilies;
    spec.ipFamilyPolicy ??= old.ipFamilyPolicy;
  }
  if (spec.type === "NodePort" || spec.type === "LoadBalancer") keepNodePorts(spec, old);
}

function keepNodePorts({ ports = [] }: ServiceSpec, old: ServiceSpec): void {
  for (const port of ports) {
    const kept = (old.ports ?? []).find(
      (before) => before.port === port.port && before.protocol === port.protocol,
    )?.nodePort;
    const isFree = !ports.some((other) => other.nodePort === kept);
    if ((port.nodePort ?? 0) === 0 && kept !== undefined && isFree) port.nodePort = kept;
  }
}

/** The single address and the first one of the list are two names of the same value. */
function joinClusterIps(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  const single = spec.clusterIP ?? "";
  const list = spec.clusterIPs ?? [];
  if (old === undefined) {
    if (single !== "" && list.length === 0) spec.clusterIPs = [single];
    return;
  }
  const listIsOld = semanticallyEqual(list, old.clusterIPs ?? []);
  if (single === "" && listIsOld) delete spec.clusterIPs;
  else if (single !== (old.clusterIP ?? "") && single !== "" && listIsOld) {
    spec.clusterIPs = [single, ...list.slice(1)];
  }
}

function defaultFamilies(spec: ServiceSpec): void {
  if (spec.type === "ExternalName") return;
  const selectorless = Object.keys(spec.selector ?? {}).length === 0;
  if (isHeadless(spec) && selectorless) {
    // Endpoints written by hand may have addresses of either family.
    spec.ipFamilyPolicy ??= "RequireDualStack";
    spec.ipFamilies ??= spec.ipFamilyPolicy === "SingleStack" ? ["IPv4"] : ["IPv4", "IPv6"];
  }
  spec.ipFamilyPolicy ??= "SingleStack";
  spec.ipFamilies ??= ["IPv4"];
}

function dropAddresses(spec: ServiceSpec): void {
  for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const) {
    const value = spec[field];
    if (value === undefined || value.length === 0) delete spec[field];
  }
}
