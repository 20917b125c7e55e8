/** A pod as `kubectl describe` shows it: where it runs, what its containers do, and why. */
import type { Pod, Toleration } from "../api/pod.ts";
import { describeContainers } from "./describe-containers.ts";
import { describeVolumes } from "./describe-volumes.ts";
import { annotationFields, goTime, mapFields } from "./description.ts";

/** Lines with tabs between title and value; events are the caller's. */
export function describePod(pod: Pod): string[] {
  const { metadata, spec, status = {} } = pod;
  return [
    `Name:\t${metadata.name ?? ""}`,
    `Namespace:\t${metadata.namespace ?? ""}`,
    ...optional("Priority", spec.priority),
    ...optional("Priority Class Name", spec.priorityClassName),
    ...optional("Service Account", spec.serviceAccountName),
    `Node:\t${nodeText(pod)}`,
    ...optional("Start Time", status.startTime && goTime(status.startTime)),
    ...mapFields("Labels", metadata.labels),
    ...annotationFields(metadata.annotations),
    ...statusLines(pod),
    ...optional("Reason", status.reason),
    ...optional("Message", status.message),
    `IP:\t${status.podIP ?? ""}`,
    ...addressLines(status.podIPs ?? []),
    ...controllerLine(pod),
    ...describeContainers("Init Containers", spec.initContainers, status.initContainerStatuses),
    ...describeContainers("Containers", spec.containers, status.containerStatuses),
    ...readinessGates(pod),
    ...conditionLines(pod),
    ...describeVolumes(spec.volumes),
    ...optional("QoS Class", status.qosClass),
    ...mapFields("Node-Selectors", spec.nodeSelector),
    ...tolerationLines(spec.tolerations ?? []),
  ];
}

/** No line for a field that is absent, empty or not a plain value. */
function optional(title: string, value: unknown): string[] {
  if (typeof value === "number") return [`${title}:\t${value}`];
  return typeof value === "string" && value !== "" ? [`${title}:\t${value}`] : [];
}

function nodeText({ spec, status }: Pod): string {
  if ((spec.nodeName ?? "") === "") return "<none>";
  return `${spec.nodeName}/${status?.hostIP ?? ""}`;
}

function statusLines({ metadata, status }: Pod): string[] {
  if (metadata.deletionTimestamp === undefined) return [`Status:\t${status?.phase ?? ""}`];
  return [
    `Status:\tTerminating (since ${goTime(metadata.deletionTimestamp)})`,
    `Termination Grace Period:\t${metadata.deletionGracePeriodSeconds ?? 0}s`,
  ];
}

function addressLines(addresses: readonly { readonly ip: string }[]): string[] {
  if (addresses.length === 0) return ["IPs:\t<none>"];
  return ["IPs:", ...addresses.map(({ ip }) => `  IP:\t${ip}`)];
}

function controllerLine({ metadata }: Pod): string[] {
  const owner = metadata.ownerReferences?.find((reference) => reference.controller === true);
  return owner === undefined ? [] : [`Controlled By:\t${owner.kind}/${owner.name}`];
}

function readinessGates({ spec, status }: Pod): string[] {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return [];
  const statusOf = (type: string): string =>
    status?.conditions?.find((condition) => condition.type === type)?.status ?? "<none>";
  return [
    "Readiness Gates:",
    "  Type\tStatus",
    ...gates.map(({ conditionType }) => `  ${conditionType} \t${statusOf(conditionType)} `),
  ];
}

function conditionLines({ status }: Pod): string[] {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return [];
  const rows = conditions.map((condition) => `  ${condition.type} \t${condition.status} `);
  return ["Conditions:", "  Type\tStatus", ...rows];
}

function tolerationLines(tolerations: readonly Toleration[]): string[] {
  if (tolerations.length === 0) return ["Tolerations:\t<none>"];
  const byKey = (a: Toleration, b: Toleration): number =>
    (a.key ?? "") < (b.key ?? "") ? -1 : (a.key ?? "") > (b.key ?? "") ? 1 : 0;
  return tolerations
    .toSorted(byKey)
    .map(
      (toleration, index) => `${index === 0 ? "Tolerations:" : ""}\t${tolerationText(toleration)}`,
    );
}

function tolerationText(toleration: Toleration): string {
  const { key = "", value = "", effect = "", operator = "", tolerationSeconds } = toleration;
  return [
    key,
    value === "" ? "" : `=${value}`,
    effect === "" ? "" : `:${effect}`,
    operator === "Exists" && value === ""
      ? key === "" && effect === ""
        ? "op=Exists"
        : " op=Exists"
      : "",
    tolerationSeconds === undefined ? "" : ` for ${tolerationSeconds}s`,
  ].join("");
}
