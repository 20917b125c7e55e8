import { expect, test } from "vitest";
import {
  addQuantities,
  approximateNumber,
  canonicalQuantity,
  compareQuantities,
  milliUnits,
  parseQuantity,
  quantity,
  quantityText,
  roundedToMilli,
  subtractQuantities,
  wholeUnits,
} from "./quantity.ts";

/** What a real server answers when a pod requests that much memory. */
const canonical: Record<string, string> = {
  "1024Mi": "1Gi",
  "1.5Gi": "1536Mi",
  "1500Mi": "1500Mi",
  "1.500": "1.500",
  "0.5": "500m",
  "1000m": "1",
  "1e3": "1e3",
  "1E3": "1E3",
  "1E": "1E",
  "1e1": "10",
  "1e-3": "1e-3",
  "1.5e3": "1500",
  "1500e0": "1500e0",
  "0.5Ki": "512",
  "0.1Ki": "102400m",
  "2000Ki": "2000Ki",
  "2048Ki": "2Mi",
  "1000001Ki": "1000001Ki",
  "+5": "+5",
  "00012": "00012",
  "1000000": "1M",
  "1000k": "1M",
  "123456789123456789123": "123456789123456789123",
  "10000000000000000000Ki": "9223372036854775807",
  "1.0001": "1001m",
  "0.00001": "1m",
  "1n": "1m",
  "0": "0",
  "0Ki": "0",
};

test.each(Object.entries(canonical))("%s is written %s", (given, want) => {
  expect(quantityText(roundedToMilli(quantity(given)))).toBe(want);
});

test.each([
  ["1.2.3", "regular expression"],
  ["", "regular expression"],
  ["1x", "regular expression"],
  ["1ee3", "suffix"],
  ["1e999999999", "suffix"],
])("%j is no quantity", (given, want) => {
  expect(parseQuantity(given)).toEqual({ problem: expect.stringContaining(want) });
});

test("finer amounts than a thousandth are kept unless rounded", () => {
  expect(canonicalQuantity("1n")).toBe("1n");
  expect(quantityText(roundedToMilli(quantity("-1n")))).toBe("-1m");
});

test("quantities compare, add and subtract across formats", () => {
  expect(compareQuantities(quantity("1Gi"), quantity("1G"))).toBe(1);
  expect(compareQuantities(quantity("1000m"), quantity("1"))).toBe(0);
  expect(quantityText(addQuantities(quantity("512Mi"), quantity("512Mi")))).toBe("1Gi");
  expect(quantityText(addQuantities(quantity("0"), quantity("1Ki")))).toBe("1Ki");
  expect(quantityText(subtractQuantities(quantity("1"), quantity("250m")))).toBe("750m");
  expect(wholeUnits(quantity("1500m"))).toBe(2n);
  expect(milliUnits(quantity("1.5"))).toBe(1500n);
});

/** The bits that Kubernetes' own library computes. */
const approximate: Record<string, string> = {
  "9m": "3f826e978d4fdf3c",
  "1140m": "3ff23d70a3d70a3e",
  "1.140": "3ff23d70a3d70a3e",
  "15890m": "402fc7ae147ae148",
  "00012": "4028000000000000",
  "1e3": "408f400000000000",
  "0": "0000000000000000",
  "0.0000000001": "3e112e0be826d695",
  "64Gi": "4230000000000000",
  "16393244Ki": "420f448380000000",
  "0.15Ki": "4063333333333334",
  "-2.05Ki": "c0a0666666666667",
  "256005Ti": "438f402800000001",
  "9999999999Ti": "43e0000000000000",
  "485135782734.21651335G": "443a4c9c88098810",
};

test.each(Object.entries(approximate))("%s is about %s", (given, want) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, approximateNumber(given) ?? Number.NaN);
  expect(view.getBigUint64(0).toString(16).padStart(16, "0")).toBe(want);
});
