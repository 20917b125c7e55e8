/** Says what a batch lacks that finds no place, in numbers that whoever adds nodes can use. Pure. */
import type { PodSpec } from "../../api/pod.ts";
import { isTerminating } from "../../api/object.ts";
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import type { Batch } from "../../planner/index.ts";
import { isScheduled } from "../engine/pod-health.ts";
import type { RolePod } from "./role-workload.ts";

interface BatchPods {
  readonly batches: readonly Batch[];
  readonly topologyKey: string;
  readonly roles: readonly DefaultedRole[];
  /** By role. */
  readonly pods: Readonly<Record<string, readonly RolePod[]>>;
}

/** One sentence for each batch that has pods without a node. */
export function unplacedBatches(view: BatchPods): readonly string[] {
  return view.batches.flatMap((batch) => {
    const pods = batch.members.flatMap(({ role, ordinals }) =>
      (view.pods[role] ?? []).filter(
        ({ pod, ordinal }) => ordinals.includes(ordinal) && !isTerminating(pod),
      ),
    );
    const unplaced = pods.filter(({ pod }) => !isScheduled(pod));
    return unplaced.length === 0 ? [] : [sentence(view, batch, pods)];
  });
}

function sentence(view: BatchPods, { number, members }: Batch, pods: readonly RolePod[]): string {
  const domain =
    view.topologyKey === "kubernetes.io/hostname" ? "a node" : `a domain of ${view.topologyKey}`;
  const needs = needsOf(
    members.flatMap(({ role, ordinals }) => {
      const spec = view.roles.find(({ name }) => name === role)?.template.spec;
      return ordinals.map(() => spec);
    }),
  );
  const nodes = new Set(pods.flatMap(({ pod }) => (isScheduled(pod) ? [pod.spec.nodeName] : [])));
  const [node] = nodes;
  if (node === undefined) {
    const free = needs.startsWith("room") ? needs : `${needs} free`;
    return `batch ${number} needs ${domain} with ${free}`;
  }
  const left = pods.filter(({ pod }) => !isScheduled(pod)).map(({ pod }) => pod.metadata.name);
  const place = domain === "a node" ? node : `the domain of ${node}`;
  const without = left.join(", ");
  return `batch ${number} needs ${domain} with ${needs}: ${place}, where it began, has no room for ${without}`;
}

const gpu = "nvidia.com/gpu";

/** `3 x 8 GPUs (nvidia.com/gpu)`, or the number of pods where they ask for no device. */
export function needsOf(specs: readonly (PodSpec | undefined)[]): string {
  const device = specs.flatMap((spec) => devicesOf(spec))[0];
  if (device === undefined) return `room for ${specs.length} pods`;
  const amounts = specs.map((spec) => amountOf(spec, device)).toSorted((a, b) => b - a);
  const counts = new Map<number, number>();
  for (const amount of amounts) counts.set(amount, (counts.get(amount) ?? 0) + 1);
  const parts = [...counts].map(([amount, pods]) => `${pods} x ${amount}`).join(" and ");
  return device === gpu ? `${parts} GPUs (${gpu})` : `${parts} ${device}`;
}

/** Extended resources have a domain in their name. */
const devicesOf = (spec: PodSpec | undefined): readonly string[] =>
  (spec?.containers ?? []).flatMap(({ resources }) =>
    Object.keys({ ...resources?.requests, ...resources?.limits }).filter((name) =>
      name.includes("/"),
    ),
  );

const amountOf = (spec: PodSpec | undefined, device: string): number =>
  (spec?.containers ?? []).reduce((sum, { resources }) => {
    const amount = resources?.requests?.[device] ?? resources?.limits?.[device] ?? 0;
    return sum + (Number(amount) || 0);
  }, 0);
