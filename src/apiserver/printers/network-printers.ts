/** Tables of services and endpoints. */
import type { KubeObject } from "../../api/object.ts";
import { selectorText } from "../../api/label-selector.ts";
import { age, name, orNone, printer, shown, wide } from "./columns.ts";

interface Service extends KubeObject {
  readonly spec: {
    readonly type?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalIPs?: readonly string[];
    readonly externalName?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly {
      readonly port: number;
      readonly nodePort?: number;
      readonly protocol?: string;
    }[];
  };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

function externalAddress({ spec, status }: Service): string {
  const given = spec.externalIPs ?? [];
  switch (spec.type ?? "") {
    case "ClusterIP":
    case "NodePort":
      return orNone(given.join(","));
    case "LoadBalancer": {
      const balancers = (status?.loadBalancer?.ingress ?? [])
        .map(({ ip, hostname }) => ip || (hostname ?? ""))
        .filter((item) => item !== "");
      const all = [...[...new Set(balancers)].toSorted(), ...given].join(",");
      return all === "" ? "<pending>" : all;
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function portsText({ spec }: Service): string {
  const ports = (spec.ports ?? []).map(({ port, nodePort = 0, protocol = "TCP" }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return orNone(ports.join(","));
}

export const servicePrinter = printer<Service>(
  name,
  shown("Type", "How the service is reached.", ({ spec }) => spec.type ?? ""),
  shown("Cluster-IP", "Address inside the cluster.", ({ spec }) => orNone(spec.clusterIPs?.[0])),
  shown("External-IP", "Address outside the cluster.", externalAddress),
  shown("Port(s)", "Ports and protocols.", portsText),
  age,
  wide("Selector", "Labels of the pods behind it.", ({ spec }) =>
    orNone(selectorText({ matchLabels: spec.selector ?? {} })),
  ),
);

interface Endpoints extends KubeObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[];
    readonly ports?: readonly { readonly port: number }[];
  }[];
}

const shownEndpoints = 3;

function endpointsText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    if (ports.length === 0) return addresses.map(({ ip }) => ip);
    return ports.flatMap(({ port }) => addresses.map(({ ip }) => hostAndPort(ip, port)));
  });
  const text = all.slice(0, shownEndpoints).join(",");
  const more = all.length - shownEndpoints;
  return more > 0 ? `${text} + ${more} more...` : text;
}

const hostAndPort = (ip: string, port: number): string =>
  ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;

export const endpointsPrinter = printer<Endpoints>(
  name,
  shown("Endpoints", "Addresses and ports behind the service.", endpointsText),
  age,
);
