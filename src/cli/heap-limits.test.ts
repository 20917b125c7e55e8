import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Keeps enough alive to make the young generation grow, with pauses in which events are delivered. */
const program = (before: string): string => `
  import { getHeapSpaceStatistics } from "node:v8";
  import { limitHeap } from "./src/cli/heap-limits.ts";
  ${before}
  const alive = [];
  for (let round = 0; round < 300; round++) {
    const block = [];
    for (let index = 0; index < 2_000; index++) block.push({ round, index, text: [round, index] });
    alive[round % 40] = block;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  console.log(space.space_size);
`;

function youngMegabytes(before: string): number {
  const args = ["--import", "tsx", "--input-type=module", "--eval", program(before)];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" })) / 2 ** 20;
}

test("the young generation stops growing where an operator needs no more", () => {
  expect(youngMegabytes("")).toBeGreaterThan(20);
  expect(youngMegabytes("limitHeap();")).toBeLessThan(20);
});
