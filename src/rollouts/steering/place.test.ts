import { expect, test } from "vitest";
import type { Steer } from "../kind.ts";
import { nothing, refused } from "../kind.ts";
import { placed } from "./place.ts";

const paused: Steer = {
  kind: "change",
  patch: { type: "merge", body: {} },
  did: "paused",
  takeBack: "lockstep resume statefulset/web",
  notes: ["it is paused: nothing moves until `lockstep resume statefulset/web`"],
};

const cases: Record<string, { given: Steer; want: object }> = {
  "the way back and what a note names": {
    given: paused,
    want: {
      takeBack: "lockstep resume statefulset/web -n team-a",
      notes: ["it is paused: nothing moves until `lockstep resume statefulset/web -n team-a`"],
    },
  },
  "what a refusal names in a sentence": {
    given: refused("no revision 9", "recorded are 1: see `lockstep history statefulset/web`"),
    want: { fix: "recorded are 1: see `lockstep history statefulset/web -n team-a`" },
  },
  "what a refusal ends with": {
    given: refused("it is a part", "steer the set: lockstep pause podcliqueset/chat"),
    want: { fix: "steer the set: lockstep pause podcliqueset/chat -n team-a" },
  },
  "what names no command": { given: nothing("is paused already"), want: {} },
};

const inNamespace = (namespace: string) => ({ metadata: { name: "web", namespace } });

test.each(Object.entries(cases))("commands reach another namespace: %s", (_what, each) => {
  expect(placed(each.given, inNamespace("team-a"))).toEqual({ ...each.given, ...each.want });
});

test("the default namespace needs no name", () => {
  expect(placed(paused, inNamespace("default"))).toEqual(paused);
});
