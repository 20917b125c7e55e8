/** Allocates addresses and node ports of Services: the lowest free ones, so that runs are reproducible. */
import { invalid, type FieldError } from "../../api/field-error.ts";
import {
  needsClusterIp,
  needsNodePorts,
  type Service,
  type ServicePort,
  type ServiceSpec,
} from "./service-types.ts";

const network = "10.0.0.";
const hosts = { first: 1, last: 254 };
/** The low addresses are allocated last, so that explicitly requested ones are likely to be free. */
const firstDynamicHost = 17;
const nodePorts = { first: 30_000, last: 32_767 };
const firstDynamicNodePort = 30_086;

export function needsAddresses({ spec }: Service): boolean {
  return needsClusterIp(spec) || needsNodePorts(spec);
}

/** Fills in the draft; `others` are all other Services. The errors say what cannot be allocated. */
export function allocateAddresses(draft: Service, others: readonly Service[]): FieldError[] {
  return [
    ...allocateClusterIp(draft.spec, others),
    ...(needsNodePorts(draft.spec) ? allocateNodePorts(draft.spec, others) : []),
  ];
}

function allocateClusterIp(spec: ServiceSpec, others: readonly Service[]): FieldError[] {
  if (!needsClusterIp(spec)) return [];
  const taken = new Set(others.flatMap((other) => other.spec.clusterIPs ?? []));
  const asked = spec.clusterIP ?? "";
  if (asked !== "") {
    const problem = addressProblem(asked, taken);
    if (problem === undefined) return [];
    const detail = `failed to allocate IP ${asked}: ${problem}`;
    return [invalid("spec.clusterIPs", [asked], detail)];
  }
  const host = lowestFree(hosts, firstDynamicHost, (number) => taken.has(`${network}${number}`));
  if (host === undefined) {
    return [invalid("spec.clusterIPs", [], "failed to allocate a serviceIP: range is full")];
  }
  spec.clusterIP = `${network}${host}`;
  spec.clusterIPs = [spec.clusterIP];
  return [];
}

function addressProblem(address: string, taken: ReadonlySet<string>): string | undefined {
  if (taken.has(address)) return "provided IP is already allocated";
  const host = address.startsWith(network) ? Number(address.slice(network.length)) : NaN;
  if (host >= hosts.first && host <= hosts.last) return undefined;
  return "the provided network does not match the current range";
}

function allocateNodePorts(spec: ServiceSpec, others: readonly Service[]): FieldError[] {
  const ports = spec.ports ?? [];
  const taken = new Set(others.flatMap((other) => other.spec.ports ?? []).map(portKey));
  const errors = ports.flatMap((port, index) => {
    const nodePort = port.nodePort ?? 0;
    if (nodePort === 0) return [];
    const problem = nodePortProblem(port, taken);
    if (problem === undefined) return [];
    return [invalid(`spec.ports[${index}].nodePort`, nodePort, problem)];
  });
  if (errors.length > 0) return errors;
  for (const port of ports) if ((port.nodePort ?? 0) !== 0) taken.add(portKey(port));
  for (const port of ports) {
    if ((port.nodePort ?? 0) !== 0) continue;
    const free = lowestFree(nodePorts, firstDynamicNodePort, (number) =>
      taken.has(portKey({ ...port, nodePort: number })),
    );
    if (free === undefined) continue;
    port.nodePort = free;
    taken.add(portKey(port));
  }
  return [];
}

function nodePortProblem(port: ServicePort, taken: ReadonlySet<string>): string | undefined {
  const nodePort = port.nodePort ?? 0;
  if (nodePort < nodePorts.first || nodePort > nodePorts.last) {
    const range = `${nodePorts.first}-${nodePorts.last}`;
    return `provided port is not in the valid range. The range of valid ports is ${range}`;
  }
  return taken.has(portKey(port)) ? "provided port is already allocated" : undefined;
}

function portKey({ protocol, nodePort }: ServicePort): string {
  return `${protocol}/${nodePort ?? 0}`;
}

/** From `start` to the end, then from the beginning. */
function lowestFree(
  range: { readonly first: number; readonly last: number },
  start: number,
  isTaken: (number: number) => boolean,
): number | undefined {
  for (let number = start; number <= range.last; number++) if (!isTaken(number)) return number;
  for (let number = range.first; number < start; number++) if (!isTaken(number)) return number;
  return undefined;
}
