/** Lists by labels find what a search of the whole collection finds, whatever was written before and after. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { memoryStore } from "./memory-store.ts";
import type { Collection } from "./store.ts";

type Labels = Readonly<Record<string, string>>;

const object = (name: string, labels: Labels | undefined): KubeObject => ({
  metadata: { name, ...(labels && { labels }) },
});

/** Enough to be indexed. */
function filled(): Collection {
  const things = memoryStore().collection("things");
  for (let at = 0; at < 100; at++) things.put(`x/o${at}`, object(`o${at}`, { app: `a${at % 7}` }));
  return things;
}

const asked: readonly Labels[] = [{ app: "a1" }, { app: "a2", tier: "front" }, { tier: "back" }];

const page = (things: Collection, labels: Labels, isIndexed: boolean) => {
  const wanted = Object.entries(labels).map(([key, value]) => ({ key, value }));
  const matches = ({ metadata }: KubeObject): boolean =>
    wanted.every(({ key, value }) => metadata.labels?.[key] === value);
  const { objects, next } = things.page({
    extent: { namespace: "x" },
    matches,
    limit: 12,
    ...(isIndexed && { labels: wanted }),
  });
  return { names: objects.map(({ metadata }) => metadata.name), next };
};

const labels = fc.option(
  fc.record(
    { app: fc.constantFrom("a1", "a2", "a3"), tier: fc.constantFrom("front", "back") },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const step = fc.record({ at: fc.nat(110), labels, isDeleted: fc.boolean() });

test("a list by labels is that of a search", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const things = filled();
      for (const { at, labels: given, isDeleted } of steps) {
        if (isDeleted) things.delete(`x/o${at}`);
        else things.put(`x/o${at}`, object(`o${at}`, given));
        for (const wanted of asked) {
          expect(page(things, wanted, true)).toEqual(page(things, wanted, false));
        }
      }
    }),
  );
});

test("only objects with the label are looked at", () => {
  const things = filled();
  let looks = 0;
  const matches = (): boolean => ++looks > 0;
  things.page({ extent: {}, labels: [{ key: "app", value: "a3" }], matches });
  things.page({ extent: {}, labels: [{ key: "app", value: "none" }], matches });
  expect(looks).toBe(14);
});
