/** Rules between the parts of a PodCliqueSet's template, and on the set as a whole. */
import type { Rule } from "../../definition/custom-kind.ts";
import { nameBudget } from "../names.ts";
import { everyClique, everyGroup, first } from "./named-rules.ts";
import { frozen, recreate } from "./rules.ts";
import { startupRules } from "./startup-rules.ts";

const groups = "self.podCliqueScalingGroups";
const noGroups = `!has(${groups})`;
const isMember = (clique: string): string => `${groups}.exists(g, ${clique}.name in g.cliqueNames)`;
const scheduler = (clique: string): string =>
  `(has(${clique}.spec.podSpec.schedulerName) ? ${clique}.spec.podSpec.schedulerName : '')`;

/** Names what was added, or else what was removed. */
const sameNames = (list: string): Pick<Rule, "rule" | "messageExpression"> => {
  const text = (sign: string, item: string): string =>
    `'${list} cannot be added, removed or renamed (${sign}' + ${item}.name + '): ${recreate}'`;
  const isNew = `!oldSelf.${list}.exists(b, b.name == a.name)`;
  const isGone = `!self.${list}.exists(a, a.name == b.name)`;
  return {
    rule:
      `self.${list}.size() == oldSelf.${list}.size() && ` +
      `self.${list}.all(a, oldSelf.${list}.exists(b, b.name == a.name))`,
    messageExpression:
      `self.${list}.exists(a, ${isNew}) ? ${first(`self.${list}`, "a", isNew, text("+", "a"))} : ` +
      first(`oldSelf.${list}`, "b", isGone, text("-", "b")),
  };
};

const memberRules: readonly Rule[] = [
  everyGroup(
    "g.cliqueNames.all(n, self.cliques.exists(c, c.name == n))",
    "podCliqueScalingGroups[].cliqueNames names a clique that is not in cliques: add the clique or correct the name",
  ),
  everyClique(
    `${noGroups} || ${groups}.filter(g, c.name in g.cliqueNames).size() <= 1`,
    "cliques[] is in two scaling groups: keep it in cliqueNames of one of them",
  ),
  everyClique(
    `${noGroups} || !has(c.updateStrategy) || !${isMember("c")}`,
    "cliques[].updateStrategy is set on a clique of a scaling group, which is replaced as a whole: " +
      "move it to podCliqueScalingGroups[].updateStrategy",
  ),
  everyClique(
    `${noGroups} || !has(c.spec.autoScalingConfig) || !${isMember("c")}`,
    "cliques[].spec.autoScalingConfig is set on a clique of a scaling group, which is scaled as a whole: " +
      "move it to podCliqueScalingGroups[].scaleConfig",
  ),
];

const claims = "self.resourceClaimTemplates";
const isInternal = (share: string): string =>
  `(has(${claims}) && ${claims}.exists(t, t.name == ${share}.name))`;
const staysHere = (list: string): string =>
  `!has(${list}) || ${list}.all(s, !has(s.__namespace__) || s.__namespace__ == '' || !${isInternal("s")})`;
const elsewhere =
  "resourceSharing[].namespace is set for a template of resourceClaimTemplates, which is in no namespace: remove it";

const sharingRules: readonly Rule[] = [
  { rule: staysHere("self.resourceSharing"), message: elsewhere },
  everyClique(staysHere("c.resourceSharing"), `cliques[].${elsewhere}`),
  everyGroup(staysHere("g.resourceSharing"), `podCliqueScalingGroups[].${elsewhere}`),
  {
    rule:
      "!has(self.resourceSharing) || self.resourceSharing.all(s, !has(s.filter) || " +
      "!has(s.filter.childCliqueNames) || " +
      "s.filter.childCliqueNames.all(n, self.cliques.exists(c, c.name == n)))",
    message:
      "resourceSharing[].filter.childCliqueNames names a clique that is not in cliques: correct the name",
  },
  {
    rule:
      "!has(self.resourceSharing) || self.resourceSharing.all(s, !has(s.filter) || " +
      "!has(s.filter.childScalingGroupNames) || " +
      `s.filter.childScalingGroupNames.all(n, has(${groups}) && ${groups}.exists(g, g.name == n)))`,
    message:
      "resourceSharing[].filter.childScalingGroupNames names a group that is not in podCliqueScalingGroups: " +
      "correct the name",
  },
  frozen("resourceClaimTemplates", recreate),
];

const hasTopology = (place: string): string =>
  `has(${place}.topologyConstraint) && has(${place}.topologyConstraint.topologyName)`;
const sameTopology = (a: string, b: string): string =>
  `!(${hasTopology(b)}) || ${a}.topologyConstraint.topologyName == ${b}.topologyConstraint.topologyName`;
/** The topology of one place is that of the set itself, and of all cliques and groups before it. */
const agreesWithAll = (place: string): string =>
  `!(${hasTopology(place)}) || ((${sameTopology(place, "self")}) && ` +
  `self.cliques.all(d, ${sameTopology(place, "d")}))`;
const differs =
  "topologyConstraint.topologyName differs within the set, and one gang has one topology: name the same everywhere";

const topologyRules: readonly Rule[] = [
  everyClique(agreesWithAll("c"), `cliques[].${differs}`),
  everyGroup(
    `!(${hasTopology("g")}) || ((${agreesWithAll("g")}) && ${groups}.all(h, ${sameTopology("g", "h")}))`,
    `podCliqueScalingGroups[].${differs}`,
  ),
];

const frozenRules: readonly Rule[] = [
  {
    ...sameNames("cliques"),
    message: `cliques cannot be added, removed or renamed: ${recreate}`,
  },
  {
    rule:
      "self.cliqueStartupType == 'CliqueStartupTypeAnyOrder' || " +
      "self.cliques.map(c, c.name) == oldSelf.cliques.map(c, c.name)",
    message: "cliques cannot be reordered, since their order is the order of start: keep the order",
  },
  {
    rule: `has(${groups}) == has(oldSelf.podCliqueScalingGroups)`,
    message: `podCliqueScalingGroups cannot be added or removed: ${recreate}`,
  },
  {
    ...onlyWithGroups(sameNames("podCliqueScalingGroups")),
    message: `podCliqueScalingGroups cannot be added, removed or renamed: ${recreate}`,
  },
  {
    rule: "has(self.topologyConstraint) == has(oldSelf.topologyConstraint)",
    message: `topologyConstraint cannot be added or removed: ${recreate}`,
  },
  everyClique(
    "oldSelf.cliques.all(o, o.name != c.name || has(o.topologyConstraint) == has(c.topologyConstraint))",
    `cliques[].topologyConstraint cannot be added or removed: ${recreate}`,
  ),
  everyGroup(
    "!has(oldSelf.podCliqueScalingGroups) || " +
      "oldSelf.podCliqueScalingGroups.all(o, o.name != g.name || " +
      "has(o.topologyConstraint) == has(g.topologyConstraint))",
    `podCliqueScalingGroups[].topologyConstraint cannot be added or removed: ${recreate}`,
  ),
  frozen("resourceSharing", recreate),
];

function onlyWithGroups({
  rule,
  messageExpression,
}: Pick<Rule, "rule" | "messageExpression">): Pick<Rule, "rule" | "messageExpression"> {
  return {
    rule: `${noGroups} || !has(oldSelf.podCliqueScalingGroups) || (${rule})`,
    messageExpression,
  };
}

export const templateRules: readonly Rule[] = [
  everyClique(
    "self.cliques.exists_one(d, d.spec.roleName == c.spec.roleName)",
    "cliques[].spec.roleName is used twice: give every clique a role name of its own",
  ),
  everyClique(
    `[self.cliques[0]].all(d, ${scheduler("c")} == ${scheduler("d")})`,
    "cliques[].spec.podSpec.schedulerName differs from that of the first clique, and one gang has one scheduler: " +
      "set the same everywhere",
  ),
  ...memberRules,
  ...sharingRules,
  ...topologyRules,
  ...startupRules,
  ...frozenRules,
];

const template = "self.spec.template";
const inGroups = `${template}.podCliqueScalingGroups`;

/** Names of pods and hostnames are put together from these; they have to fit 63 characters. */
export const setRules: readonly Rule[] = [
  {
    rule: "!self.metadata.name.contains('.')",
    message:
      "metadata.name has a dot, but it names services and hostnames too: use lower case letters, digits and dashes",
  },
  {
    rule:
      `${template}.cliques.all(c, ` +
      `(has(${inGroups}) && ${inGroups}.exists(g, c.name in g.cliqueNames)) || ` +
      `size(self.metadata.name) + size(c.name) <= ${nameBudget})`,
    message:
      `metadata.name and spec.template.cliques[].name are longer than ${nameBudget} characters together: ` +
      "shorten one of them",
  },
  {
    rule:
      `!has(${inGroups}) || ${inGroups}.all(g, g.cliqueNames.all(n, ` +
      `size(self.metadata.name) + size(g.name) + size(n) <= ${nameBudget}))`,
    message:
      "metadata.name, spec.template.podCliqueScalingGroups[].name and the names of its cliques are longer than " +
      `${nameBudget} characters together: shorten one of them`,
  },
];

/** Checked only when the strategy is written, so that a set can always be scaled in. */
export const specRules: readonly Rule[] = [
  {
    rule:
      "!has(self.updateStrategy) || !has(self.updateStrategy.rollingUpdate) || " +
      "!has(self.updateStrategy.rollingUpdate.maxUnavailable) || " +
      "type(self.updateStrategy.rollingUpdate.maxUnavailable) != int || self.replicas == 0 || " +
      "self.updateStrategy.rollingUpdate.maxUnavailable <= self.replicas || " +
      "(oldSelf.?updateStrategy.hasValue() && " +
      "oldSelf.?updateStrategy.value() == self.updateStrategy)",
    message:
      "updateStrategy.rollingUpdate.maxUnavailable is above replicas: lower it or write a percentage",
    optionalOldSelf: true,
  },
];
