import { expect, test } from "vitest";
import type { RoleRecord } from "./role-record.ts";
import { nextRecord, readRecord, recordAnnotation, recordWrites } from "./role-record.ts";

const service = (text?: string) => ({
  metadata: {
    name: "s-chat-prefill",
    namespace: "default",
    uid: "u1",
    resourceVersion: "7",
    ...(text === undefined ? {} : { annotations: { [recordAnnotation]: text } }),
  },
});

const record: RoleRecord = { revision: "b", cursor: 4, previous: "a" };

test("what is recorded is read again", () => {
  const [write] = recordWrites(service(), record);
  expect(write?.patch).toEqual({
    type: "merge",
    body: {
      metadata: { uid: "u1", resourceVersion: "7", annotations: { [recordAnnotation]: "b 4 a" } },
    },
  });
  expect(readRecord(service("b 4 a"))).toEqual(record);
  expect(recordWrites(service("b 4 a"), record)).toEqual([]);
});

test.each([undefined, "", "b", "b x a", "b 4"])("%j is no record", (text) => {
  expect(readRecord(service(text))).toBeUndefined();
});

const steps: Record<string, { before?: RoleRecord; want: RoleRecord }> = {
  "a new role has nothing before it": { want: { revision: "c", cursor: 2, previous: "c" } },
  "a cursor moves": {
    before: { revision: "c", cursor: 5, previous: "b" },
    want: { revision: "c", cursor: 2, previous: "b" },
  },
  "what was rolled out is what pods below the cursor are": {
    before: { revision: "b", cursor: 0, previous: "a" },
    want: { revision: "c", cursor: 2, previous: "b" },
  },
  "an abandoned rollout leaves what was before it": {
    before: { revision: "b", cursor: 3, previous: "a" },
    want: { revision: "c", cursor: 2, previous: "a" },
  },
};

test.each(Object.entries(steps))("%s", (_name, { before, want }) => {
  expect(nextRecord(before, { revision: "c", cursor: 2 })).toEqual(want);
});
