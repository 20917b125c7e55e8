/** What the probes answer, by what the election and the caches know of themselves. */
import { expect, test } from "vitest";
import { podResource } from "../api/pod.ts";
import type { ControlledKind } from "../controllers/engine/controlled-kind.ts";
import { operatorHealth } from "./operator-health.ts";

const kindWith = (cache: { hasSynced?: boolean; stillForMs?: number }): ControlledKind => {
  const { hasSynced = true, stillForMs = 0 } = cache;
  return {
    isReady: hasSynced,
    caches: [{ resource: podResource, hasSynced, stillForMs }],
  } as unknown as ControlledKind;
};
const leader = { isLeader: true, isInTouch: true };

const cases: Record<
  string,
  { given: Parameters<typeof operatorHealth>[0]; ready?: RegExp; healthy?: RegExp }
> = {
  "a leader whose caches are full": { given: { election: leader, kinds: () => [kindWith({})] } },
  "a leader whose controllers have yet to start": {
    given: { election: leader, kinds: () => [] },
    ready: /^controllers are starting$/,
  },
  "a leader who has not listed everything": {
    given: { election: leader, kinds: () => [kindWith({ hasSynced: false })] },
    ready: /^pods have not been listed yet$/,
  },
  "a follower": { given: { election: { isLeader: false, isInTouch: true }, kinds: () => [] } },
  "a follower who hears nothing of the lease": {
    given: { election: { isLeader: false, isInTouch: false }, kinds: () => [] },
    ready: /^the lease cannot be read or written/,
  },
  "a watch that was silent for five minutes": {
    given: { election: leader, kinds: () => [kindWith({ stillForMs: 300_000 })] },
  },
  "a watch that does not move any more": {
    given: { election: leader, kinds: () => [kindWith({ stillForMs: 300_001 })] },
    healthy: /^the watch of pods has not moved for 300 s$/,
  },
  "no election, nothing to run": { given: { kinds: () => [] } },
};

test.each(Object.entries(cases))("OP6 %s", (_sentence, { given, ready, healthy }) => {
  const health = operatorHealth(given);
  expect(health.ready() ?? "ok").toMatch(ready ?? /^ok$/);
  expect(health.healthy() ?? "ok").toMatch(healthy ?? /^ok$/);
});
