/** Warnings about settings of a pod that are allowed but probably not intended. */
import { milliUnits, quantity } from "../../api/quantity.ts";
import { allContainers } from "./pod-defaults.ts";
import type { Container, ContainerPort, PodSpec, ResourceList } from "./pod-types.ts";

const deprecatedLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
};
const wholeBytes = ["memory", "ephemeral-storage"];

interface Located<T> {
  readonly path: string;
  readonly item: T;
}

export function podWarnings(spec: PodSpec, path = "spec"): string[] {
  const containers = locatedContainers(spec, path);
  const ports = containers.flatMap(({ path: at, item }) =>
    (item.ports ?? []).map((port, index) => ({ path: `${at}.ports[${index}]`, item: port })),
  );
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
      const hint = deprecatedLabels[key];
      return hint === undefined ? [] : [`${path}.nodeSelector[${key}]: ${hint}`];
    }),
    ...spreadWarnings(spec, path),
    ...aliasWarnings(spec, path),
    ...(spec.imagePullSecrets ?? []).flatMap(({ name = "" }, index) =>
      name === "" ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...containers.flatMap(({ path: at, item }) => containerWarnings(item, at)),
    ...portWarnings(ports),
    ...graceWarnings(spec, path),
  ];
}

function locatedContainers(spec: PodSpec, path: string): Located<Container>[] {
  const seen = { initContainers: 0, containers: 0, ephemeralContainers: 0 };
  return allContainers(spec).map((item) => {
    const list = listOf(spec, item);
    return { path: `${path}.${list}[${seen[list]++}]`, item };
  });
}

function listOf(
  spec: PodSpec,
  container: Container,
): "initContainers" | "containers" | "ephemeralContainers" {
  if (spec.containers?.includes(container) === true) return "containers";
  return spec.initContainers?.includes(container) === true
    ? "initContainers"
    : "ephemeralContainers";
}

function spreadWarnings(spec: PodSpec, path: string): string[] {
  return (spec.topologySpreadConstraints ?? []).flatMap((constraint, index) => {
    const at = `${path}.topologySpreadConstraints[${index}]`;
    const { topologyKey: key, labelSelector } = constraint;
    const hint = deprecatedLabels[key];
    return [
      ...(hint === undefined ? [] : [`${at}.topologyKey: ${key} is ${hint}`]),
      ...(labelSelector === undefined
        ? [`${at}.labelSelector: a null labelSelector results in matching no pod`]
        : []),
    ];
  });
}

function aliasWarnings(spec: PodSpec, path: string): string[] {
  const addresses = (spec.hostAliases ?? []).map((alias) => alias.ip);
  return addresses.flatMap((ip, index) =>
    addresses.indexOf(ip) < index ? [`${path}.hostAliases[${index}].ip: duplicate ip "${ip}"`] : [],
  );
}

function containerWarnings(container: Container, path: string): string[] {
  const { limits = {}, requests = {} } = container.resources ?? {};
  const lists: Readonly<Record<string, ResourceList>> = { limits, requests };
  const fractions = wholeBytes.flatMap((name) =>
    Object.entries(lists).flatMap(([list, amounts]) => {
      const amount = amounts[name];
      if (amount === undefined || milliUnits(quantity(amount)) % 1000n === 0n) return [];
      return [
        `${path}.resources.${list}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`,
      ];
    }),
  );
  return [...fractions, ...hiddenVariables(container, path)];
}

/** A variable may extend an earlier one of the same name; merely replacing it gets a warning. */
function hiddenVariables({ env = [] }: Container, path: string): string[] {
  const earlier = new Set<string>();
  return env.flatMap(({ name, value = "" }, index) => {
    const isRepeated = earlier.has(name);
    earlier.add(name);
    const reference = `$(${name})`;
    const buildsOnIt = value.includes(reference) && value !== reference;
    if (!isRepeated || buildsOnIt) return [];
    return [
      `${path}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`,
    ];
  });
}

function portWarnings(ports: readonly Located<ContainerPort>[]): string[] {
  const clashes = ports.flatMap(({ path, item: port }, index) =>
    ports.slice(0, index).flatMap((other) => {
      const clash = portClash(port, other.item);
      return clash === undefined ? [] : [`${path}: ${clash} port definition with ${other.path}`];
    }),
  );
  const names = ports.flatMap(({ path, item: { name = "" } }, index) => {
    const first = ports.slice(0, index).find((other) => name !== "" && other.item.name === name);
    if (first === undefined) return [];
    return [
      `${path}: duplicate port name "${name}" with ${first.path}, ` +
        `services and probes that select ports by name will use ${first.path}`,
    ];
  });
  return [...clashes, ...names];
}

function portClash(a: ContainerPort, b: ContainerPort): string | undefined {
  if (a.containerPort !== b.containerPort || a.protocol !== b.protocol) return undefined;
  const [hostA, hostB] = [a.hostPort ?? 0, b.hostPort ?? 0];
  if (hostA === hostB && (a.hostIP ?? "") === (b.hostIP ?? "")) return "duplicate";
  return hostA === 0 || hostB === 0 ? "overlapping" : undefined;
}

function graceWarnings(spec: PodSpec, path: string): string[] {
  if ((spec.terminationGracePeriodSeconds ?? 0) >= 0) return [];
  return [
    `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
  ];
}
