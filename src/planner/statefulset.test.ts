/** The StatefulSet's own tables, row by row. */
import { describe, expect, test } from "vitest";
import { snapshot } from "../../test/builders/fleet.ts";
import { decide } from "./decide.ts";
import { statefulSetPolicy, type BrokenUnits, type Pacing } from "./policy.ts";

/** `4N 3T`: N is not ready, T terminating, M ready inside minReadySeconds. */
function drawing(replicas: number, unavailable: string): string {
  const marks = { N: "v1!", T: "v1~", M: "v1'" } as const;
  const special = new Map(
    unavailable.split(" ").map((entry) => [Number(entry.slice(0, -1)), entry.slice(-1) as "N"]),
  );
  return Array.from({ length: replicas }, (_, ordinal) => {
    const mark = special.get(ordinal);
    return mark === undefined ? "v1" : marks[mark];
  }).join(" ");
}

function remaining(row: Row, brokenUnits: BrokenUnits): string {
  const [pacing, replicas, partition, maxUnavailable, unavailable] = row;
  const policy = statefulSetPolicy({ maxUnavailable, maxSurge: 0 }, partition, pacing, brokenUnits);
  const given = snapshot(drawing(replicas, unavailable));
  const gone = new Set(decide(given, policy).actions.map(({ ordinal }) => ordinal));
  return given.units
    .map(({ ordinal }) => ordinal)
    .filter((ordinal) => !gone.has(ordinal))
    .join(" ");
}

type Row = [
  pacing: Pacing,
  replicas: number,
  partition: number,
  max: number,
  unavailable: string,
  want: string,
];

const parallel: Row[] = [
  ["parallel", 1, 0, 1, "0N", ""],
  ["parallel", 3, 0, 1, "2N", "0 1"],
  ["parallel", 5, 0, 2, "3N 4N", "0 1 2"],
  ["parallel", 3, 0, 1, "2T", "0 1 2"],
  ["parallel", 5, 0, 3, "3N 4T", "0 1 4"],
  ["parallel", 3, 0, 1, "2M", "0 1"],
  ["parallel", 5, 0, 3, "3T 4N", "0 1 3"],
  ["parallel", 5, 2, 1, "4N", "0 1 2 3"],
  ["parallel", 5, 2, 1, "2N", "0 1 3 4"],
  ["parallel", 5, 2, 1, "1N", "0 1 2 3 4"],
  ["parallel", 5, 3, 2, "3N 4N", "0 1 2"],
  ["parallel", 5, 3, 2, "1N 4N", "0 1 2 3"],
  ["parallel", 4, 0, 2, "0N 1N", "2 3"],
  ["parallel", 5, 0, 3, "0N 1N", "2 3"],
];

const ordered: Row[] = [
  ["rounds", 1, 0, 1, "0N", "0"],
  ["rounds", 3, 0, 1, "2N", "0 1 2"],
  ["rounds", 5, 0, 2, "4N", "0 1 2 3"],
  ["rounds", 3, 0, 1, "2T", "0 1 2"],
  ["rounds", 3, 0, 1, "2M", "0 1 2"],
  ["rounds", 5, 0, 3, "3N 4T", "0 1 2 4"],
  ["rounds", 5, 0, 3, "3T 4N", "0 1 2 3"],
  ["rounds", 5, 2, 1, "4N", "0 1 2 3 4"],
];

describe("ST4 one pass under Parallel", () => {
  test.each(parallel)("%s %i replicas, partition %i, maxUnavailable %i, %s leaves %s", (...row) => {
    expect(remaining(row, "replace")).toBe(row[5]);
  });
});

describe("ST5 one pass under OrderedReady that lets broken pods wait", () => {
  test.each(ordered)("%s %i replicas, partition %i, maxUnavailable %i, %s leaves %s", (...row) => {
    expect(remaining(row, "wait")).toBe(row[5]);
  });
});

test.each([
  ["0N", 1, ""],
  ["2N", 3, "0 1"],
  ["4N", 5, "0 1 2 3"],
])(
  "ST6 OrderedReady replaces the broken outdated pod %s of %i without budget",
  (broken, replicas, want) => {
    expect(remaining(["rounds", replicas, 0, 1, broken, want], "replace")).toBe(want);
  },
);

test.each<[string, number]>([
  ["", 2],
  ["5T", 1],
  ["3T", 1],
  ["4T", 1],
  ["2T", 1],
  ["1T", 1],
  ["5T 4T", 0],
  ["5T 3T", 0],
  ["4T 3T", 0],
  ["5T 4T 3T", 0],
])(
  "ST5 six replicas, partition 3, maxUnavailable 2, terminating {%s}: %i more go",
  (terminating, want) => {
    const policy = statefulSetPolicy({ maxUnavailable: 2, maxSurge: 0 }, 3, "rounds");
    expect(decide(snapshot(drawing(6, terminating)), policy).actions).toHaveLength(want);
  },
);
