/** The ordered map against a plain one: whatever is done to both, they show the same. */
import { array, assert, constantFrom, property, record, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { OrderedMap } from "./ordered-map.ts";

const steps = array(
  record({ act: constantFrom("set", "set", "delete"), key: stringMatching(/^[ab]\/[a-e]{1,4}$/) }),
  { maxLength: 2000, size: "max" },
);

test("lists, prefixes and starting points agree with a sorted copy", () => {
  assert(
    property(steps, stringMatching(/^[ab]\/[a-e]$/), (list, start) => {
      const ordered = new OrderedMap<string>();
      const plain = new Map<string, string>();
      for (const { act, key } of list) {
        if (act === "set") ordered.set(key, key);
        else ordered.delete(key);
        if (act === "set") plain.set(key, key);
        else plain.delete(key);
      }
      const sorted = [...plain.keys()].toSorted();
      const prefix = start.slice(0, 2);
      const inside = sorted.filter((key) => key.startsWith(prefix));
      expect(ordered.values()).toEqual(sorted);
      expect(ordered.values(prefix)).toEqual(inside);
      expect([...ordered.keysFrom(start, prefix)]).toEqual(inside.filter((key) => key >= start));
      expect(ordered.countFrom(start, prefix)).toBe(inside.filter((key) => key >= start).length);
      expect(ordered.size).toBe(plain.size);
    }),
    { numRuns: 60 },
  );
});

test("thousands of keys in any order stay in order", () => {
  const ordered = new OrderedMap<number>();
  for (let index = 0; index < 5000; index++) ordered.set(`k-${(index * 7919) % 5000}`, index);
  const keys = [...ordered.keysFrom("", "")];
  expect(keys).toHaveLength(5000);
  expect(keys).toEqual(keys.toSorted());
});
