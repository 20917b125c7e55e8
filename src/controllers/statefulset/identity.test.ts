/** The label that roles of a group are paired by, on pods that this controller makes. */
import { expect, test } from "vitest";
import { annotationKeys, labelKeys } from "../../api/rbg/labels.ts";
import { buildPod } from "./identity.ts";

const cases: Record<string, { note?: string; role?: string; want: string | undefined }> = {
  "a pod of the revision that the group names": { note: "b7 c9", role: "b7", want: "c9" },
  "a pod of an earlier revision is labelled by the group": {
    note: "b7 c9",
    role: "a1",
    want: undefined,
  },
  "a note that says nothing": { note: "b7", role: "b7", want: undefined },
  "a set of nobody": { want: undefined },
};

test.each(Object.entries(cases))("RG6 %s", (_name, { note, role, want }) => {
  const annotations: Record<string, string> =
    note === undefined ? {} : { [annotationKeys.podRevision]: note };
  const labels: Record<string, string> =
    role === undefined ? {} : { [labelKeys.roleRevision]: role };
  const set = {
    metadata: { name: "chat-decode", namespace: "default", uid: "u", annotations },
    spec: { selector: {}, template: {} },
  };
  const pod = buildPod(set, { metadata: { labels } }, "chat-decode-5f", 0);
  expect(pod.metadata.labels?.[labelKeys.revision]).toBe(want);
});
