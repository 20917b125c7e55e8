/** Every reason has its rule, and every rule that is quoted stands in docs/rules under that number and title. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ReasonCode } from "../planner/decision.ts";
import { ownRules, ruleOf, rulesByReason } from "./rules.ts";

const pages = readdirSync("docs/rules")
  .map((page) => readFileSync(`docs/rules/${page}`, "utf8"))
  .join("\n");

const codes: readonly ReasonCode[] = [
  "Replacing",
  "Creating",
  "Surging",
  "ScalingIn",
  "ReleasingSurge",
  "Paused",
  "BudgetSpent",
  "Updating",
  "SurgeNotAvailable",
  "RoundNotOver",
  "PredecessorNotAvailable",
  "UnitNotAvailable",
  "UnitTerminating",
  "ProgressDeadlineExceeded",
  "NoBudget",
  "RolledOut",
  "PartitionReached",
  "OutdatedLeftToDelete",
];

test.each(codes)("%s has a rule of its own", (code) => {
  expect(rulesByReason).toHaveProperty(code);
});

test.each([...Object.values(rulesByReason), ...Object.values(ownRules)])(
  "$number $title is a rule",
  ({ number, title, sentence }) => {
    const isTitled = pages.includes(`**${number} ${title}`);
    // The rules of OnDelete have numbers only.
    expect(isTitled || pages.includes(`**${number}**`)).toBe(true);
    expect(sentence).toMatch(/^[A-Z].*\.$/);
  },
);

test("an unknown reason is explained by what holds for every rollout", () => {
  expect(ruleOf("SomethingNew").number).toBe("RO7");
});
