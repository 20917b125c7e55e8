/**
 * A ManagedCluster as expressions see it. Open Cluster Management reads it into typed objects first: what is empty is
 * not there, what is required always is, and quantities have one text. Expressions that people bring rely on that.
 */
import type { ManagedCluster } from "../../api/ocm/managed-cluster.ts";
import { canonicalQuantity, parseQuantity } from "../../api/quantity.ts";

type Fields = Readonly<Record<string, unknown>>;

export function clusterValue({ metadata, spec, status, ...kind }: ManagedCluster): object {
  const { clusterClaims, capacity, allocatable, conditions, version } = status ?? {};
  return asCel({
    ...kind,
    metadata: withoutEmpty(metadata),
    spec: {
      ...withoutEmpty({
        ...spec,
        managedClusterClientConfigs: spec?.managedClusterClientConfigs?.map(withoutEmpty),
        taints: spec?.taints?.map(({ value = "", ...taint }) => ({
          timeAdded: null,
          ...taint,
          ...(value !== "" && { value }),
        })),
      }),
      hubAcceptsClient: spec?.hubAcceptsClient ?? false,
    },
    status: {
      ...withoutEmpty({
        ...status,
        clusterClaims: clusterClaims?.map(withoutEmpty),
        capacity: quantities(capacity),
        allocatable: quantities(allocatable),
      }),
      conditions: conditions ?? null,
      version: withoutEmpty(version),
    },
  }) as object;
}

const withoutEmpty = (fields: object = {}): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "" || value === 0;
}

const quantities = (amounts: Fields = {}): Fields =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => {
      const text = String(amount);
      return [name, "problem" in parseQuantity(text) ? text : canonicalQuantity(text)];
    }),
  );

/** Every number of a ManagedCluster is an integer; the library would take plain ones for doubles. */
function asCel(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(asCel);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asCel(each)]));
}
