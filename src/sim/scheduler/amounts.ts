/** Amounts of resources as plain numbers, and what a pod asks for in all. */
import type { Container, Pod, ResourceAmounts } from "../../api/pod.ts";
import { milliUnits, quantity, wholeUnits } from "../../api/quantity.ts";

/** cpu in thousandths, everything else in whole units. */
export type Amounts = ReadonlyMap<string, number>;

const known = new WeakMap<object, Amounts>();

export function amountsOf(texts: ResourceAmounts = {}): Amounts {
  return new Map(
    Object.entries(texts).map(([name, text]) => {
      const value = quantity(text);
      return [name, Number(name === "cpu" ? milliUnits(value) : wholeUnits(value))];
    }),
  );
}

/**
 * Containers run together, so they add up; init containers run one after the other beside the sidecars started
 * before them, so the largest of them counts.
 */
export function podRequests(pod: Pod): Amounts {
  const remembered = known.get(pod.spec);
  if (remembered !== undefined) return remembered;
  const { containers, initContainers = [], overhead } = pod.spec;
  let sidecars: Amounts = new Map();
  let peak: Amounts = new Map();
  for (const container of initContainers) {
    const isSidecar = container.restartPolicy === "Always";
    if (isSidecar) sidecars = sum(sidecars, requestsOf(container));
    peak = larger(peak, isSidecar ? sidecars : sum(sidecars, requestsOf(container)));
  }
  const together = containers.map(requestsOf).reduce(sum, sidecars);
  const requests = sum(larger(together, peak), amountsOf(overhead));
  known.set(pod.spec, requests);
  return requests;
}

/** A limit without a request is the request. */
function requestsOf({ resources }: Container): Amounts {
  return new Map([...amountsOf(resources?.limits), ...amountsOf(resources?.requests)]);
}

export function sum(a: Amounts, b: Amounts): Amounts {
  const total = new Map(a);
  for (const [name, amount] of b) total.set(name, (total.get(name) ?? 0) + amount);
  return total;
}

function larger(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b) result.set(name, Math.max(result.get(name) ?? 0, amount));
  return result;
}

export function hostPorts(pod: Pod): readonly string[] {
  return pod.spec.containers.flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ hostPort, protocol = "TCP" }) => `${protocol}/${hostPort}`),
  );
}
