/** Settings of a PodCliqueSet that are accepted and have no effect, in words for its owner. */
import { isZero } from "../int-or-percent.ts";
import type { DefaultedSetSpec } from "./defaults.ts";
import { withDefaults } from "./defaults.ts";
import { annotationKeys, labelKeys, variables } from "./labels.ts";
import type { PodCliqueSet } from "./podcliqueset.ts";
import { blindScalingWarnings } from "./scaling-warnings.ts";
import type { ComponentUpdateStrategy } from "./update-strategy.ts";
import { isRolling } from "./update-strategy.ts";

const strategyPath = "spec.updateStrategy";

/** A scheduler of this name places pods one by one, so that a startup order can hold some of them back. */
export const orderableScheduler = "default-scheduler";

export type CheckedSet = Pick<PodCliqueSet, "spec"> & {
  readonly metadata?: PodCliqueSet["metadata"];
};

export function warningsOf(set: CheckedSet): string[] {
  const spec = withDefaults(set.spec);
  return [
    ...setBudgetWarnings(spec),
    ...onDeleteWarnings(spec),
    ...stuckWarnings(spec),
    ...componentWarnings(spec),
    ...startupWarnings(spec),
    ...unorderedWarnings(spec),
    ...replicaWarnings(set),
    ...overwrittenWarnings(spec),
    ...fabricWarnings(set),
    ...blindScalingWarnings(spec),
  ];
}

function setBudgetWarnings({ updateStrategy, replicas }: DefaultedSetSpec): string[] {
  const { type, rollingUpdate, partition = 0 } = updateStrategy;
  const budget =
    rollingUpdate !== undefined && isRolling(type)
      ? [
          `${strategyPath}.rollingUpdate has no effect under ${type}, which updates one replica at a time: ` +
            "use type ReplicaRecreate, or set updateStrategy on cliques and scaling groups",
        ]
      : [];
  const held =
    partition > 0 && partition >= replicas && type !== "OnDelete"
      ? [`${strategyPath}.partition is not below replicas, so no replica will be updated: lower it`]
      : [];
  return [...budget, ...held];
}

function onDeleteWarnings({ updateStrategy }: DefaultedSetSpec): string[] {
  if (updateStrategy.type !== "OnDelete") return [];
  const idle = [
    "rollingUpdate",
    "paused",
    "partition",
    "progressDeadlineSeconds",
    "onStuck",
  ] as const;
  return idle
    .filter((field) => updateStrategy[field] !== undefined)
    .map((field) => `${strategyPath}.${field} has no effect under OnDelete: remove it`);
}

function stuckWarnings(spec: DefaultedSetSpec): string[] {
  const { type, onStuck } = spec.updateStrategy;
  if (type === "OnDelete" || onStuck !== "ReleaseSurge" || hasSurge(spec)) return [];
  const missing = isRolling(type)
    ? "updateStrategy.maxSurge of a clique or scaling group"
    : `${strategyPath}.rollingUpdate.maxSurge`;
  return [`${strategyPath}.onStuck has no effect without a surge to release: set ${missing}`];
}

/** Whether anything that this type of update replaces may have surge. */
function hasSurge({
  updateStrategy: { type, rollingUpdate },
  template,
}: DefaultedSetSpec): boolean {
  const parts = [...template.cliques, ...template.podCliqueScalingGroups];
  const budgets = isRolling(type)
    ? parts.map(({ updateStrategy }) => updateStrategy)
    : [rollingUpdate];
  return budgets.some((budget) => !isZero(budget?.maxSurge ?? 0));
}

function componentWarnings({ updateStrategy: { type }, template }: DefaultedSetSpec): string[] {
  const places: (readonly [string, ComponentUpdateStrategy | undefined])[] = [
    ...template.cliques.map(
      (clique) => [`spec.template.cliques[${clique.name}]`, clique.updateStrategy] as const,
    ),
    ...template.podCliqueScalingGroups.map(
      (group) =>
        [`spec.template.podCliqueScalingGroups[${group.name}]`, group.updateStrategy] as const,
    ),
  ];
  if (isRolling(type)) return [];
  return places
    .filter(([, strategy]) => strategy !== undefined)
    .map(([path]) => `${path}.updateStrategy has no effect under ${type}: remove it`);
}

function startupWarnings({ template }: DefaultedSetSpec): string[] {
  if (template.cliqueStartupType === "CliqueStartupTypeExplicit") return [];
  return template.cliques
    .filter(({ spec }) => (spec.startsAfter ?? []).length > 0)
    .map(
      ({ name }) =>
        `spec.template.cliques[${name}].spec.startsAfter has no effect under ${template.cliqueStartupType}: ` +
        "set cliqueStartupType CliqueStartupTypeExplicit",
    );
}

/** See docs/adr/0012-startup-ordering.md. */
function unorderedWarnings({ template }: DefaultedSetSpec): string[] {
  const scheduler = template.cliques[0]?.spec.podSpec.schedulerName ?? orderableScheduler;
  if (scheduler === orderableScheduler) return [];
  const hasOrder =
    template.cliqueStartupType === "CliqueStartupTypeInOrder"
      ? template.cliques.length > 1
      : template.cliqueStartupType === "CliqueStartupTypeExplicit" &&
        template.cliques.some(({ spec }) => (spec.startsAfter ?? []).length > 0);
  if (!hasOrder) return [];
  return [
    `spec.template.cliqueStartupType has no effect under schedulerName ${scheduler}, ` +
      `which places whole gangs at once: use ${orderableScheduler}, or let the containers wait for each other`,
  ];
}

function fabricWarnings({ metadata, spec }: CheckedSet): string[] {
  const { cliques, podCliqueScalingGroups = [] } = spec.template;
  const places = [
    { path: "metadata", annotations: metadata?.annotations },
    ...cliques.map(({ name, annotations }) => ({
      path: `spec.template.cliques[${name}]`,
      annotations,
    })),
    ...podCliqueScalingGroups.map(({ name, annotations }) => ({
      path: `spec.template.podCliqueScalingGroups[${name}]`,
      annotations,
    })),
  ];
  const key = annotationKeys.multiNodeNvlinkGroup;
  return places
    .filter(({ annotations }) => (annotations?.[key] ?? "none") !== "none")
    .map(
      ({ path }) =>
        `${path}.annotations[${key}] has no effect, since no ComputeDomains are made: ` +
        "claim the fabric by resourceSharing",
    );
}

function replicaWarnings({ spec }: Pick<PodCliqueSet, "spec">): string[] {
  return spec.template.cliques
    .filter((clique) => clique.spec.replicas === 0)
    .map(
      ({ name }) =>
        `spec.template.cliques[${name}].spec.replicas of 0 stands for 1: scale the PodClique itself to 0`,
    );
}

const ownLabels: ReadonlySet<string> = new Set(Object.values(labelKeys));
const ownVariables: ReadonlySet<string> = new Set(Object.values(variables));
const ownPodFields = ["hostname", "subdomain", "schedulingGates"] as const;

/** The identity of a pod cannot be set in its template. */
function overwrittenWarnings({ template }: DefaultedSetSpec): string[] {
  return template.cliques.flatMap(({ name, labels = {}, spec: { podSpec } }) => {
    const path = `spec.template.cliques[${name}]`;
    const containers = [...podSpec.containers, ...(podSpec.initContainers ?? [])];
    const set = containers.flatMap((container) => {
      const { env = [] } = container;
      return env.filter((each) => ownVariables.has(each.name)).map((each) => each.name);
    });
    return [
      ...Object.keys(labels)
        .filter((key) => ownLabels.has(key))
        .map((key) => `${path}.labels[${key}]`),
      ...ownPodFields
        .filter((field) => podSpec[field] !== undefined)
        .map((field) => `${path}.spec.podSpec.${field}`),
      ...[...new Set(set)].map((variable) => `${path}.spec.podSpec: the variable ${variable}`),
    ].map((what) => `${what} has no effect, since every pod is given its own: remove it`);
  });
}
