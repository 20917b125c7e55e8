/** What a consumer sees that rebuilds decision groups from labels, as the rollout library of the original does. */
import { expect, test } from "vitest";
import type { TrackedDecision } from "./track-decisions.ts";
import { trackDecisions } from "./track-decisions.ts";

/** `canary/0: a b` is a decision of group canary with index 0 that lists a and b. */
const draw = (...drawings: readonly string[]): TrackedDecision[] =>
  drawings.map((drawing, at) => {
    const [, groupName = "", groupIndex, members = ""] = /^(\w*)\/(\S*):(.*)$/.exec(drawing)!;
    const clusters = members.split(" ").filter((name) => name !== "");
    return {
      name: `web-decision-${at + 1}`,
      groupName,
      groupIndex: groupIndex || undefined,
      clusters,
    };
  });

const shown = (...drawings: readonly string[]): { seen: string; hidden: string } => {
  const tracked = trackDecisions(draw(...drawings));
  if (tracked.kind === "unreadable") return { seen: tracked.problem, hidden: "" };
  const groups = (list: typeof tracked.groups): string =>
    list.map(({ index, name, clusters }) => `${name}/${index}: ${clusters.join(" ")}`).join(" | ");
  const hidden = tracked.hidden.map((group) => `${groups([group])} (${group.because})`).join(" | ");
  return { seen: groups(tracked.groups), hidden };
};

const cases: Record<string, { given: string[]; seen: string; hidden?: string }> = {
  "CR11 decisions of one group are seen together": {
    given: ["/0: b a", "/0: c", "/1: d"],
    seen: "/0: a b c | /1: d",
  },
  "CR11 a cluster that two decisions list is seen once in each group": {
    given: ["/0: a b", "/0: b c"],
    seen: "/0: a b c",
  },
  "CR11 a group behind a gap is not seen": {
    given: ["/0: a", "/2: b"],
    seen: "/0: a",
    hidden: "/2: b (GapBefore)",
  },
  "CR11 a gap is harmless for clusters that a visible group lists too": {
    given: ["/0: a b", "/2: b"],
    seen: "/0: a b",
    hidden: "/2: b (GapBefore)",
  },
  "CR11 of two names at one index the last is seen": {
    given: ["/0: a", "canary/0: b", "/1: c"],
    seen: "canary/0: b | /1: c",
    hidden: "/0: a (AnotherNameAtIndex)",
  },
  "CR11 an empty decision is a group of its own": { given: ["/0:"], seen: "/0: " },
  "CR11 no decision, no group": { given: [], seen: "" },
  "CR12 a missing index is an error for the placement": {
    given: ["/0: a", "canary/: b"],
    seen:
      "the decision-group-index label of PlacementDecision web-decision-2 is missing: " +
      "want a number from 0",
  },
  "CR12 an index that is no number is one too": {
    given: ["/first: a"],
    seen:
      'the decision-group-index label of PlacementDecision web-decision-1 is "first": ' +
      "want a number from 0",
  },
};

test.each(Object.entries(cases))("%s", (_rule, { given, seen, hidden = "" }) => {
  expect(shown(...given)).toEqual({ seen, hidden });
});
