/**
 * One form of a pod template for all that mean the same: lists whose order means nothing are sorted, and defaults that
 * a policy or a person wrote down are left out, so that neither is a change.
 */
import type { PodSpec } from "../../api/pod.ts";
import { canonicalJson } from "../../api/canonical-json.ts";

/** Containers start in their order, variables may refer to earlier ones, later sources win: those stay as written. */
const podLists = ["volumes", "tolerations", "readinessGates", "resourceClaims"];
const containerLists = ["volumeMounts", "volumeDevices", "ports"];
const containersOf = ["containers", "initContainers"];

const defaults: Fields = { restartPolicy: "Always", terminationGracePeriodSeconds: 30 };

type Fields = Readonly<Record<string, unknown>>;

export function canonicalPodSpec(podSpec: PodSpec): unknown {
  const said = Object.entries(podSpec).filter(([field, value]) => defaults[field] !== value);
  const sorted = withSorted(Object.fromEntries(said), podLists);
  return {
    ...sorted,
    ...changed(sorted, containersOf, (containers) =>
      containers.map((container) => withSorted(container as Fields, containerLists)),
    ),
  };
}

const withSorted = (fields: Fields, names: readonly string[]): Fields => ({
  ...fields,
  ...changed(fields, names, (list) => list.toSorted(byText)),
});

function changed(
  fields: Fields,
  names: readonly string[],
  change: (list: readonly unknown[]) => readonly unknown[],
): Fields {
  const lists = names.flatMap((name) => {
    const list = fields[name];
    return Array.isArray(list) ? [[name, change(list)] as const] : [];
  });
  return Object.fromEntries(lists);
}

function byText(a: unknown, b: unknown): number {
  const [first, second] = [canonicalJson(a), canonicalJson(b)];
  return first === second ? 0 : first < second ? -1 : 1;
}
