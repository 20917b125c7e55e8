/** What is wrong with a PodCliqueSet that its definition cannot refuse: sizes, clashing names, long cycles. */
import type { FieldError } from "../field-error.ts";
import { invalid } from "../field-error.ts";
import { validateAnnotations, validateLabels } from "../label-syntax.ts";
import { mostParts } from "../size-limit.ts";
import type { DefaultedTemplate } from "./defaults.ts";
import { withDefaults } from "./defaults.ts";
import type { PodCliqueSet } from "./podcliqueset.ts";

export function validatePodCliqueSet(set: Pick<PodCliqueSet, "spec">): FieldError[] {
  const { template, replicas } = withDefaults(set.spec);
  return [
    ...sizeProblems(template, replicas),
    ...startupCycles(template),
    ...metadataProblems(template),
    ...nameClashes(template),
    ...autoscalerClashes(template),
  ];
}

function sizeProblems(template: DefaultedTemplate, replicas: number): FieldError[] {
  const { cliques, podCliqueScalingGroups: groups } = template;
  const parts = new Map(cliques.map(({ name, spec }) => [name, 1 + spec.replicas]));
  const inGroups = new Set(groups.flatMap(({ cliqueNames }) => cliqueNames));
  const sum = (names: readonly string[]): number =>
    names.reduce((total, name) => total + (parts.get(name) ?? 0), 0);
  const standalone = sum([...parts.keys()].filter((name) => !inGroups.has(name)));
  const grouped = groups.map((group) => group.replicas * sum(group.cliqueNames));
  const count = replicas * grouped.reduce((total, each) => total + each, standalone);
  if (count <= mostParts) return [];
  const detail = `the set asks for ${count} cliques and pods, at most ${mostParts} are possible: lower replicas`;
  return [invalid("spec.replicas", replicas, detail)];
}

function startupCycles(template: DefaultedTemplate): FieldError[] {
  if (template.cliqueStartupType !== "CliqueStartupTypeExplicit") return [];
  const after = new Map(template.cliques.map(({ name, spec }) => [name, spec.startsAfter ?? []]));
  return template.cliques.flatMap(({ name }, index) => {
    const cycle = cycleThrough(name, after);
    // Each cycle is reported once, at the clique whose name sorts first.
    if (cycle === undefined || cycle.toSorted()[0] !== name) return [];
    const detail = `cliques wait for each other (${[...cycle, name].join(" after ")}): remove one of them`;
    return [invalid(`spec.template.cliques[${index}].spec.startsAfter`, after.get(name), detail)];
  });
}

/** The shortest way from a clique back to itself. */
function cycleThrough(
  start: string,
  after: ReadonlyMap<string, readonly string[]>,
): string[] | undefined {
  const seen = new Set<string>();
  const ways: string[][] = [[start]];
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const next = after.get(way.at(-1) ?? start) ?? [];
    if (next.includes(start)) return way;
    for (const name of next.filter((name) => !seen.has(name))) {
      seen.add(name);
      ways.push([...way, name]);
    }
  }
  return undefined;
}

function metadataProblems({ cliques, podCliqueScalingGroups }: DefaultedTemplate): FieldError[] {
  const ofCliques = cliques.flatMap(({ labels, annotations }, index) => [
    ...validateLabels(labels, `spec.template.cliques[${index}].labels`),
    ...validateAnnotations(annotations, `spec.template.cliques[${index}].annotations`),
  ]);
  const ofGroups = podCliqueScalingGroups.flatMap(({ annotations }, index) =>
    validateAnnotations(annotations, `spec.template.podCliqueScalingGroups[${index}].annotations`),
  );
  return [...ofCliques, ...ofGroups];
}

/** A standalone clique `decode-0-leader` would have the name of a member of `decode`. */
function nameClashes({ cliques, podCliqueScalingGroups }: DefaultedTemplate): FieldError[] {
  const members = new Set(podCliqueScalingGroups.flatMap(({ cliqueNames }) => cliqueNames));
  return cliques.flatMap(({ name }, index) => {
    if (members.has(name)) return [];
    const clash = podCliqueScalingGroups.find((group) =>
      group.cliqueNames.some((member) => isMemberName(name, group.name, member)),
    );
    if (clash === undefined) return [];
    const detail = `PodCliques of the scaling group ${clash.name} have this name too: rename the clique`;
    return [invalid(`spec.template.cliques[${index}].name`, name, detail)];
  });
}

function isMemberName(name: string, group: string, member: string): boolean {
  const isAround = name.startsWith(`${group}-`) && name.endsWith(`-${member}`);
  return isAround && /^[0-9]+$/.test(name.slice(group.length + 1, -member.length - 1));
}

/** An autoscaler has the name of what it scales, so two targets of one name would clash. */
function autoscalerClashes({ cliques, podCliqueScalingGroups }: DefaultedTemplate): FieldError[] {
  const scaled = new Set(
    cliques.flatMap(({ name, spec }) => (spec.autoScalingConfig === undefined ? [] : [name])),
  );
  return podCliqueScalingGroups.flatMap(({ name, scaleConfig }, index) => {
    if (scaleConfig === undefined || !scaled.has(name)) return [];
    const detail =
      "a clique of this name is scaled too, and their autoscalers would have one name: rename one";
    return [invalid(`spec.template.podCliqueScalingGroups[${index}].name`, name, detail)];
  });
}
