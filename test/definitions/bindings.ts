/** ClusterTopologyBindings that a server is asked to create, and what a real one says to them. */
import type { Json } from "../contract/json.ts";

export const topologyBinding = (spec: Json): Json => ({
  apiVersion: "grove.io/v1alpha1",
  kind: "ClusterTopologyBinding",
  metadata: { name: "gpus" },
  spec,
});

const zone = { domain: "zone", key: "topology.kubernetes.io/zone" };
const rack = { domain: "rack", key: "example.com/rack" };
const kai = { schedulerName: "kai-scheduler", topologyReference: "gpus" };
const refused = (what: string): string =>
  `ClusterTopologyBinding.grove.io "gpus" is invalid: ${what}`;

export const bindings: Record<string, { readonly given: Json; readonly want: string }> = {
  "a binding of two levels is accepted": {
    given: { levels: [zone, rack], schedulerTopologyBindings: [kai] },
    want: "",
  },
  "a binding without levels is refused": {
    given: { levels: [] },
    want: refused(
      "spec.levels: Invalid value: 0: spec.levels in body should have at least 1 items",
    ),
  },
  "a domain twice is refused": {
    given: { levels: [zone, { ...rack, domain: "zone" }] },
    want: refused(
      "spec.levels: Invalid value: domain is used twice: give every level a domain of its own",
    ),
  },
  "a key twice is refused": {
    given: { levels: [zone, { ...rack, key: zone.key }] },
    want: refused(
      "spec.levels: Invalid value: key is used twice: every level is another label of nodes",
    ),
  },
  "a scheduler twice is refused": {
    given: { levels: [zone], schedulerTopologyBindings: [kai, { ...kai, topologyReference: "b" }] },
    want: refused(
      "spec.schedulerTopologyBindings: Invalid value: schedulerName is used twice: bind each scheduler once",
    ),
  },
};
