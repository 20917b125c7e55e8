/** Keys and values of labels and annotations, as the API server takes them on pods. */
import type { Rule } from "../../definition/custom-kind.ts";
import { withRules } from "../../definition/custom-kind.ts";
import { first } from "./named-rules.ts";

const name = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
export const labelValue = new RegExp(`^(${name})?$`);

/** Annotations may have upper case letters in the prefix, labels may not. */
const prefix = { labels: "a-z0-9", annotations: "A-Za-z0-9" };
const prefixBytes = 253;

/** The number of entries is bounded, so that the rule is affordable for all cliques. */
export function keyed(field: keyof typeof prefix): Record<string, unknown> {
  const part = `[${prefix[field]}]([-${prefix[field]}]*[${prefix[field]}])?`;
  const pattern = `^(${part}([.]${part})*/)?${name}$`;
  const isKey = `k.matches('${pattern}') && k.indexOf('/') <= ${prefixBytes}`;
  const text =
    "is no key: write name or prefix.example/name, with at most 63 letters, digits, dashes, dots and underscores " +
    "in the name";
  const rule: Rule = {
    rule: `self.all(k, ${isKey})`,
    message: `a key of ${field} ${text}`,
    messageExpression: first("self", "k", `!(${isKey})`, `'${field}[' + k + '] ${text}'`),
  };
  return { maxProperties: 64, ...withRules([rule]) };
}
