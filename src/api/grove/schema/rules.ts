/** Rules that the API server checks on cliques, scaling groups, budgets and topology constraints. */
import type { Rule } from "../../definition/custom-kind.ts";

/** An optional field that stays as it was: neither changed, added nor removed. */
export const frozen = (field: string, fix: string): Rule => ({
  rule:
    `has(self.${field}) == has(oldSelf.${field}) && ` +
    `(!has(self.${field}) || self.${field} == oldSelf.${field})`,
  message: `${field} cannot be changed: ${fix}`,
});

/** A field that is always there and stays as it was. */
export const frozenValue = (name: string, fix: string): Rule => ({
  rule: "self == oldSelf",
  message: `${name} cannot be changed: ${fix}`,
});

/** What is listed twice in a list whose order counts. */
export const eachOnce = (name: string): Rule => ({
  rule: "self.all(a, self.exists_one(b, a == b))",
  message: `${name} has a name twice: remove one of them`,
});

export const recreate = "delete the PodCliqueSet and create it anew";

const isZero = (field: string): string => `(self.${field} == 0 || self.${field} == '0%')`;

export const budgetRules: readonly Rule[] = [
  {
    rule:
      `!(has(self.maxUnavailable) && ${isZero("maxUnavailable")} && ` +
      `(!has(self.maxSurge) || ${isZero("maxSurge")}))`,
    message:
      "maxUnavailable and maxSurge are both 0, so nothing could ever be replaced: set one of them to 1 or more",
  },
];

export const autoScalingRules: readonly Rule[] = [
  {
    rule: "!has(self.minReplicas) || self.minReplicas <= self.maxReplicas",
    message: "maxReplicas is below minReplicas: raise maxReplicas or lower minReplicas",
    fieldPath: ".maxReplicas",
  },
];

const replicas = "(self.replicas > 0 ? self.replicas : 1)";
const oldReplicas = "(oldSelf.replicas > 0 ? oldSelf.replicas : 1)";
const minAvailable = `(has(self.minAvailable) ? self.minAvailable : ${replicas})`;
const oldMinAvailable = `(has(oldSelf.minAvailable) ? oldSelf.minAvailable : ${oldReplicas})`;

export const cliqueSpecRules: readonly Rule[] = [
  {
    rule: `!has(self.minAvailable) || self.minAvailable <= ${replicas}`,
    message: "minAvailable is above replicas: lower minAvailable or raise replicas",
    fieldPath: ".minAvailable",
  },
  {
    rule: `${minAvailable} == ${oldMinAvailable}`,
    message:
      "minAvailable cannot be changed, and it is replicas where it is not set: " +
      "set it to what it was when changing replicas",
  },
  {
    rule:
      "!has(self.autoScalingConfig) || !has(self.autoScalingConfig.minReplicas) || " +
      `self.autoScalingConfig.minReplicas >= ${minAvailable}`,
    message:
      "autoScalingConfig.minReplicas is below minAvailable: raise it, or set minAvailable lower",
  },
  {
    rule: `!has(self.autoScalingConfig) || self.autoScalingConfig.maxReplicas >= ${replicas}`,
    message: "autoScalingConfig.maxReplicas is below replicas: raise it or lower replicas",
  },
  frozen("startsAfter", recreate),
  {
    rule:
      "(has(self.podSpec.schedulerName) ? self.podSpec.schedulerName : '') == " +
      "(has(oldSelf.podSpec.schedulerName) ? oldSelf.podSpec.schedulerName : '')",
    message: `podSpec.schedulerName cannot be changed: ${recreate}`,
  },
];

const onlyAtCreation = (field: string, instead: string): Rule => ({
  rule: `oldSelf.hasValue() || !has(self.spec.podSpec.${field})`,
  message: `spec.podSpec.${field} may not be set: ${instead}`,
  optionalOldSelf: true,
});

export const cliqueRules: readonly Rule[] = [
  onlyAtCreation("nodeName", "the scheduler places whole gangs; use nodeSelector or affinity"),
  onlyAtCreation("topologySpreadConstraints", "it works against gangs; use topologyConstraint"),
  {
    rule:
      "!has(self.updateStrategy) || !has(self.updateStrategy.maxUnavailable) || " +
      "type(self.updateStrategy.maxUnavailable) != int || self.updateStrategy.maxUnavailable <= 1 || " +
      "self.updateStrategy.maxUnavailable <= self.spec.replicas",
    message: "updateStrategy.maxUnavailable is above spec.replicas: lower it or write a percentage",
  },
  frozen("resourceSharing", recreate),
];

export const scalingGroupRules: readonly Rule[] = [
  {
    rule: "self.minAvailable <= self.replicas",
    message: "minAvailable is above replicas: lower minAvailable or raise replicas",
    fieldPath: ".minAvailable",
  },
  {
    rule:
      "!has(self.scaleConfig) || " +
      "(has(self.scaleConfig.minReplicas) ? self.scaleConfig.minReplicas : self.replicas) >= self.minAvailable",
    message: "scaleConfig.minReplicas is below minAvailable: raise it, or set minAvailable lower",
  },
  {
    rule: "!has(self.scaleConfig) || self.scaleConfig.maxReplicas >= self.replicas",
    message: "scaleConfig.maxReplicas is below replicas: raise it or lower replicas",
  },
  {
    rule:
      "!has(self.updateStrategy) || !has(self.updateStrategy.maxUnavailable) || " +
      "type(self.updateStrategy.maxUnavailable) != int || " +
      "self.updateStrategy.maxUnavailable <= self.replicas",
    message: "updateStrategy.maxUnavailable is above replicas: lower it or write a percentage",
  },
  {
    rule:
      "!has(self.resourceSharing) || self.resourceSharing.all(s, !has(s.filter) || " +
      "s.filter.childCliqueNames.all(n, n in self.cliqueNames))",
    message:
      "resourceSharing[].filter.childCliqueNames names a clique that is not in cliqueNames: correct the name",
  },
  frozen("resourceSharing", recreate),
];

/** A filter without any name would share with nothing. */
export const filterRules: readonly Rule[] = [
  {
    rule: "has(self.childCliqueNames) || has(self.childScalingGroupNames)",
    message: "filter is empty: name cliques or scaling groups, or remove it to share with all",
  },
];

const required = (self: string): string =>
  `(has(${self}.pack) && has(${self}.pack.required) ? ${self}.pack.required : ` +
  `(has(${self}.packDomain) ? ${self}.packDomain : ''))`;
const preferred = (self: string): string =>
  `(has(${self}.pack) && has(${self}.pack.preferred) ? ${self}.pack.preferred : '')`;

export const topologyRules: readonly Rule[] = [
  {
    rule: "has(self.pack) || has(self.packDomain)",
    message: "pack is missing: say pack.required or pack.preferred",
  },
  {
    rule: "!has(self.pack) || has(self.pack.required) || has(self.pack.preferred)",
    message: "pack is empty: say pack.required or pack.preferred",
  },
  {
    rule: "!(has(self.packDomain) && has(self.pack) && has(self.pack.required))",
    message: "packDomain and pack.required say the same thing: keep pack.required only",
  },
  {
    rule: "oldSelf.hasValue() || !has(self.packDomain)",
    message: "packDomain is deprecated: write pack.required instead",
    optionalOldSelf: true,
  },
  {
    rule:
      `${required("self")} == ${required("oldSelf")} && ` +
      `${preferred("self")} == ${preferred("oldSelf")}`,
    message: `pack cannot be changed: ${recreate}`,
  },
  {
    rule:
      "!has(oldSelf.topologyName) || " +
      "(has(self.topologyName) && self.topologyName == oldSelf.topologyName)",
    message: `topologyName cannot be changed: ${recreate}`,
  },
];
