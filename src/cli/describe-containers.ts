/** The containers of a pod as `kubectl describe` shows them. */
import type { Container, ContainerState, ContainerStatus, TerminatedState } from "../api/pod.ts";
import { goTime, sortedEntries } from "./description.ts";
import { describeProbes } from "./describe-probes.ts";

interface DescribedContainer extends Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVariable[];
  readonly volumeMounts?: readonly VolumeMount[];
}

interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: KeyReference;
    readonly secretKeyRef?: KeyReference;
    readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
  };
}

interface KeyReference {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: boolean;
}

interface Port {
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly protocol?: string;
}

export function describeContainers(
  title: string,
  containers: readonly Container[] = [],
  statuses: readonly ContainerStatus[] = [],
): string[] {
  if (containers.length === 0) return [];
  const statusOf = (name: string): ContainerStatus | undefined =>
    statuses.find((status) => status.name === name);
  return [
    `${title}:`,
    ...containers.flatMap((container) => [
      `  ${container.name}:`,
      ...describeContainer(container, statusOf(container.name)).map((line) => `    ${line}`),
    ]),
  ];
}

function describeContainer(container: DescribedContainer, status?: ContainerStatus): string[] {
  return [
    ...(status === undefined ? [] : [`Container ID:\t${status.containerID ?? ""}`]),
    `Image:\t${container.image ?? ""}`,
    ...(status === undefined ? [] : [`Image ID:\t${status.imageID}`]),
    ...portLines(container.ports ?? []),
    ...wordLines("Command", container.command),
    ...wordLines("Args", container.args),
    ...(status === undefined ? [] : runLines(status)),
    ...amountLines("Limits", container.resources?.limits),
    ...amountLines("Requests", container.resources?.requests),
    ...describeProbes(container),
    ...environmentLines(container.env ?? []),
    ...mountLines(container.volumeMounts ?? []),
  ];
}

function portLines(ports: readonly Port[]): string[] {
  const plural = ports.length > 1 ? "s" : "";
  const text = (numberOf: (port: Port) => number | undefined): string =>
    ports.map((port) => `${numberOf(port) ?? 0}/${port.protocol ?? "TCP"}`).join(", ") || "<none>";
  return [
    `Port${plural}:\t${text((port) => port.containerPort)}`,
    `Host Port${plural}:\t${text((port) => port.hostPort)}`,
  ];
}

function wordLines(title: string, words: readonly string[] = []): string[] {
  if (words.length === 0) return [];
  return [`${title}:`, ...words.flatMap((word) => word.split("\n")).map((word) => `  ${word}`)];
}

function runLines({ state, lastState, ready, restartCount }: ContainerStatus): string[] {
  const last = lastState?.terminated;
  return [
    ...stateLines("State", state),
    ...(last === undefined ? [] : stateLines("Last State", { terminated: last })),
    `Ready:\t${ready ? "True" : "False"}`,
    `Restart Count:\t${restartCount}`,
  ];
}

function stateLines(title: string, state: ContainerState = {}): string[] {
  const { running, terminated, waiting } = state;
  if (running !== undefined) {
    return [`${title}:\tRunning`, `  Started:\t${goTime(running.startedAt ?? "")}`];
  }
  if (terminated !== undefined) return [`${title}:\tTerminated`, ...terminatedLines(terminated)];
  const reason = waiting?.reason ?? "";
  return [`${title}:\tWaiting`, ...(reason === "" ? [] : [`  Reason:\t${reason}`])];
}

function terminatedLines(state: TerminatedState): string[] {
  const { reason = "", message = "", exitCode, startedAt = "", finishedAt = "" } = state;
  return [
    ...(reason === "" ? [] : [`  Reason:\t${reason}`]),
    ...(message === "" ? [] : [`  Message:\t${message}`]),
    `  Exit Code:\t${exitCode}`,
    `  Started:\t${goTime(startedAt)}`,
    `  Finished:\t${goTime(finishedAt)}`,
  ];
}

function amountLines(
  title: string,
  amounts: Readonly<Record<string, string | number>> = {},
): string[] {
  const entries = sortedEntries(amounts);
  if (entries.length === 0) return [];
  return [`${title}:`, ...entries.map(([name, amount]) => `  ${name}:\t${amount}`)];
}

function environmentLines(variables: readonly EnvVariable[]): string[] {
  if (variables.length === 0) return ["Environment:\t<none>"];
  return ["Environment:", ...variables.map((one) => `  ${one.name}:\t${variableText(one)}`)];
}

function variableText({ value = "", valueFrom }: EnvVariable): string {
  if (valueFrom === undefined) return value;
  const { configMapKeyRef, secretKeyRef, fieldRef } = valueFrom;
  if (fieldRef !== undefined) return ` (${fieldRef.apiVersion ?? "v1"}:${fieldRef.fieldPath})`;
  const from = (reference: KeyReference, source: string): string =>
    `<set to the key '${reference.key}' ${source} '${reference.name ?? ""}'>\tOptional: ${
      reference.optional === true
    }`;
  if (configMapKeyRef !== undefined) return from(configMapKeyRef, "of config map");
  if (secretKeyRef !== undefined) return from(secretKeyRef, "in secret");
  return "<set from the pod>";
}

function mountLines(mounts: readonly VolumeMount[]): string[] {
  if (mounts.length === 0) return ["Mounts:\t<none>"];
  const lines = mounts
    .toSorted((a, b) => (a.mountPath < b.mountPath ? -1 : 1))
    .map(({ mountPath, name, readOnly, subPath = "" }) => {
      const flags = [
        readOnly === true ? "ro" : "rw",
        ...(subPath === "" ? [] : [`path="${subPath}"`]),
      ];
      return `  ${mountPath} from ${name} (${flags.join(",")})`;
    });
  return ["Mounts:", ...lines];
}
