/** What a template asks of the topology: which binding, which domains, and whether they fit into each other. */
import type { FieldError } from "../field-error.ts";
import { invalid } from "../field-error.ts";
import type { DefaultedTemplate } from "./defaults.ts";
import type { TopologyConstraint } from "./podcliqueset.ts";

/** One constraint of a template, and the ones around it, nearest first. */
export interface PlacedConstraint {
  readonly path: string;
  readonly constraint: TopologyConstraint;
  readonly around: readonly TopologyConstraint[];
}

export function topologyConstraints(template: DefaultedTemplate): PlacedConstraint[] {
  const { topologyConstraint: whole, podCliqueScalingGroups, cliques } = template;
  const ofSet = whole === undefined ? [] : [whole];
  const placed = (
    path: string,
    constraint: TopologyConstraint | undefined,
    around: readonly TopologyConstraint[],
  ): PlacedConstraint[] =>
    constraint === undefined
      ? []
      : [{ path: `${path}.topologyConstraint`, constraint, around: [...around] }];
  return [
    ...placed("spec.template", whole, []),
    ...podCliqueScalingGroups.flatMap(({ topologyConstraint }, index) =>
      placed(`spec.template.podCliqueScalingGroups[${index}]`, topologyConstraint, ofSet),
    ),
    ...cliques.flatMap(({ name, topologyConstraint }, index) => {
      const group = podCliqueScalingGroups.find(({ cliqueNames }) => cliqueNames.includes(name));
      const around = group?.topologyConstraint === undefined ? [] : [group.topologyConstraint];
      return placed(`spec.template.cliques[${index}]`, topologyConstraint, [...around, ...ofSet]);
    }),
  ];
}

/** The one binding that a set names: the definition refuses sets that name two. */
export const topologyNameOf = (template: DefaultedTemplate): string | undefined =>
  topologyConstraints(template).find(({ constraint }) => constraint.topologyName !== undefined)
    ?.constraint.topologyName;

export const requiredDomain = ({ pack, packDomain }: TopologyConstraint): string | undefined =>
  pack?.required ?? packDomain;

export const preferredDomain = ({ pack }: TopologyConstraint): string | undefined =>
  pack?.preferred;

/** Every domain that is asked for, once, in the order of the template. */
export const topologyDomains = (template: DefaultedTemplate): readonly string[] => [
  ...new Set(
    topologyConstraints(template).flatMap(({ constraint }) =>
      [requiredDomain(constraint), preferredDomain(constraint)].filter(
        (domain) => domain !== undefined,
      ),
    ),
  ),
];

/** Constraints that are broader than one around them, which then have no effect. `levels` are broadest first. */
export function broaderThanAround(
  template: DefaultedTemplate,
  levels: readonly string[],
): FieldError[] {
  return topologyConstraints(template).flatMap(({ path, constraint, around }) =>
    [
      { field: "required", domainOf: requiredDomain },
      { field: "preferred", domainOf: preferredDomain },
    ].flatMap(({ field, domainOf }) => {
      const own = domainOf(constraint);
      const narrower = around
        .map(domainOf)
        .find((domain) => isBroader(own, domain, levels) && domain !== undefined);
      if (narrower === undefined) return [];
      const detail = `is broader than ${narrower}, which holds around it: name ${narrower} or a domain below it`;
      return [invalid(`${path}.pack.${field}`, own, detail)];
    }),
  );
}

/** A preference for more room than is required anyway. */
export function idlePreferences(
  template: DefaultedTemplate,
  levels: readonly string[],
): readonly string[] {
  return topologyConstraints(template).flatMap(({ path, constraint }) => {
    const [required, preferred] = [requiredDomain(constraint), preferredDomain(constraint)];
    if (!isBroader(preferred, required, levels)) return [];
    const why = `${preferred} is broader than ${required}, which is required`;
    return [`${path}.pack.preferred has no effect: ${why}: remove it`];
  });
}

function isBroader(
  domain: string | undefined,
  than: string | undefined,
  levels: readonly string[],
): boolean {
  const [own, other] = [levels.indexOf(domain ?? ""), levels.indexOf(than ?? "")];
  return own >= 0 && other >= 0 && own < other;
}
