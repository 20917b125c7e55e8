import { expect, test } from "vitest";
import type { NodeHealth, RolloutNode } from "../rollouts/view.ts";
import { podChanges, podTexts } from "./watch-changes.ts";

const pod = (name: string, health: NodeHealth, cause?: string): RolloutNode => ({
  kind: "Pod",
  name,
  label: "0",
  revision: { name: "chat-v1", number: 1 },
  health,
  children: [],
  ...(cause === undefined ? {} : { cause }),
});
const clique = (...children: RolloutNode[]): RolloutNode => ({
  kind: "PodClique",
  name: "chat-0-web",
  label: "web",
  health: "partial",
  children,
});
const serving = podTexts({ nodes: [clique(pod("web-0", "available"))] }, new Set(["web-0"]));

test("a first look is no news, and what stays as it is neither", () => {
  expect(podChanges(undefined, serving)).toEqual([]);
  expect(podChanges(serving, serving)).toEqual([]);
});

test("a pod whose clique was deleted terminates before it is gone, and that is said once", () => {
  const leaving = podTexts({ nodes: [] }, new Set(["web-0"]), serving);
  expect(podChanges(serving, leaving)).toEqual(["pod web-0: terminating (revision 1)"]);
  const drawn = { nodes: [clique(pod("web-0", "terminating"))] };
  expect(podChanges(leaving, podTexts(drawn, new Set(["web-0"]), leaving))).toEqual([]);
  expect(podChanges(leaving, podTexts({ nodes: [] }, new Set(), leaving))).toEqual([
    "pod web-0: gone",
  ]);
});

test("a pod in trouble is named with its cause", () => {
  const nodes = [clique(pod("web-0", "broken", "ImagePullBackOff: no such tag"))];
  expect(podChanges(serving, podTexts({ nodes }, new Set(["web-0"]), serving))).toEqual([
    "pod web-0: broken (revision 1): ImagePullBackOff: no such tag",
  ]);
});
