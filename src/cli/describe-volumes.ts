/** The volumes of a pod: where each of them comes from. */
import type { Volume } from "../api/pod.ts";

type Source = Readonly<Record<string, unknown>>;

export function describeVolumes(volumes: readonly Volume[] = []): string[] {
  if (volumes.length === 0) return ["Volumes:\t<none>"];
  return [
    "Volumes:",
    ...volumes.flatMap(({ name, ...sources }) => {
      const [type = "", source] = Object.entries(sources)[0] ?? [];
      const lines = describers[type]?.(source as Source) ?? [`Type:\t${type}`];
      return [`  ${name}:`, ...lines.map((line) => `    ${line}`)];
    }),
  ];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const describers: Readonly<Record<string, (source: Source) => string[]>> = {
  configMap: ({ name, optional }) => [
    "Type:\tConfigMap (a volume populated by a ConfigMap)",
    `Name:\t${text(name)}`,
    `Optional:\t${optional === true}`,
  ],
  secret: ({ secretName, optional }) => [
    "Type:\tSecret (a volume populated by a Secret)",
    `SecretName:\t${text(secretName)}`,
    `Optional:\t${optional === true}`,
  ],
  emptyDir: ({ medium, sizeLimit }) => [
    "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)",
    `Medium:\t${text(medium)}`,
    `SizeLimit:\t${sizeLimit === undefined ? "<unset>" : text(sizeLimit)}`,
  ],
  hostPath: ({ path, type }) => [
    "Type:\tHostPath (bare host directory volume)",
    `Path:\t${text(path)}`,
    `HostPathType:\t${text(type)}`,
  ],
  persistentVolumeClaim: ({ claimName, readOnly }) => [
    "Type:\tPersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
    `ClaimName:\t${text(claimName)}`,
    `ReadOnly:\t${readOnly === true}`,
  ],
};
