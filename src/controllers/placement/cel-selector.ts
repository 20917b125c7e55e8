/** Chooses clusters by CEL expressions over `managedCluster`, as Open Cluster Management writes them. */
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import type { ManagedCluster } from "../../api/ocm/managed-cluster.ts";
import { functionNames, newEnvironment } from "../../cel/environment.ts";
import { CostMeter, meterExpression } from "../../cel/cost.ts";
import { calls } from "../../cel/expression-tree.ts";
import { parseRule } from "../../cel/parse-rule.ts";
import { compileProblemText } from "../../cel/problem-text.ts";
import { RuleProblem } from "../../cel/rule-problem.ts";
import { memoizeByIdentity } from "../engine/memoize.ts";
import { clusterValue } from "./cluster-value.ts";

export interface ClusterScore {
  readonly name: string;
  readonly value?: number;
}

/** The scores of an AddOnPlacementScore of this cluster; undefined where there is none. */
export type ScoresByName = (resourceName: string) => readonly ClusterScore[] | undefined;

export interface CelSelector {
  /** Names of the AddOnPlacementScores that it reads; `*` where an expression computes one. */
  readonly scoreNames: readonly string[];
  /** An error, too high a cost, and an answer that is neither true nor false are no match. */
  evaluate(cluster: ManagedCluster, scores: ScoresByName): Evaluation;
}

interface Evaluation {
  readonly isMatch: boolean;
  /** In the units that Kubernetes counts. */
  readonly cost: number;
  /** Characters times instructions of patterns, which Kubernetes does not count. */
  readonly patternSteps: number;
}

const compiled = new Map<string, CelSelector>();
const compiledAtMost = 1000;
/** Of characters; what is compiled from more is kept by its Placement alone. */
const longestKept = 1000;

/** Throws RuleProblem with the compiler's words. */
export function celSelector(expression: string): CelSelector {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const selector = compile(expression);
  if (expression.length > longestKept) return selector;
  if (compiled.size >= compiledAtMost) compiled.clear();
  compiled.set(expression, selector);
  return selector;
}

function compile(expression: string): CelSelector {
  const parsed = parseRule(environment(), expression);
  const result = parsed.check();
  if (!result.valid) {
    throw new RuleProblem(compileProblemText(result.error, expression, functionNames()));
  }
  const meter = new CostMeter();
  meterExpression(parsed.ast, meter);
  return {
    scoreNames: scoreNamesOf(parsed.ast),
    evaluate(cluster, scores) {
      const managedCluster = valueOf(cluster);
      scoresOf.set(managedCluster, scores);
      meter.reset();
      let isMatch = false;
      try {
        // Logical operators swallow errors; too high a cost is no match whatever they answer.
        isMatch = parsed({ managedCluster }) === true && !meter.isExceeded;
      } catch {
        // An error is no match.
      }
      return { isMatch, cost: meter.spent, patternSteps: meter.patternSteps };
    },
  };
}

let declared: Environment | undefined;

function environment(): Environment {
  declared ??= newEnvironment()
    .registerVariable("managedCluster", "dyn")
    .registerFunction("dyn.scores(string): list", (cluster: object, name: string) => {
      const scores = scoresOf.get(cluster)?.(name);
      if (scores === undefined) throw new RuleProblem(`no AddOnPlacementScore ${name}`);
      return scores.map((score) => ({ name: score.name, value: BigInt(score.value ?? 0) }));
    })
    .registerFunction("string.parseJSON(): dyn", (text: string): unknown => JSON.parse(text));
  return declared;
}

const scoresOf = new WeakMap<object, ScoresByName>();
/** Objects from caches never change, so each is converted once. */
const valueOf = memoizeByIdentity(clusterValue);

function scoreNamesOf(ast: ASTNode): readonly string[] {
  const names = calls(ast, "scores").map(([first]) =>
    first?.op === "value" && typeof first.args === "string" ? first.args : "*",
  );
  return [...new Set(names)];
}
