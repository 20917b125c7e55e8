import { expect, test } from "vitest";
import { durationMs, goDuration } from "./duration.ts";

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

const printed: Record<string, number> = {
  "0s": 0.4,
  "850ms": 850.3,
  "1s": 1000,
  "1.002s": 1002.9,
  "1.2s": 1200,
  "2m40s": 160_000,
  "5m0s": 300_000,
  "1h0m0.5s": 3_600_500,
};

test.each(Object.entries(printed))("%s is printed as Go prints it", (want, ms) => {
  expect(goDuration(ms)).toBe(want);
});
