/** Mistyped words and what was meant. */
import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const known = ["podcliqueset", "podclique", "statefulset", "pcs", "sts", "chat", "web"];

const cases: Record<string, { given: string; want: string | undefined }> = {
  "a letter too many": { given: "statefulsett", want: "statefulset" },
  "two letters swapped": { given: "satefulset", want: "statefulset" },
  "neighbours swapped in a short name": { given: "wbe", want: "web" },
  "a beginning": { given: "podcliquese", want: "podcliqueset" },
  "another case": { given: "Chat", want: "chat" },
  "nothing near": { given: "deployment", want: undefined },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  expect(nearest(given, known)).toBe(want);
});
