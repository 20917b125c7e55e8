/** Counting uses decision by decision gives what counting all of them would. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ocmLabels } from "../../api/ocm/labels.ts";
import type { PlacementDecision } from "../../api/ocm/placement.ts";
import { ClusterUsage } from "./cluster-usage.ts";

const decision = (
  placement: string,
  number: number,
  clusters: readonly string[],
): PlacementDecision => ({
  metadata: {
    name: `${placement}-decision-${number}`,
    namespace: "default",
    labels: { [ocmLabels.placement]: placement },
  },
  status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: "" })) },
});

const names = ["a", "b", "c", "d"];
const change = fc.record({
  placement: fc.constantFrom("x", "y", "z"),
  number: fc.integer({ min: 1, max: 2 }),
  clusters: fc.option(fc.subarray(names), { nil: undefined }),
  /** What is planned for the Placement after it; null forgets it. */
  planned: fc.option(fc.option(fc.subarray(names)), { nil: undefined }),
});

test("PL17 uses and the most of them, besides one Placement, after any changes", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const usage = new ClusterUsage();
      const held = new Map<string, PlacementDecision>();
      const plans = new Map<string, PlacementDecision>();
      for (const { placement, number, clusters, planned } of changes) {
        if (planned === null) {
          usage.forget(`default/${placement}`);
          plans.delete(placement);
        } else if (planned !== undefined) {
          usage.plan(`default/${placement}`, planned);
          plans.set(placement, decision(placement, 0, planned));
        }
        const key = `${placement}${number}`;
        const old = held.get(key);
        const object = decision(placement, number, clusters ?? []);
        if (clusters === undefined) {
          if (old !== undefined) usage.apply({ type: "deleted", object: old });
          held.delete(key);
          continue;
        }
        usage.apply(
          old === undefined ? { type: "added", object } : { type: "updated", old, object },
        );
        held.set(key, object);
      }
      for (const placement of ["x", "y", "z"]) {
        const isCounted = ({ metadata }: PlacementDecision): boolean =>
          !plans.has(metadata.labels?.[ocmLabels.placement] ?? "");
        const counted = [...plans.values(), ...[...held.values()].filter(isCounted)];
        const others = counted.filter(
          ({ metadata }) => metadata.labels?.[ocmLabels.placement] !== placement,
        );
        const uses = names.map((name) => usesOf(others, name));
        const besides = usage.besides(`default/${placement}`);
        expect(names.map((name) => besides.of(name))).toEqual(uses);
        expect(besides.most).toBe(Math.max(...uses));
      }
    }),
  );
});

/** In how many Placements, not in how many decisions. */
function usesOf(decisions: readonly PlacementDecision[], cluster: string): number {
  const listing = decisions.filter((each) =>
    each.status?.decisions.some(({ clusterName }) => clusterName === cluster),
  );
  return new Set(listing.map(({ metadata }) => metadata.labels?.[ocmLabels.placement])).size;
}
