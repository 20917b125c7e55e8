/** How many clusters a decision group has, and which. */
import { expect, test } from "vitest";
import { divideIntoGroups, groupSize } from "./decision-groups.ts";

const sizes: Record<string, number> = {
  "25% of 3": 1,
  "25% of 4": 1,
  "20% of 100": 20,
  "7% of 100": 7,
  "50 of 250": 50,
  "0 of 4": 4,
  "-1 of 4": 4,
  "9 of 4": 4,
};

test.each(Object.entries(sizes))("PL19 groups of %s have %i", (given, want) => {
  const [size = "", total] = given.split(" of ");
  const amount = Number(size.replace("%", ""));
  const group = size.endsWith("%")
    ? ({ kind: "percent", percent: amount } as const)
    : ({ kind: "clusters", clusters: amount } as const);
  expect(groupSize(group, Number(total))).toBe(want);
});

/** `c1 c2/0`: c2 belongs to the first named group. */
const divisions: Record<string, { size: number; groups: string[]; of: string; want: string[] }> = {
  "a canary, one cluster per group": {
    size: 1,
    groups: ["canary"],
    of: "c1/0 c2/0 c3 c4",
    want: ["canary: c1", "canary: c2", ": c3", ": c4"],
  },
  "two named groups": {
    size: 4,
    groups: ["group1", "group2"],
    of: "c1/0 c2/1 c3/0",
    want: ["group1: c1 c3", "group2: c2"],
  },
  "a named group without clusters is left out": {
    size: 9,
    groups: ["canary"],
    of: "c2 c1",
    want: [": c1 c2"],
  },
  "two groups of one name stay two": {
    size: 9,
    groups: ["east", "east"],
    of: "c1/1 c2/0",
    want: ["east: c2", "east: c1"],
  },
};

test.each(Object.entries(divisions))("PL19 %s", (_rule, { size, groups, of, want }) => {
  const selected = of.split(" ").map((text) => {
    const [name = "", group] = text.split("/");
    return { name, group: group === undefined ? undefined : Number(group) };
  });
  const divided = divideIntoGroups(selected, groups, { kind: "clusters", clusters: size });
  expect(divided.map(({ name, clusters }) => `${name}: ${clusters.join(" ")}`)).toEqual(want);
});
