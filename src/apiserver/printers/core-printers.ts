/** Tables of the core kinds other than pods, services and volumes. */
import type { KubeObject } from "../../api/object.ts";
import { since } from "./age.ts";
import { age, name, orNone, printer, shown, wide } from "./columns.ts";

const size = (map: object | null | undefined): number => Object.keys(map ?? {}).length;

interface Namespace extends KubeObject {
  readonly status?: { readonly phase?: string };
}

export const namespacePrinter = printer<Namespace>(
  name,
  shown("Status", "Active, or Terminating.", ({ status }) => status?.phase ?? ""),
  age,
);

interface ConfigMap extends KubeObject {
  readonly data?: object;
  readonly binaryData?: object;
}

export const configMapPrinter = printer<ConfigMap>(
  name,
  shown("Data", "Number of entries.", ({ data, binaryData }) => size(data) + size(binaryData)),
  age,
);

interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: object;
}

export const secretPrinter = printer<Secret>(
  name,
  shown("Type", "What the secret is for.", ({ type }) => type ?? ""),
  shown("Data", "Number of entries.", ({ data }) => size(data)),
  age,
);

export const serviceAccountPrinter = printer<KubeObject>(name, age);

interface Node extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly nodeInfo?: {
      readonly kubeletVersion?: string;
      readonly osImage?: string;
      readonly kernelVersion?: string;
      readonly architecture?: string;
      readonly containerRuntimeVersion?: string;
    };
  };
}

function nodeStatus({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = "node-role.kubernetes.io/";

function nodeRoles({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === "kubernetes.io/role" ? value : "";
  });
  return orNone([...new Set(roles.filter((role) => role !== ""))].toSorted().join(","));
}

const address = (node: Node, type: string): string =>
  orNone(node.status?.addresses?.find((item) => item.type === type)?.address);

const orUnknown = (text: string | undefined): string =>
  text === undefined || text === "" ? "<unknown>" : text;

function kernel({ status }: Node): string {
  const { kernelVersion, architecture = "" } = status?.nodeInfo ?? {};
  return `${orUnknown(kernelVersion)}${architecture === "" ? "" : ` (${architecture})`}`;
}

export const nodePrinter = printer<Node>(
  name,
  shown("Status", "Whether the node takes and runs pods.", nodeStatus),
  shown("Roles", "Roles from the node's labels.", nodeRoles),
  age,
  shown(
    "Version",
    "Version of the kubelet.",
    ({ status }) => status?.nodeInfo?.kubeletVersion ?? "",
  ),
  wide("Internal-IP", "Address inside the cluster.", (node) => address(node, "InternalIP")),
  wide("External-IP", "Address outside the cluster.", (node) => address(node, "ExternalIP")),
  wide("OS-Image", "Operating system.", ({ status }) => orUnknown(status?.nodeInfo?.osImage)),
  wide("Kernel-Version", "Kernel and processor architecture.", kernel),
  wide("Container-Runtime", "What runs the containers.", ({ status }) =>
    orUnknown(status?.nodeInfo?.containerRuntimeVersion),
  ),
);

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}

export const leasePrinter = printer<Lease>(
  name,
  shown("Holder", "Who holds the lease.", ({ spec }) => spec?.holderIdentity ?? ""),
  age,
);

interface PriorityClass extends KubeObject {
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

export const priorityClassPrinter = printer<PriorityClass>(
  name,
  shown("Value", "Pods with higher values go first.", ({ value }) => value ?? 0, "integer"),
  shown(
    "Global-Default",
    "Whether pods without a class get this one.",
    ({ globalDefault }) => globalDefault ?? false,
    "boolean",
  ),
  age,
  shown(
    "PreemptionPolicy",
    "Whether such pods push others out.",
    (item) => item.preemptionPolicy ?? "",
  ),
);

/** Kinds without a table of their own show their creation time. */
export const plainPrinter = printer<KubeObject>(
  name,
  shown(
    "Created At",
    "When the object was created.",
    ({ metadata }) => metadata.creationTimestamp ?? null,
    "date",
  ),
);

interface Event extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly involvedObject?: {
    readonly kind?: string;
    readonly name?: string;
    readonly fieldPath?: string;
  };
}

/** events.k8s.io has other names for the same fields. */
interface NewerEvent extends KubeObject {
  readonly note?: string;
  readonly regarding?: Event["involvedObject"];
  readonly deprecatedSource?: Event["source"];
  readonly deprecatedFirstTimestamp?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly deprecatedCount?: number;
  readonly reportingController?: string;
}

type AnyEvent = Event & NewerEvent;

const regarded = (event: AnyEvent): Event["involvedObject"] =>
  event.involvedObject ?? event.regarding;

function firstSeen(event: AnyEvent): string | null | undefined {
  return event.firstTimestamp ?? event.deprecatedFirstTimestamp ?? event.eventTime;
}

function lastSeen(event: AnyEvent): string | null | undefined {
  if (event.series !== undefined) return event.series.lastObservedTime;
  return event.lastTimestamp ?? event.deprecatedLastTimestamp ?? firstSeen(event);
}

function target(event: AnyEvent): string {
  const { kind = "", name = "" } = regarded(event) ?? {};
  return name === "" ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceText(event: AnyEvent): string {
  const source = event.source ?? event.deprecatedSource;
  const component =
    source?.component || event.reportingComponent || event.reportingController || "";
  const instance = source?.host || event.reportingInstance || "";
  return instance === "" ? component : `${component}, ${instance}`;
}

function countOf(event: AnyEvent): number {
  if (event.series !== undefined) return event.series.count ?? 0;
  return event.count || event.deprecatedCount || 1;
}

const eventName = wide<AnyEvent>(
  "Name",
  "The event's name.",
  ({ metadata }) => metadata.name ?? "",
);

export const eventPrinter = printer<AnyEvent>(
  shown("Last Seen", "When it happened last.", (event, nowMs) => since(lastSeen(event), nowMs)),
  shown("Type", "Normal or Warning.", ({ type }) => type ?? ""),
  shown("Reason", "What happened, in one word.", ({ reason }) => reason ?? ""),
  shown("Object", "What it happened to.", target),
  wide("Subobject", "Which part of it.", (event) => regarded(event)?.fieldPath ?? ""),
  wide("Source", "The component that reported it.", sourceText),
  shown("Message", "What happened.", (event) => (event.message ?? event.note ?? "").trim()),
  wide("First Seen", "When it happened first.", (event, nowMs) => since(firstSeen(event), nowMs)),
  wide("Count", "How often it happened.", countOf),
  { ...eventName, column: { ...eventName.column, format: "name" } },
);
