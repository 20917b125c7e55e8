import { expect, test } from "vitest";
import { PodAddresses } from "./pod-addresses.ts";

test("every node has addresses of its own, and a fresh one comes before a used one", () => {
  const addresses = new PodAddresses();
  expect([addresses.take(0), addresses.take(0), addresses.take(1)]).toEqual([
    "10.128.0.1",
    "10.128.0.2",
    "10.128.4.1",
  ]);
  addresses.giveBack(0, "10.128.0.1");
  expect(addresses.take(0)).toBe("10.128.0.3");
});

test("addresses that are in use are not given out again", () => {
  const addresses = new PodAddresses();
  addresses.claim(0, "10.128.0.1");
  const taken = Array.from({ length: 1021 }, () => addresses.take(0));
  expect(new Set(taken).size).toBe(1021);
  expect(taken).not.toContain("10.128.0.1");
  addresses.giveBack(0, "10.128.0.7");
  expect(addresses.take(0)).toBe("10.128.0.7");
});
