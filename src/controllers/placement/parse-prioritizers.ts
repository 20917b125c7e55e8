/** Reads the weights of a Placement's scores. */
import type { PlacementSpec, PrioritizerConfiguration } from "../../api/ocm/placement.ts";
import type { Weights } from "../../planner/index.ts";
import { Misconfigured } from "./misconfigured.ts";

export interface AddOnScoreName {
  readonly resourceName: string;
  readonly scoreName: string;
}

interface Prioritizers {
  readonly weights: Weights;
  /** In the order of their weights. */
  readonly addOnScores: readonly AddOnScoreName[];
  readonly warnings: readonly string[];
}

const builtIns = {
  Balance: "balance",
  Steady: "steady",
  ResourceAllocatableCPU: "cpu",
  ResourceAllocatableMemory: "memory",
} as const;

type BuiltIn = (typeof builtIns)[keyof typeof builtIns];

const noWeights = { balance: 0, steady: 0, cpu: 0, memory: 0 };
const path = "spec.prioritizerPolicy";

export function parsePrioritizers(policy: PlacementSpec["prioritizerPolicy"]): Prioritizers {
  const { mode = "", configurations = [] } = policy ?? {};
  if (!["", "Additive", "Exact"].includes(mode)) {
    const problem = `${path}.mode: incorrect prioritizer policy mode: ${mode}. Use Additive or Exact`;
    throw new Misconfigured("Prioritizer", problem);
  }
  const weights = { ...noWeights, ...(mode === "Exact" ? {} : { balance: 1, steady: 1 }) };
  const addOns: { readonly name: AddOnScoreName; readonly weight: number }[] = [];
  for (const [at, configuration] of configurations.entries()) {
    const weight = configuration.weight ?? 1;
    const meant = coordinateOf(configuration, `${path}.configurations[${at}]`, weight);
    if (meant === undefined) continue;
    if (typeof meant === "string") weights[meant] = weight;
    else addOns.push({ name: meant, weight });
  }
  return {
    weights: {
      ...weights,
      steady: Math.max(0, weights.steady),
      addOns: addOns.map((each) => each.weight),
    },
    addOnScores: addOns.map(({ name }) => name),
    warnings: weights.steady < 0 ? [negativeSteady] : [],
  };
}

const negativeSteady =
  `${path}.configurations: a negative weight of Steady counts as 0: ` +
  "it would replace the selected clusters again and again, without end";

/** Undefined for an unknown score that does not count. */
function coordinateOf(
  { scoreCoordinate }: Partial<PrioritizerConfiguration>,
  at: string,
  weight: number,
): BuiltIn | AddOnScoreName | undefined {
  const refuse = (problem: string): never => {
    throw new Misconfigured("Prioritizer", `${at}.scoreCoordinate${problem}`);
  };
  if (scoreCoordinate === undefined) return refuse(": scoreCoordinate field is required");
  const { type = "BuiltIn", builtIn = "", addOn } = scoreCoordinate;
  const known = Object.entries(builtIns).find(([name]) => name === builtIn);
  if (type !== "AddOn" && known !== undefined) return known[1];
  if (weight === 0) return undefined;
  if (type === "AddOn") {
    return addOn ?? refuse(".addOn: addOn should not be empty. Name a resource and a score");
  }
  const names = Object.keys(builtIns).join(", ");
  return refuse(`.builtIn: incorrect builtin prioritizer: ${builtIn}. Use one of ${names}`);
}
