/** What would help a surge that was given up depends on what kept it. */
import { expect, test } from "vitest";
import type { Decision } from "../../planner/index.ts";
import { releaseConditions, surgeReleasedEvent } from "./update-condition.ts";

const decision = { actions: [] } as unknown as Decision;
const unplaced = "chat-2-web-0: not scheduled: 0/2 nodes are available";
const gated =
  "chat-0-pair-2-web: 0 of 1 pod is on nodes, 1 needed; " +
  "1 is held back: its gang chat-0-pair-1 does not fit: 2 pods need 8 nvidia.com/gpu";
const behind =
  "chat-2-pair-1-web: 0 of 1 pod is on nodes, 1 needed; " +
  "1 is held back: the base gang chat-2 has not been scheduled yet";
const refused = "chat-0-web-3: not created: exceeded quota: gpus";
const broken = "chat-2-web-0: ImagePullBackOff: no such tag";

const room = /did not fit .*; free capacity and restart the rollout .*, or raise maxUnavailable$/;
const template = /did not become available .*; undo it \(lockstep undo\), or change the template$/;

const cases: Readonly<Record<string, readonly [causes: readonly string[], way: RegExp, string]>> = {
  "no node has room": [[unplaced], room, "DoesNotFit"],
  "its gang is held back, because it does not fit": [[gated], room, "DoesNotFit"],
  "a quota is full": [[refused], room, "DoesNotFit"],
  "one part finds no room, and the others wait for it": [[unplaced, behind], room, "DoesNotFit"],
  "its image cannot be pulled": [[broken], template, "NotAvailable"],
  "one part is broken, and the others wait for it": [[broken, behind], template, "NotAvailable"],
  "one part finds no room, and another is broken": [[unplaced, broken], template, "NotAvailable"],
  "nobody knows why": [[], template, "NotAvailable"],
};

test.each(Object.entries(cases))("%s", (_case, [causes, way, reason]) => {
  expect(surgeReleasedEvent(decision, causes).message).toMatch(way);
  const [condition] = releaseConditions({ isReleased: true, decision, causes }, []);
  expect(condition?.reason).toBe(reason);
});
