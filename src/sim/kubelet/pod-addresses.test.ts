import { expect, test } from "vitest";
import { PodAddresses } from "./pod-addresses.ts";

test("every node has addresses of its own, and reuses one only after all others", () => {
  const addresses = new PodAddresses();
  expect([addresses.allocate(0), addresses.allocate(0), addresses.allocate(1)]).toEqual([
    "10.128.0.1",
    "10.128.0.2",
    "10.128.4.1",
  ]);
  addresses.release(0, "10.128.0.1");
  expect(addresses.allocate(0)).toBe("10.128.0.3");
});

test("addresses in use are not allocated again", () => {
  const addresses = new PodAddresses();
  addresses.claim(0, "10.128.0.1");
  const taken = Array.from({ length: 1021 }, () => addresses.allocate(0));
  expect(new Set(taken).size).toBe(1021);
  expect(taken).not.toContain("10.128.0.1");
  addresses.release(0, "10.128.0.7");
  expect(addresses.allocate(0)).toBe("10.128.0.7");
});
