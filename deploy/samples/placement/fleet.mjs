#!/usr/bin/env node
/**
 * Prints a fleet as a manifest: one Namespace and one ManagedCluster per number.
 *
 *   node deploy/samples/placement/fleet.mjs 1 150 | kubectl apply -f -
 *
 * On a real hub the namespace of a cluster is made when the cluster registers. Numbers are padded with zeros, because decisions
 * are ordered by name: cluster000 sorts first.
 */
const [first, last] = process.argv.slice(2).map(Number);
if (
  !Number.isInteger(first) ||
  !Number.isInteger(last) ||
  first < 0 ||
  last < first ||
  last > 9999
) {
  process.stderr.write("usage: node fleet.mjs FIRST LAST, for example: node fleet.mjs 1 150\n");
  process.exit(1);
}

const documents = Array.from({ length: last - first + 1 }, (_, at) => {
  const name = `cluster${String(first + at).padStart(3, "0")}`;
  return `apiVersion: v1
kind: Namespace
metadata:
  name: ${name}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: ${name}
spec:
  hubAcceptsClient: true
`;
});
process.stdout.write(documents.join("---\n"));
