/** What is allowed in a pod but probably not meant. */
import type { Container, PodSpec } from "./pod-types.ts";

const deprecatedNodeLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
};

export function podWarnings(spec: PodSpec, old?: PodSpec, path = "spec"): string[] {
  const before = old === undefined ? [] : podWarnings(old, undefined, path);
  const warnings = [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
      const hint = deprecatedNodeLabels[key];
      return hint === undefined ? [] : [`${path}.nodeSelector[${key}]: ${hint}`];
    }),
    ...graceWarnings(spec, path),
    ...(["initContainers", "containers"] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap((container, index) =>
        repeatedNames(container, `${path}.${list}[${index}]`),
      ),
    ),
  ];
  return warnings.filter((warning) => !before.includes(warning));
}

function graceWarnings(spec: PodSpec, path: string): string[] {
  if ((spec.terminationGracePeriodSeconds ?? 0) >= 0) return [];
  return [
    `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
  ];
}

function repeatedNames(container: Container, path: string): string[] {
  const names = (container.env ?? []).map((variable) => variable.name);
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return [];
    return [
      `${path}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`,
    ];
  });
}
