/** Rules between the roles and coordinations of a RoleBasedGroup, and on the group as a whole. */
import type { Rule } from "../../definition/custom-kind.ts";
import { nameBudget } from "../names.ts";
import { mostRoles } from "./fields.ts";

const coordinations = "self.coordination";
const none = `!has(${coordinations})`;
const isAffinity = (c: string): string => `has(${c}.strategy.affinityScheduling)`;
/** A coordination that only scales updates nothing. */
const isRolling = (c: string): string =>
  `(!${isAffinity(c)} && ((has(${c}.type) && ${c}.type == 'RollingUpdate') || ` +
  `has(${c}.strategy.rollingUpdate) || !has(${c}.strategy.scaling)))`;
const ratio = (c: string, r: string): string =>
  `${c}.strategy.affinityScheduling.ratios[${r}.name]`;

const memberRules: readonly Rule[] = [
  {
    rule: `${none} || ${coordinations}.all(c, c.roles.all(n, self.roles.exists(r, r.name == n)))`,
    message:
      "coordination[].roles names a role that is not in roles: add the role or correct the name",
  },
  {
    rule:
      `${none} || ${coordinations}.all(c, !${isRolling("c")} || ` +
      "self.roles.all(r, !has(r.rolloutStrategy) || !(r.name in c.roles)))",
    message:
      "roles[].rolloutStrategy is set on a role that a coordination updates: remove it, and write maxUnavailable " +
      "and partition into the coordination",
  },
  {
    rule:
      `${none} || self.roles.all(r, ` +
      `${coordinations}.filter(c, ${isRolling("c")} && r.name in c.roles).size() <= 1 && ` +
      `${coordinations}.filter(c, ${isAffinity("c")} && r.name in c.roles).size() <= 1)`,
    message:
      "coordination[].roles: a role is in two coordinations of one type: keep it in one, or join the two",
  },
];

const workloadRules: readonly Rule[] = [
  {
    rule:
      `${none} || ${coordinations}.all(c, !${isRolling("c")} || ` +
      "self.roles.all(r, r.workload.kind != 'Deployment' || !(r.name in c.roles)))",
    message:
      "coordination[].roles names a role under Deployment, whose pods have no order to stop at: set " +
      "roles[].workload.kind StatefulSet, or take the role out of the coordination",
  },
  {
    rule:
      `${none} || ${coordinations}.all(c, !${isAffinity("c")} || ` +
      "self.roles.all(r, r.workload.kind in ['StatefulSet', 'Pod'] || !(r.name in c.roles)))",
    message:
      "coordination[].roles of type AffinityScheduling names a role whose pods another controller makes: remove " +
      "roles[].workload, since Lockstep makes the pods of such roles itself",
  },
];

/** What layOutBatches says in the planner, as far as the API server can say it. */
const batchRules: readonly Rule[] = [
  {
    rule:
      `${none} || ${coordinations}.all(c, !${isAffinity("c")} || ` +
      "self.roles.all(r, !(r.name in c.strategy.affinityScheduling.ratios) || " +
      `r.replicas % ${ratio("c", "r")} == 0))`,
    message:
      "coordination[].strategy.affinityScheduling.ratios: the replicas of a role are no multiple of its ratio, so " +
      "some pods would be in no batch: change roles[].replicas or the ratio",
  },
  {
    rule:
      `${none} || ${coordinations}.all(c, !${isAffinity("c")} || ` +
      "self.roles.all(r, !(r.name in c.strategy.affinityScheduling.ratios) || " +
      "self.roles.all(o, !(o.name in c.strategy.affinityScheduling.ratios) || " +
      `r.replicas / ${ratio("c", "r")} == o.replicas / ${ratio("c", "o")})))`,
    message:
      "coordination[].strategy.affinityScheduling.ratios: the roles fill different numbers of batches: change " +
      "roles[].replicas so that replicas divided by ratio is the same for each",
  },
];

/** One round: the names of roles whose dependencies are all among those of the round before. */
const nextRound =
  ".map(d, self.roles.filter(r, !has(r.dependencies) || r.dependencies.all(n, n in d)).map(r, r.name))";

const isKnown = "self.roles.exists(o, o.name == n)";
/** Those are named by rules of their own: no role waits for them in a circle. */
const hasWrongOnes =
  "self.roles.exists(r, has(r.dependencies) && " +
  `r.dependencies.exists(n, n == r.name || !${isKnown}))`;

const dependencyRules: readonly Rule[] = [
  {
    rule: `self.roles.all(r, !has(r.dependencies) || r.dependencies.all(n, ${isKnown}))`,
    message:
      "roles[].dependencies names a role that is not in roles: add the role or correct the name",
  },
  {
    rule:
      `self.roles.all(r, !has(r.dependencies)) || ${hasWrongOnes} || ` +
      `[self.roles.filter(r, !has(r.dependencies)).map(r, r.name)]${nextRound.repeat(mostRoles - 1)}` +
      ".all(d, d.size() == self.roles.size())",
    message:
      "roles[].dependencies: roles wait for each other, so none of them would ever start: " +
      "remove one of the dependencies",
  },
];

const templateRules: readonly Rule[] = [
  {
    rule:
      "self.roles.all(r, !has(r.templateRef) || " +
      "(has(self.roleTemplates) && self.roleTemplates.exists(t, t.name == r.templateRef.name)))",
    message:
      "roles[].templateRef.name is not in roleTemplates: add the template or correct the name",
  },
];

export const groupRules: readonly Rule[] = [
  ...memberRules,
  ...workloadRules,
  ...batchRules,
  ...dependencyRules,
  ...templateRules,
];

export const nameRules: readonly Rule[] = [
  {
    rule: "!self.metadata.name.contains('.')",
    message:
      "metadata.name has a dot, but it names services and hostnames too: use lower case letters, digits and dashes",
  },
  {
    rule: `self.spec.roles.all(r, size(self.metadata.name) + size(r.name) <= ${nameBudget})`,
    message:
      `metadata.name and spec.roles[].name are longer than ${nameBudget} characters together: ` +
      "shorten one of them",
  },
];

/** Groups of a set have a number behind its name. */
export const setNameRules: readonly Rule[] = [
  {
    rule: "!self.metadata.name.contains('.')",
    message:
      "metadata.name has a dot, but it names services and hostnames too: use lower case letters, digits and dashes",
  },
  {
    rule:
      "self.spec.template.roles.all(r, " +
      `size(self.metadata.name) + size(r.name) + 1 + size(string(self.spec.replicas)) <= ${nameBudget})`,
    message:
      `metadata.name, the number of a group and spec.template.roles[].name are longer than ${nameBudget} ` +
      "characters together: shorten one of them",
  },
];
