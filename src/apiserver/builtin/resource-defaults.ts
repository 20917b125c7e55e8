/** Resource quantities in the form in which Kubernetes keeps them: canonical, no finer than a thousandth. */
import {
  addQuantities,
  compareQuantities,
  quantity,
  quantityText,
  roundedToMilli,
  type Quantity,
} from "../../api/quantity.ts";
import type { Container, PodSpec, ResourceList, ResourceRequirements } from "./pod-types.ts";

export function defaultResourceList(list: ResourceList | undefined): void {
  if (list === undefined) return;
  for (const [name, amount] of Object.entries(list)) {
    list[name] = quantityText(roundedToMilli(quantity(amount)));
  }
}

export function defaultResources(resources: ResourceRequirements | undefined): void {
  defaultResourceList(resources?.limits);
  defaultResourceList(resources?.requests);
}

/** A resource with only a limit requests that limit. This holds for pods only; templates stay as they are. */
export function requestLimits(resources: ResourceRequirements): void {
  if (resources.limits === undefined) return;
  const requests = { ...resources.requests };
  for (const [name, amount] of Object.entries(resources.limits)) requests[name] ??= amount;
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

/** A pod with pod-level limits requests the sum of its containers, and its limits for other resources. */
export function requestForWholePod(spec: PodSpec): void {
  const resources = spec.resources;
  const limits = resources?.limits ?? {};
  if (resources === undefined || Object.keys(limits).length === 0) return;
  const requests = { ...resources.requests };
  for (const name of ["cpu", "memory"]) {
    const asked = containerRequests(spec, name);
    if (asked !== undefined) requests[name] ??= quantityText(asked);
  }
  for (const [name, amount] of Object.entries(limits)) requests[name] ??= amount;
  resources.requests = requests;
}

/** Containers and sidecars run side by side, other init containers one after the other before them. */
function containerRequests(spec: PodSpec, name: string): Quantity | undefined {
  let running: Quantity | undefined;
  let starting: Quantity | undefined;
  for (const container of spec.initContainers ?? []) {
    const asked = requestOf(container, name);
    if (container.restartPolicy === "Always") running = sum(running, asked);
    else starting = larger(starting, sum(running, asked));
  }
  for (const container of spec.containers ?? []) running = sum(running, requestOf(container, name));
  return larger(running, starting);
}

function requestOf(container: Container, name: string): Quantity | undefined {
  const amount = container.resources?.requests?.[name];
  return amount === undefined ? undefined : quantity(amount);
}

function sum(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  return a === undefined || b === undefined ? (a ?? b) : addQuantities(a, b);
}

function larger(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareQuantities(a, b) < 0 ? b : a;
}
