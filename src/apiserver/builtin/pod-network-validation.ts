/** Value rules of a pod's names and network settings. */
import { isIP } from "node:net";
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  dns1123SubdomainWithUnderscoreProblems,
  type NameCheck,
} from "../../api/dns-name.ts";
import { forbidden, invalid, notSupported, required, tooLong } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import type { DnsConfig, PodSpec } from "./pod-types.ts";

const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const maxNameservers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;
const hostnameMaxBytes = 64;

export function validateAddress(address: string, path: string): FieldError[] {
  if (isIP(address) !== 0) return [];
  return [invalid(path, address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
}

export function validateNames(spec: PodSpec, path: string): FieldError[] {
  const checks: readonly (readonly [string, string | undefined, NameCheck])[] = [
    ["serviceAccountName", spec.serviceAccountName, dns1123SubdomainProblems],
    ["nodeName", spec.nodeName, dns1123SubdomainProblems],
    ["hostname", spec.hostname, dns1123LabelProblems],
    ["subdomain", spec.subdomain, dns1123LabelProblems],
    ["priorityClassName", spec.priorityClassName, dns1123SubdomainProblems],
    ["runtimeClassName", spec.runtimeClassName, dns1123SubdomainProblems],
  ];
  return checks.flatMap(([field, name = "", check]) =>
    name === "" ? [] : check(name).map((problem) => invalid(`${path}.${field}`, name, problem)),
  );
}

export function validateHostNetwork(spec: PodSpec, path: string, isPod: boolean): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return (spec.containers ?? []).flatMap((container, index) =>
    (container.ports ?? []).flatMap((port, portIndex) => {
      const hostPort = port.hostPort ?? 0;
      if (hostPort === port.containerPort || (!isPod && hostPort === 0)) return [];
      const at = `${path}.containers[${index}].ports[${portIndex}].hostPort`;
      return [invalid(at, hostPort, "must match `containerPort` when `hostNetwork` is true")];
    }),
  );
}

export function validateDnsPolicy(policy = "", path: string): FieldError[] {
  return dnsPolicies.includes(policy) ? [] : [notSupported(path, policy, dnsPolicies)];
}

export function validateHostAliases(spec: PodSpec, path: string): FieldError[] {
  return (spec.hostAliases ?? []).flatMap((alias, index) => [
    ...validateAddress(alias.ip, `${path}[${index}].ip`),
    ...(alias.hostnames ?? []).flatMap((hostname, nameIndex) =>
      dns1123SubdomainProblems(hostname).map((problem) =>
        invalid(`${path}[${index}].hostnames[${nameIndex}]`, hostname, problem),
      ),
    ),
  ]);
}

export function validateHostnameOverride(spec: PodSpec, path: string): FieldError[] {
  const override = spec.hostnameOverride;
  if (override === undefined) return [];
  const errors: FieldError[] = [];
  if (spec.setHostnameAsFQDN === true) {
    errors.push(forbidden(path, "may not be specified when setHostnameAsFQDN is true"));
  }
  if (spec.hostNetwork === true) {
    errors.push(forbidden(path, "may not be specified when hostNetwork is true"));
  }
  if (override.length > hostnameMaxBytes) errors.push(tooLong(path, hostnameMaxBytes));
  const problems = dns1123SubdomainProblems(override);
  return [...errors, ...problems.map((problem) => invalid(path, override, problem))];
}

export function validateDnsConfig(
  config: DnsConfig | undefined,
  policy: string,
  path: string,
): FieldError[] {
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  if (policy === "None" && config === undefined) {
    return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
  }
  if (policy === "None" && nameservers.length === 0) {
    const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    return [required(`${path}.nameservers`, detail)];
  }
  const errors: FieldError[] = [];
  if (nameservers.length > maxNameservers) {
    const detail = `must not have more than ${maxNameservers} nameservers`;
    errors.push(invalid(`${path}.nameservers`, nameservers, detail));
  }
  nameservers.forEach((server, index) => {
    errors.push(...validateAddress(server, `${path}.nameservers[${index}]`));
  });
  errors.push(...validateSearches(searches, `${path}.searches`));
  options.forEach((option, index) => {
    if ((option.name ?? "") !== "") return;
    errors.push(required(`${path}.options[${index}]`, "must not be empty"));
  });
  return errors;
}

function validateSearches(searches: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > maxSearches) {
    errors.push(invalid(path, searches, `must not have more than ${maxSearches} search paths`));
  }
  if (searches.join(" ").length > maxSearchCharacters) {
    const detail =
      `must not have more than ${maxSearchCharacters} characters ` +
      "(including spaces) in the search list";
    errors.push(invalid(path, searches, detail));
  }
  searches.forEach((search, index) => {
    const name = search === "." ? "a" : search.replace(/\.$/, "");
    for (const problem of dns1123SubdomainWithUnderscoreProblems(name)) {
      errors.push(invalid(`${path}[${index}]`, name, problem));
    }
  });
  return errors;
}
