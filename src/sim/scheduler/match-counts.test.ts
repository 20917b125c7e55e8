import { expect, test } from "vitest";
import type { Pod } from "../../api/pod.ts";
import { MatchCounts } from "./match-counts.ts";
import { affinityMatcher } from "./pod-matcher.ts";

function pod(name: string, labels: Record<string, string>): Pod {
  return { metadata: { name, namespace: "default", labels }, spec: { containers: [] } };
}

const asking = pod("asking", {});
const matcherFor = (app: string) =>
  affinityMatcher(
    asking,
    { topologyKey: "zone", labelSelector: { matchLabels: { app } } },
    () => [],
  );

test("all pods are scanned once per matcher, whatever is asked and placed afterwards", () => {
  const placed: [string, Pod][] = [["a", pod("one", { app: "web" })]];
  let scans = 0;
  const counts = new MatchCounts(() => {
    scans++;
    return placed;
  });
  expect([...counts.of(matcherFor("web"))]).toEqual([["a", 1]]);
  for (let index = 0; index < 100; index++) {
    counts.add(index % 2 === 0 ? "a" : "b", pod(`web-${index}`, { app: "web" }));
    counts.add("a", pod(`other-${index}`, { app: "other" }));
    counts.of(matcherFor("web"));
  }
  expect([...counts.of(matcherFor("web"))]).toEqual([
    ["a", 51],
    ["b", 50],
  ]);
  expect(scans).toBe(1);
});

test("a removed pod is no longer counted", () => {
  const counts = new MatchCounts(() => []);
  const web = pod("web", { app: "web" });
  counts.of(matcherFor("web"));
  counts.add("a", web);
  counts.remove("a", web);
  expect([...counts.of(matcherFor("web"))]).toEqual([]);
});
