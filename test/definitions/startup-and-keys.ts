/** Sets whose cliques wait for each other, and sets with odd keys of labels and annotations. */
import type { Json } from "../contract/json.ts";
import type { SetParts } from "./sets.ts";
import { clique, group, withFrontend, withGroup } from "./sets.ts";

/** What each clique starts after, in the order of the template. */
const starting = (after: Readonly<Record<string, readonly string[]>>): SetParts => ({
  template: {
    cliqueStartupType: "CliqueStartupTypeExplicit",
    cliques: Object.entries(after).map(([name, startsAfter]) =>
      clique(name, { spec: startsAfter.length === 0 ? {} : { startsAfter } }),
    ),
    podCliqueScalingGroups: undefined,
  },
});

const chain = (length: number, first: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => [`c${index}`, index === 0 ? first : [`c${index - 1}`]]),
  );

/** Everyone starts after everyone before: as many names as a set can have. */
const dense = (count: number): Record<string, readonly string[]> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `c${index}`,
      Array.from({ length: index }, (_each, before) => `c${before}`),
    ]),
  );

const labelled = (labels: Json): SetParts => withFrontend({ labels });

export const startupAndKeys: Record<string, { readonly given: SetParts }> = {
  "a start in a diamond is accepted": {
    given: starting({ d: ["b", "c"], b: ["a"], c: ["a"], a: [] }),
  },
  "two cliques that start after each other are refused": {
    given: starting({ a: ["b"], b: ["a"], c: [] }),
  },
  "a long cycle is refused, and so is what waits for it": {
    given: starting({ ...chain(14, ["c13"]), last: ["c13"] }),
  },
  "a chain of fifteen is accepted": { given: starting(chain(15, [])) },
  "the longest chain is accepted": { given: starting(chain(64, [])) },
  "everyone after everyone before is accepted": { given: starting(dense(64)) },
  "a cycle among very many is left to the operator": { given: starting(chain(20, ["c19"])) },
  "a cycle without an explicit order means nothing": {
    given: {
      template: {
        cliques: [
          clique("a", { spec: { startsAfter: ["b"] } }),
          clique("b", { spec: { startsAfter: ["a"] } }),
        ],
        podCliqueScalingGroups: undefined,
      },
    },
  },
  "labels with and without a prefix are accepted": {
    given: labelled({ team: "search", "example.com/tier": "gold", "a.b/C_d.e-f": "", x: "A_1.b" }),
  },
  "a label key with a space is refused": { given: labelled({ fine: "x", "my team": "search" }) },
  "a label key that is too long is refused": { given: labelled({ ["k".repeat(64)]: "x" }) },
  "a label key of 63 characters is accepted": { given: labelled({ ["k".repeat(63)]: "x" }) },
  "a label key with a long prefix is refused": {
    given: labelled({ [`${"p".repeat(254)}/name`]: "x" }),
  },
  "a label key with two slashes is refused": { given: labelled({ "a/b/c": "x" }) },
  "an empty label key is refused": { given: labelled({ "": "x" }) },
  "a label key with a prefix in capitals is refused": {
    given: labelled({ "Example.com/x": "y" }),
  },
  "an annotation key with a prefix in capitals is accepted": {
    given: withFrontend({ annotations: { "Example.com/x": "any thing, really" } }),
  },
  "an annotation key with a colon is refused": {
    given: withFrontend({ annotations: { "a:b": "c" } }),
  },
  "an annotation key of a scaling group with a space is refused": {
    given: withGroup({ annotations: { "a b": "c" } }),
  },
  "a label value with a space is refused": { given: labelled({ team: "the search" }) },
  "a label value that is too long is refused": { given: labelled({ team: "x".repeat(64) }) },
  "sixty-five labels are refused": {
    given: labelled(
      Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, ""])),
    ),
  },
  "a clique twice in one group is refused": {
    given: {
      template: { podCliqueScalingGroups: [group("decode", ["leader", "worker", "leader"])] },
    },
  },
};
