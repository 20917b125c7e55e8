/** Value rules of Services. */
import { isIP } from "node:net";
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../api/dns-name.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import { qualifiedNameProblems, validateLabels } from "../../api/label-syntax.ts";
import { portProblems, portNameProblems } from "../../api/value-format.ts";
import { validateAddress } from "./pod-network-validation.ts";
import {
  isHeadless,
  isReachedFromOutside,
  type ServicePort,
  type ServiceSpec,
} from "./service-types.ts";
import { repeatedKeys } from "./repeated.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const protocols = ["SCTP", "TCP", "UDP"];
const affinities = ["ClientIP", "None"];
const trafficPolicies = ["Cluster", "Local"];
const maxAffinitySeconds = 86_400;

export function validateService(spec: ServiceSpec): FieldError[] {
  const ports = spec.ports ?? [];
  const needsPorts = !isHeadless(spec) && spec.type !== "ExternalName";
  return [
    ...(ports.length === 0 && needsPorts ? [required("spec.ports")] : []),
    ...validateType(spec),
    ...validatePorts(ports),
    ...validateLabels(spec.selector, "spec.selector"),
    ...validateAffinity(spec),
    ...validateClusterIps(spec),
    ...(spec.externalIPs ?? []).flatMap((address, index) =>
      validateAddress(address, `spec.externalIPs[${index}]`),
    ),
    ...(types.includes(spec.type ?? "") ? [] : [notSupported("spec.type", spec.type ?? "", types)]),
    ...validateNodePorts(spec),
    ...validateUniquePorts(ports),
    ...validateLoadBalancer(spec),
    ...validateTraffic(spec),
  ];
}

export function validateServiceChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === "ExternalName" || old.type === "ExternalName") return [];
  if (isHeadless(spec) && isHeadless(old)) return [];
  const before = old.clusterIPs ?? [];
  const now = spec.clusterIPs ?? [];
  const path = "spec.clusterIPs[0]";
  if (before.length === 0) return [];
  if (now.length === 0) return [invalid(path, now, "primary clusterIP can not be unset")];
  return before[0] === now[0] ? [] : [invalid(path, now, "may not change once set")];
}

function validateType(spec: ServiceSpec): FieldError[] {
  const { type = "" } = spec;
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    const detail = `may not be set to 'None' for ${type} services`;
    return [invalid("spec.clusterIPs[0]", "None", detail)];
  }
  if (type !== "ExternalName") return [];
  const detail = "may not be set for ExternalName services";
  const errors: FieldError[] = [];
  if ((spec.clusterIPs ?? []).length > 0) errors.push(forbidden("spec.clusterIPs", detail));
  if ((spec.ipFamilies ?? []).length > 0) errors.push(forbidden("spec.ipFamilies", detail));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbidden("spec.ipFamilyPolicy", detail));
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  if (name === "") return [...errors, required("spec.externalName")];
  const problems = dns1123SubdomainProblems(name);
  return [...errors, ...problems.map((problem) => invalid("spec.externalName", name, problem))];
}

function validatePorts(ports: readonly ServicePort[]): FieldError[] {
  const isRepeated = repeatedKeys();
  return ports.flatMap((port, index) => {
    const path = `spec.ports[${index}]`;
    const name = port.name ?? "";
    const errors: FieldError[] = [];
    if (name === "" && ports.length > 1) errors.push(required(`${path}.name`));
    if (name !== "") {
      for (const problem of dns1123LabelProblems(name)) {
        errors.push(invalid(`${path}.name`, name, problem));
      }
      if (isRepeated(name)) errors.push(duplicate(`${path}.name`, name));
    }
    return [...errors, ...validatePortValues(port, path)];
  });
}

function validatePortValues(port: ServicePort, path: string): FieldError[] {
  const { protocol = "", targetPort = 0, appProtocol } = port;
  const target =
    typeof targetPort === "number" ? portProblems(targetPort) : portNameProblems(targetPort);
  return [
    ...portProblems(port.port).map((problem) => invalid(`${path}.port`, port.port, problem)),
    ...(protocols.includes(protocol)
      ? []
      : [notSupported(`${path}.protocol`, protocol, protocols)]),
    ...target.map((problem) => invalid(`${path}.targetPort`, targetPort, problem)),
    ...(appProtocol === undefined ? [] : qualifiedNameProblems(appProtocol)).map((problem) =>
      invalid(`${path}.appProtocol`, appProtocol, problem),
    ),
  ];
}

function validateAffinity(spec: ServiceSpec): FieldError[] {
  const affinity = spec.sessionAffinity ?? "";
  if (!affinities.includes(affinity)) {
    return [notSupported("spec.sessionAffinity", affinity, affinities)];
  }
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (affinity !== "ClientIP" || seconds === undefined) return [];
  if (seconds > 0 && seconds <= maxAffinitySeconds) return [];
  const path = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  const detail = `must be greater than 0 and less than ${maxAffinitySeconds}`;
  return [invalid(path, seconds, detail)];
}

function validateClusterIps(spec: ServiceSpec): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const path = "spec.clusterIPs";
  const { clusterIP = "", clusterIPs = [] } = spec;
  const errors: FieldError[] = [];
  if (clusterIP !== "" && clusterIPs[0] !== clusterIP) {
    errors.push(
      clusterIPs.length === 0
        ? required(path)
        : invalid(path, clusterIPs, "first value must match `clusterIP`"),
    );
  }
  if (clusterIP === "" && clusterIPs.length > 0) {
    errors.push(invalid(path, clusterIPs, "must be empty when `clusterIP` is not specified"));
  }
  if (clusterIPs.includes("None") && clusterIPs.length > 1) {
    errors.push(invalid(path, clusterIPs, "'None' must be the first and only value"));
  }
  clusterIPs.forEach((address, index) => {
    if (address === "None" && index === 0) return;
    errors.push(...validateAddress(address, `${path}[${index}]`));
  });
  const families = new Set(clusterIPs.map(isIP));
  if (errors.length === 0 && clusterIPs.length > families.size) {
    const detail = "may specify no more than one IP for each IP family";
    errors.push(invalid(path, clusterIPs, detail));
  }
  return errors;
}

function validateNodePorts(spec: ServiceSpec): FieldError[] {
  const isRepeated = repeatedKeys();
  return (spec.ports ?? []).flatMap((port, index) => {
    const nodePort = port.nodePort ?? 0;
    if (nodePort === 0) return [];
    const path = `spec.ports[${index}].nodePort`;
    if (spec.type === "ClusterIP") {
      return [forbidden(path, "may not be used when `type` is 'ClusterIP'")];
    }
    return isRepeated(`${nodePort}/${port.protocol}`) ? [duplicate(path, nodePort)] : [];
  });
}

function validateUniquePorts(ports: readonly ServicePort[]): FieldError[] {
  const isRepeated = repeatedKeys();
  return ports.flatMap((port, index) => {
    if (!isRepeated(`${port.port}/${port.protocol}`)) return [];
    // The server prints its internal form of a port, in which only these two fields are set.
    const shown = {
      Name: "",
      Protocol: port.protocol,
      AppProtocol: null,
      Port: port.port,
      TargetPort: 0,
      NodePort: 0,
    };
    return [duplicate(`spec.ports[${index}]`, shown)];
  });
}

function validateLoadBalancer(spec: ServiceSpec): FieldError[] {
  if (spec.type === "LoadBalancer") return [];
  const detail = "may only be used when `type` is 'LoadBalancer'";
  const errors: FieldError[] = [];
  if ((spec.loadBalancerSourceRanges ?? []).length > 0) {
    errors.push(forbidden("spec.LoadBalancerSourceRanges", detail));
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined) {
    errors.push(forbidden("spec.allocateLoadBalancerNodePorts", detail));
  }
  if (spec.loadBalancerClass !== undefined) {
    errors.push(forbidden("spec.loadBalancerClass", detail));
  }
  return errors;
}

function validateTraffic(spec: ServiceSpec): FieldError[] {
  const path = "spec.externalTrafficPolicy";
  const { externalTrafficPolicy: outside = "", internalTrafficPolicy: inside } = spec;
  const errors: FieldError[] = [];
  if (!isReachedFromOutside(spec) && outside !== "") {
    errors.push(invalid(path, outside, "may only be set for externally-accessible services"));
  }
  if (isReachedFromOutside(spec) && !trafficPolicies.includes(outside)) {
    errors.push(notSupported(path, outside, trafficPolicies));
  }
  if (inside !== undefined && !trafficPolicies.includes(inside)) {
    errors.push(notSupported("spec.internalTrafficPolicy", inside, trafficPolicies));
  }
  return errors;
}
