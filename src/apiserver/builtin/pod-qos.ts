/** The quality-of-service class of a pod, derived from its requests and limits. */
import { compareQuantities, quantity, type Quantity } from "../../api/quantity.ts";
import type { Container, PodSpec, ResourceList } from "./pod-types.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const computed = ["cpu", "memory"];

/** Guaranteed: everything has a limit and requests all of it. BestEffort: nothing is requested. */
export function podQosClass(spec: PodSpec): QosClass {
  const lists = resourceLists(spec);
  const asked = lists.some(({ requests, limits }) =>
    computed.some((name) => isPositive(requests[name]) || isPositive(limits[name])),
  );
  if (!asked) return "BestEffort";
  const guaranteed = lists.every(({ requests, limits }) =>
    computed.every((name) => {
      const limit = amount(limits[name]);
      if (limit === undefined || limit.nanos <= 0n) return false;
      const request = amount(requests[name]) ?? limit;
      return compareQuantities(request, limit) === 0;
    }),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}

function resourceLists(spec: PodSpec): { requests: ResourceList; limits: ResourceList }[] {
  const ofPod = spec.resources;
  const sources =
    ofPod !== undefined && hasAny(ofPod.requests, ofPod.limits)
      ? [ofPod]
      : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(resourcesOf);
  return sources.map(({ requests = {}, limits = {} }) => ({ requests, limits }));
}

function resourcesOf(container: Container): NonNullable<Container["resources"]> {
  return container.resources ?? {};
}

function hasAny(...lists: readonly (ResourceList | undefined)[]): boolean {
  return lists.some((list) => Object.keys(list ?? {}).length > 0);
}

function amount(text: string | undefined): Quantity | undefined {
  return text === undefined ? undefined : quantity(text);
}

function isPositive(text: string | undefined): boolean {
  return text !== undefined && quantity(text).nanos > 0n;
}
