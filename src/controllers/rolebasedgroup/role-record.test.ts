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

const inOrder = { ahead: [] } as const;

test("the size is recorded where roles are scaled together", () => {
  const scaled = nextRecord(record, { ...inOrder, revision: "b", cursor: 4, scaledTo: 3 });
  expect(scaled).toEqual({ ...record, size: 3 });
  expect(readRecord(service("b 4 a 3"))).toEqual(scaled);
  expect(recordWrites(service("b 4 a 3"), scaled)).toEqual([]);
  expect(nextRecord(scaled, { ...inOrder, revision: "b", cursor: 4 })).toEqual(record);
});

test.each<[string, Partial<RoleRecord>]>([
  ["b 4 a - 0,2", { ahead: [0, 2] }],
  ["b 4 a 6 0", { ahead: [0], size: 6 }],
])("CO3 pods that go ahead are recorded: %s", (text, more) => {
  const early = { ...record, ...more };
  const { size: scaledTo } = early;
  const desired = { ...early, ahead: early.ahead ?? [], ...(scaledTo && { scaledTo }) };
  expect(nextRecord(record, desired)).toEqual(early);
  expect(readRecord(service(text))).toEqual(early);
  expect(recordWrites(service(text), early)).toEqual([]);
  expect(nextRecord(early, { ...inOrder, revision: "b", cursor: 0 })).toEqual({
    ...record,
    cursor: 0,
  });
});

test.each(["b 4 a - x", "b 4 a - 1,", "b 4 a -"])("%j names no pods that go ahead", (text) => {
  expect(readRecord(service(text))).toEqual(record);
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
  expect(nextRecord(before, { ...inOrder, revision: "c", cursor: 2 })).toEqual(want);
});
