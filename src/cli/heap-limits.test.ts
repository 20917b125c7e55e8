import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Keeps enough alive to make the young generation grow, with pauses in which events are delivered. */
const program = (before: string, after: string): string => `
  import { getHeapSpaceStatistics } from "node:v8";
  import { limitHeap } from "./src/cli/heap-limits.ts";
  const sizes = () =>
    getHeapSpaceStatistics()
      .filter(({ space_name }) => space_name === "new_space" || space_name === "old_space")
      .map(({ space_name, space_size }) => [space_name, space_size / 2 ** 20]);
  ${before}
  let alive = [];
  for (let round = 0; round < 300; round++) {
    const block = [];
    for (let index = 0; index < 2_000; index++) block.push({ round, index, text: [round, index] });
    alive[round % 40] = block;
    await new Promise((resolve) => setImmediate(resolve));
  }
  ${after}
  console.log(JSON.stringify(Object.fromEntries(sizes())));
`;

function megabytes(before: string, after = ""): { new_space: number; old_space: number } {
  const args = ["--import", "tsx", "--input-type=module", "--eval", program(before, after)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test("the young generation stops growing where an operator needs no more", () => {
  expect(megabytes("").new_space).toBeGreaterThan(20);
  expect(megabytes("limitHeap();").new_space).toBeLessThan(20);
});

test("the young generation grows again after a rest, as far as an operator needs it", () => {
  const rested = `
    limitHeap({ restMs: 100 });
    const young = () => Object.fromEntries(sizes()).new_space;
    for (let look = 0; look < 40 && young() > 2; look++) await new Promise((resolve) => setTimeout(resolve, 50));
  `;
  expect(megabytes(rested).new_space).toBeGreaterThanOrEqual(8);
});

test("memory of a burst is given back at rest", () => {
  // V8 alone takes longer than these two seconds.
  const atRest = `
    const held = () => Object.fromEntries(sizes()).old_space;
    const burst = held();
    alive = [];
    for (let look = 0; look < 40 && held() > burst / 2; look++) await new Promise((resolve) => setTimeout(resolve, 50));
  `;
  expect(megabytes("limitHeap({ restMs: 100 });", atRest).old_space).toBeLessThan(12);
});
