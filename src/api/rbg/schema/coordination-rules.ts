/** Rules on one coordination, checked by the API server. */
import type { Rule } from "../../definition/custom-kind.ts";

const flat = "self.strategy";
const nested = "self.strategy.rollingUpdate";
const rollingFields = ["maxUnavailableRatio", "maxUnavailable", "maxSkew", "partition", "steps"];

const hasAny = (place: string, fields: readonly string[]): string =>
  `(${fields.map((field) => `has(${place}.${field})`).join(" || ")})`;
const isFlat = hasAny(flat, [...rollingFields, "progressDeadlineSeconds"]);
const both = (a: string, b: string): string =>
  `!(has(${flat}.${a}) && has(${flat}.${b})) && ` +
  `!(has(${nested}) && has(${nested}.${a}) && has(${nested}.${b}))`;

const shapeRules: readonly Rule[] = [
  {
    rule: "!has(self.type) || self.type != 'AffinityScheduling' || has(self.strategy.affinityScheduling)",
    message:
      "strategy.affinityScheduling is missing for type AffinityScheduling: add it with the ratios of the roles",
  },
  {
    rule: "!has(self.type) || self.type != 'RollingUpdate' || !has(self.strategy.affinityScheduling)",
    message:
      "strategy.affinityScheduling has no place in type RollingUpdate: use type AffinityScheduling, or remove it",
  },
  {
    rule: `!has(self.strategy.affinityScheduling) || !(${isFlat} || has(${nested}))`,
    message:
      "strategy has affinityScheduling and settings of a rolling update: write two coordinations, one for each",
  },
  {
    rule: `!(has(${nested}) && ${isFlat})`,
    message:
      "strategy.rollingUpdate is set beside the same settings in strategy: keep them in one of the two places",
  },
];

const rollingRules: readonly Rule[] = [
  {
    rule: both("maxUnavailable", "maxUnavailableRatio"),
    message: "strategy: maxUnavailable and maxUnavailableRatio mean the same: keep one of them",
  },
  {
    rule: both("maxSkew", "steps"),
    message:
      "strategy: maxSkew and steps are both set, but the steps already say what the skew is: remove one of them",
  },
];

const stepsNameRoles = (place: string): string =>
  `!has(${place}.steps) || ${place}.steps.all(s, s.roles.all(r, r in self.roles))`;
const wrongStep =
  "strategy.steps[].roles names a role that is not in roles of the coordination: add it or correct the name";

const ratios = "self.strategy.affinityScheduling.ratios";

export const coordinationRules: readonly Rule[] = [
  ...shapeRules,
  ...rollingRules,
  { rule: stepsNameRoles(flat), message: wrongStep },
  { rule: `!has(${nested}) || ${stepsNameRoles(nested)}`, message: wrongStep },
  {
    rule:
      "!has(self.strategy.affinityScheduling) || " +
      `(size(${ratios}) == size(self.roles) && self.roles.all(r, r in ${ratios}))`,
    message:
      "strategy.affinityScheduling.ratios has to name exactly the roles of the coordination: add or remove entries",
  },
];

export const stepRules: readonly Rule[] = [
  {
    rule: "size(self.roles) > 0",
    message:
      "steps[].roles is empty: name the roles that this step updates, for example {frontend: 50%}",
  },
];
