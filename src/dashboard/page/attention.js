/** What stands above the list where somebody is needed. */
import { plural } from "./words.js";

/** Of those that need somebody: a missing operator concerns all of them. */
export function attentionText(stuck) {
  const { leftSince } = stuck.find((each) => each.leftSince !== undefined) ?? {};
  return leftSince === undefined
    ? `${plural(stuck.length, "rollout")} cannot go on`
    : `no operator has been at work since ${leftSince}`;
}
