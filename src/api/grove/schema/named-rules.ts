/** Rules on every clique or scaling group of a template, whose complaint names the one that breaks them. */
import type { Rule } from "../../definition/custom-kind.ts";

/** A condition on a clique `c`; the text says `cliques[]` where the name of the clique goes. */
export const everyClique = (condition: string, message: string): Rule =>
  every({ list: "cliques", item: "c", condition, message });

/** A condition on a scaling group `g`; the text says `podCliqueScalingGroups[]` where its name goes. */
export function everyGroup(condition: string, message: string): Rule {
  const list = "podCliqueScalingGroups";
  const { rule, ...complaint } = every({ list, item: "g", condition, message });
  return { rule: `!has(self.${list}) || ${rule}`, ...complaint };
}

/**
 * The text about the first item that a condition holds for. The text is put together where the item is known: only
 * there does the API server know how long a name may be, and what the text may cost.
 */
export const first = (list: string, item: string, condition: string, text: string): string =>
  `${list}.map(${item}, ${condition}, ${text})[0]`;

interface Condition {
  readonly list: string;
  readonly item: string;
  readonly condition: string;
  readonly message: string;
}

function every({ list, item, condition, message }: Condition): Rule {
  // What comes after the place of the name; later places of that form stay as they are.
  const rest = message.slice(`${list}[]`.length);
  return {
    rule: `self.${list}.all(${item}, ${condition})`,
    message,
    messageExpression: first(
      `self.${list}`,
      item,
      `!(${condition})`,
      `'${list}[' + ${item}.name + ']${rest}'`,
    ),
  };
}
