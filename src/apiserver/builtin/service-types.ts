/** The parts of a Service that its rules use. */
import type { KubeObject } from "../../api/object.ts";

export interface ServicePort {
  name?: string;
  port: number;
  protocol?: string;
  targetPort?: number | string;
  nodePort?: number;
  appProtocol?: string;
}

export interface ServiceSpec {
  type?: string;
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  externalName?: string;
  externalIPs?: string[];
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerSourceRanges?: string[];
  loadBalancerClass?: string;
}

export interface Service extends KubeObject {
  spec: ServiceSpec;
}

/** Headless: its name resolves to the pods' own addresses. */
export function isHeadless({ clusterIP, clusterIPs }: ServiceSpec): boolean {
  return clusterIP === "None" || (clusterIPs?.length === 1 && clusterIPs[0] === "None");
}

export function needsClusterIp(spec: ServiceSpec): boolean {
  return spec.type !== "ExternalName" && !isHeadless(spec);
}

export function needsNodePorts(spec: ServiceSpec): boolean {
  if (spec.type === "NodePort") return true;
  return spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false;
}

export function isReachedFromOutside({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === "NodePort" || type === "LoadBalancer" || externalIPs.length > 0;
}
