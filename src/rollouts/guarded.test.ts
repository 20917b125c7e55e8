/** Objects that no definition should have let through are shown as what they are. */
import { expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import { rolloutView } from "./compose.ts";
import { rolloutKinds } from "./kinds.ts";

const metadata = { name: "poison", namespace: "default" };
const conditions = [{ type: "Stalled", status: "True", reason: "A", message: null }];

const poisonous: Record<string, object> = {
  "no spec": { metadata, spec: null },
  "a spec that is text": { metadata, spec: "text", status: "text" },
  "a condition without text": { metadata, spec: {}, status: { conditions } },
  "counters that are none": {
    metadata,
    spec: {},
    status: { replicas: "many", updatedReplicas: {} },
  },
};

const cases = rolloutKinds.flatMap((kind) =>
  Object.entries(poisonous).map(([what, object]) => [kind.word, what, kind, object] as const),
);

test.each(cases)("OP2 a %s with %s has a view that can be drawn", (_word, _what, kind, object) => {
  const subject = { object: object as KubeObject, related: {}, nowMs: 0, events: [], gaps: [] };
  const view = rolloutView(kind, subject);
  expect(view.object).toMatchObject({ name: "poison", word: kind.word });
  expect([typeof view.reason.message, typeof view.counts.desired]).toEqual(["string", "number"]);
  expect(kind.revisions(subject)).toEqual([]);
  expect(kind.steering.pause(subject).kind).toMatch(/^(refused|change|nothing)$/);
});

test("OP2 it says what is wrong, and what to do", () => {
  const [kind] = rolloutKinds;
  const object = { metadata, spec: null } as unknown as KubeObject;
  const view =
    kind === undefined
      ? undefined
      : rolloutView(kind, { object, related: {}, nowMs: 0, events: [], gaps: [] });
  expect(view).toMatchObject({ state: "Rejected", reason: { code: "Unreadable" } });
  expect(view?.reason.message).toMatch(
    /^this object, or one that .* is not what its definition asks for: Cannot .*: correct it, or delete it$/,
  );
});
