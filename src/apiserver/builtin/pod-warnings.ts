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
const deprecationOf = (key: string): string | undefined =>
  Object.hasOwn(deprecatedLabels, key) ? deprecatedLabels[key] : undefined;
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
      const hint = deprecationOf(key);
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
  const places = new Map<Container, string>();
  for (const list of ["containers", "initContainers", "ephemeralContainers"] as const) {
    spec[list]?.forEach((item, index) => places.set(item, `${path}.${list}[${index}]`));
  }
  return allContainers(spec).map((item) => ({ path: places.get(item) ?? path, item }));
}

function spreadWarnings(spec: PodSpec, path: string): string[] {
  return (spec.topologySpreadConstraints ?? []).flatMap((constraint, index) => {
    const at = `${path}.topologySpreadConstraints[${index}]`;
    const { topologyKey: key, labelSelector } = constraint;
    const hint = deprecationOf(key);
    return [
      ...(hint === undefined ? [] : [`${at}.topologyKey: ${key} is ${hint}`]),
      ...(labelSelector === undefined
        ? [`${at}.labelSelector: a null labelSelector results in matching no pod`]
        : []),
    ];
  });
}

function aliasWarnings(spec: PodSpec, path: string): string[] {
  const seen = new Set<string>();
  return (spec.hostAliases ?? []).flatMap(({ ip }, index) => {
    if (seen.has(ip)) return [`${path}.hostAliases[${index}].ip: duplicate ip "${ip}"`];
    seen.add(ip);
    return [];
  });
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

/** Every pair of equal ports gets a warning, and an answer has room for some forty. */
const mostClashes = 100;

function portWarnings(ports: readonly Located<ContainerPort>[]): string[] {
  return [...clashWarnings(ports), ...portNameWarnings(ports)];
}

function clashWarnings(ports: readonly Located<ContainerPort>[]): string[] {
  const warnings: string[] = [];
  const byNumber = new Map<string, Located<ContainerPort>[]>();
  for (const port of ports) {
    const key = `${port.item.containerPort}/${port.item.protocol}`;
    const others = byNumber.get(key) ?? [];
    for (const other of others) {
      if (warnings.length >= mostClashes) return warnings;
      const clash = portClash(port.item, other.item);
      if (clash !== undefined)
        warnings.push(`${port.path}: ${clash} port definition with ${other.path}`);
    }
    byNumber.set(key, [...others.slice(0, mostClashes), port]);
  }
  return warnings;
}

function portNameWarnings(ports: readonly Located<ContainerPort>[]): string[] {
  const firsts = new Map<string, string>();
  return ports.flatMap(({ path, item: { name = "" } }) => {
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, path);
    if (first === undefined || name === "") return [];
    return [
      `${path}: duplicate port name "${name}" with ${first}, ` +
        `services and probes that select ports by name will use ${first}`,
    ];
  });
}

/** For ports of the same number and protocol. */
function portClash(a: ContainerPort, b: ContainerPort): string | undefined {
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
