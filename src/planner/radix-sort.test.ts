/** The order of ages is the one a plain sort would give. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { radixSorted } from "./radix-sort.ts";

const ages: Record<string, fc.Arbitrary<number>> = {
  "few different ages": fc.integer({ min: 0, max: 3 }),
  "whole seconds of one day": fc.nat(86_400).map((second) => 1_700_000_000_000 + second * 1_000),
  "any millisecond there is": fc.maxSafeInteger(),
};

test.each(Object.entries(ages))("RO10 equal ages fall to the place: %s", (_name, age) => {
  fc.assert(
    fc.property(fc.array(age, { maxLength: 200 }), (keys) => {
      const items = keys.map((_key, at) => at);
      const want = items.toSorted((a, b) => keys[a]! - keys[b]! || a - b);
      const sorted = radixSorted(Uint32Array.from(items), Float64Array.from(keys));
      expect([...sorted]).toEqual(want);
    }),
    { numRuns: 100 },
  );
});
