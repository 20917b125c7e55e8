import { expect, test } from "vitest";
import { durationMs } from "./duration.ts";

const cases: Record<string, number | undefined> = {
  "4h": 14_400_000,
  "1m30s": 90_000,
  "1.5h": 5_400_000,
  "4h0m0s": 14_400_000,
  "250ms": 250,
  "-1s": -1000,
  "0": 0,
  "10": undefined,
  "1 h": undefined,
  "": undefined,
  "1d": undefined,
};

test.each(Object.entries(cases))("%j in milliseconds", (text, want) => {
  expect(durationMs(text)).toBe(want);
});
