/** Reads the tolerations of a Placement. */
import type { PlacementToleration } from "../../api/ocm/placement.ts";
import type { Toleration } from "../../planner/index.ts";
import { Misconfigured } from "./misconfigured.ts";

export const parseTolerations = (
  tolerations: readonly PlacementToleration[],
): readonly Toleration[] =>
  tolerations.map((each, at) => parseToleration(each, `spec.tolerations[${at}]`));

function parseToleration(toleration: PlacementToleration, path: string): Toleration {
  const { key = "", value = "", effect, tolerationSeconds: seconds } = toleration;
  const operator = toleration.operator === undefined ? "Equal" : toleration.operator;
  const refuse = (problem: string): never => {
    throw new Misconfigured("TaintToleration", `${path}${problem}`);
  };
  switch (operator) {
    case "Exists":
      if (value !== "") {
        return refuse(
          ".value: If the operator is Exists, the value should be empty. Remove one of them",
        );
      }
      return { key, operator, value, effect, seconds };
    case "":
    case "Equal":
      if (key === "") {
        return refuse(
          ".key: If the key is empty, operator must be Exists. Name a key or use Exists",
        );
      }
      return { key, operator: "Equal", value, effect, seconds };
    default:
      return refuse(
        `.operator: "${operator}" is not known, so it would never match: use Equal or Exists`,
      );
  }
}
