/** Rules on the order in which cliques start: names that exist, and no clique that waits for itself. */
import type { Rule } from "../../definition/custom-kind.ts";
import { everyClique } from "./named-rules.ts";

const isNotExplicit = "self.cliqueStartupType != 'CliqueStartupTypeExplicit'";
const waits = (clique: string): string =>
  `has(${clique}.spec.startsAfter) && ${clique}.spec.startsAfter.size() > 0`;

/** So many cliques with `startsAfter` are looked at; longer chains and more names would cost too much. */
export const mostOrderedCliques = 15;
const mostNames = 256;

/** Cliques that can start once those in `s` have: after as many steps as there are that wait, all that ever can. */
const oneStep =
  ".map(s, self.cliques.map(c, !has(c.spec.startsAfter) || c.spec.startsAfter.all(n, n in s), c.name))";
const canStart = `[['']]${oneStep.repeat(mostOrderedCliques + 1)}`;

const isTooLarge =
  `self.cliques.filter(c, ${waits("c")}).size() > ${mostOrderedCliques} || ` +
  `self.cliques.map(c, has(c.spec.startsAfter) ? c.spec.startsAfter.size() : 0).sum() > ${mostNames}`;
const areKnown =
  "self.cliques.all(c, !has(c.spec.startsAfter) || " +
  "c.spec.startsAfter.all(n, n != c.name && self.cliques.exists(d, d.name == n)))";

export const startupRules: readonly Rule[] = [
  everyClique(
    `${isNotExplicit} || !has(c.spec.startsAfter) || ` +
      "c.spec.startsAfter.all(n, self.cliques.exists(d, d.name == n))",
    "cliques[].spec.startsAfter names a clique that is not in cliques: add the clique or correct the name",
  ),
  everyClique(
    `${isNotExplicit} || !has(c.spec.startsAfter) || !(c.name in c.spec.startsAfter)`,
    "cliques[].spec.startsAfter names its own clique: remove it",
  ),
  {
    rule:
      `${isNotExplicit} || ${isTooLarge} || !(${areKnown}) || ` +
      `${canStart}.all(s, s.size() == self.cliques.size())`,
    message:
      "cliques[].spec.startsAfter: cliques wait for each other, so none of them could start: remove a name",
    messageExpression:
      `${canStart}.map(s, ` +
      "self.cliques.map(c, !(c.name in s), 'cliques[' + c.name + '].spec.startsAfter: cliques wait for each other, " +
      "so that this one could never start: remove a name')[0])[0]",
  },
];
