import { expect, test } from "vitest";
import { rolloutKinds } from "../rollouts/kinds.ts";
import { offersOf, verbs } from "./offers.ts";
import { atLeastOne } from "../../test/builders/must.ts";

const [kind] = rolloutKinds;

test("the same can be typed, in every namespace", () => {
  const [offer] = offersOf(kind!, {
    object: { metadata: { name: "chat", namespace: "team-a" }, spec: { template: {} } },
    related: {},
    nowMs: 0,
  });
  expect(offer?.command).toBe("lockstep pause podcliqueset/chat -n team-a");
});

test("what is being deleted offers nothing, and says so", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const object = { metadata: { name: "chat", namespace: "default", deletionTimestamp } };
  const offers = offersOf(kind!, { object, related: {}, nowMs: 0 });
  expect(offers).toHaveLength(verbs.length - 1);
  for (const offer of atLeastOne(offers)) {
    expect(offer).toMatchObject({
      refusal: "podcliqueset/chat is being deleted",
      isImpossible: true,
    });
  }
});
