/** The roles of an operator, by its flags. */
import { expect, test } from "vitest";
import { kinds } from "../controllers/kinds.ts";
import { namespaceList } from "./operator.ts";
import { roleObjects } from "./roles.ts";

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly rules?: readonly { readonly resources: string[]; readonly verbs: string[] }[];
}

const roles = (mode: "full" | "assist", namespaces: readonly string[] = []): readonly Role[] =>
  roleObjects({
    kinds,
    modes: { statefulset: mode },
    namespaces,
    operatorNamespace: "lockstep-system",
  }) as unknown as Role[];

const verbsOn = (resource: string, all: readonly Role[]): string[] =>
  all
    .filter(({ kind }) => kind === "ClusterRole" || kind === "Role")
    .flatMap(({ rules = [] }) => rules.filter(({ resources }) => resources.includes(resource)))
    .flatMap(({ verbs }) => verbs)
    .toSorted();

test("OP9 in assist mode claims of volumes are read and never written", () => {
  expect(verbsOn("persistentvolumeclaims", roles("assist"))).toEqual(["list", "watch"]);
  expect(verbsOn("persistentvolumeclaims", roles("full"))).toEqual(
    ["get", "list", "watch", "create", "patch"].toSorted(),
  );
});

test("OP9 nothing is deleted by the collection, and no status is replaced but a scaling group's", () => {
  const all = roles("full");
  const rules = all.flatMap((role) => role.rules ?? []);
  expect(rules.flatMap(({ verbs }) => verbs)).not.toContain("deletecollection");
  const replaced = rules
    .filter(({ verbs }) => verbs.includes("update"))
    .flatMap(({ resources }) => resources.filter((name) => name.endsWith("/status")));
  expect(replaced).toEqual(["podcliquescalinggroups/status"]);
});

test("OP9 of all leases only its own is read and renewed", () => {
  const lease = roles("full").find(({ metadata }) => metadata.name === "lockstep-lease");
  expect(lease?.metadata.namespace).toBe("lockstep-system");
  expect(lease?.rules).toEqual([
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
    {
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      verbs: ["get", "update"],
      resourceNames: ["lockstep"],
    },
  ]);
});

test("OP9 with namespaces there are roles in them, and one for what belongs to no namespace", () => {
  const all = roles("full", ["team-a", "team-b"]);
  const places = all.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? "-"}`);
  expect(places).toEqual([
    "ClusterRole -",
    "ClusterRoleBinding -",
    ...["team-a", "team-b", "lockstep-system"].flatMap((name) => [
      `Role ${name}`,
      `RoleBinding ${name}`,
    ]),
  ]);
  const [cluster] = all;
  const wide = new Set(cluster?.rules?.flatMap(({ resources }) => resources));
  const known = kinds.flatMap((kind) => kind.access()).map(({ resource }) => resource);
  const inNamespaces = known.filter(({ namespaced }) => namespaced).map(({ plural }) => plural);
  expect(inNamespaces.filter((name) => wide.has(name))).toEqual([]);
  expect([...wide]).toEqual(expect.arrayContaining(["clustertopologybindings", "nodes"]));
});

test("names of namespaces are checked before anything starts", () => {
  expect(namespaceList("a, b,a")).toEqual(["a", "b"]);
  for (const bad of ["", "a,,b", "A", "a/b"]) expect(() => namespaceList(bad)).toThrow(/namespace/);
});
