/** Resource quantities as plain numbers, and the effective requests of a pod. */
import type { Container, Pod, ResourceAmounts } from "./pod.ts";
import { milliUnits, quantity, wholeUnits } from "./quantity.ts";

/** cpu in thousandths, everything else in whole units. */
export type Amounts = ReadonlyMap<string, number>;

const requestsBySpec = new WeakMap<object, Amounts>();

export function amountsOf(texts: ResourceAmounts = {}): Amounts {
  return new Map(
    Object.entries(texts).map(([name, text]) => {
      const value = quantity(text);
      return [name, Number(name === "cpu" ? milliUnits(value) : wholeUnits(value))];
    }),
  );
}

/**
 * Containers run at the same time, so their requests add up. Init containers run one after the other beside the
 * sidecars started before them, so only the largest of them counts.
 */
export function podRequests({ spec }: Pick<Pod, "spec">): Amounts {
  const memoized = requestsBySpec.get(spec);
  if (memoized !== undefined) return memoized;
  const { containers, initContainers = [], overhead } = spec;
  let sidecars: Amounts = new Map();
  let peak: Amounts = new Map();
  for (const container of initContainers) {
    const isSidecar = container.restartPolicy === "Always";
    if (isSidecar) sidecars = sum(sidecars, requestsOf(container));
    peak = larger(peak, isSidecar ? sidecars : sum(sidecars, requestsOf(container)));
  }
  const together = containers.map(requestsOf).reduce(sum, sidecars);
  const requests = sum(larger(together, peak), amountsOf(overhead));
  requestsBySpec.set(spec, requests);
  return requests;
}

/** A resource that has only a limit requests that limit. */
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
