import { expect, test } from "vitest";
import type { ControllerRevision, PodTemplate, StatefulSet } from "../../api/apps.ts";
import { canonicalJson } from "../../api/canonical-json.ts";
import { expiredRevisions } from "../engine/history.ts";
import type { Write } from "../engine/write.ts";
import {
  chooseRevisions,
  chooseUpdateRevision,
  revisionData,
  revisionHash,
  revisionName,
  sortRevisions,
  templateOf,
} from "./revisions.ts";

const template = (image: string, metadata: object = {}): PodTemplate => ({
  metadata: { labels: { app: "web" }, ...metadata },
  spec: { containers: [{ name: "app", image }] },
});

const setWith = (image: string): StatefulSet => ({
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { matchLabels: { app: "web" } }, template: template(image) },
});

const record = (revision: number, image: string, metadata: object = {}): ControllerRevision => ({
  metadata: { name: `web-${image}` },
  revision,
  data: revisionData(template(image, metadata)),
});

const choices: Record<string, { records: ControllerRevision[]; want: object }> = {
  "the first template is recorded as number 1": {
    records: [],
    want: { kind: "create", number: 1 },
  },
  "another template is recorded after the latest": {
    records: [record(1, "a"), record(4, "b")],
    want: { kind: "create", number: 5 },
  },
  "the same template needs no write": {
    records: [record(1, "a"), record(2, "v")],
    want: { kind: "none" },
  },
  "going back makes the old record the newest": {
    records: [record(1, "v"), record(2, "a"), record(3, "b")],
    want: { kind: "renumber", number: 4, revision: record(1, "v") },
  },
  "a null creationTimestamp of an older version is no change": {
    records: [record(1, "v", { creationTimestamp: null })],
    want: { kind: "none" },
  },
  "with both forms recorded the latest counts": {
    records: [record(1, "v", { creationTimestamp: null }), record(2, "v")],
    want: { kind: "none", revision: record(2, "v") },
  },
};

test.each(Object.entries(choices))("ST10 %s", (_sentence, { records, want }) => {
  expect(chooseUpdateRevision(setWith("v"), records)).toMatchObject(want);
});

const nameOf = (image: string, collisionCount: number): string =>
  revisionName("web", canonicalJson(revisionData(template(image))), collisionCount);

interface Chosen {
  readonly records?: ControllerRevision[];
  readonly status?: Partial<NonNullable<StatefulSet["status"]>>;
  /** Names of records, whoever owns them. */
  readonly taken?: string[];
  readonly want: {
    readonly update: string;
    readonly current: string;
    readonly collisionCount: number;
    readonly writes: string[];
  };
}

const chosen: Record<string, Chosen> = {
  "the first revision is current and update": {
    want: {
      update: nameOf("v", 0),
      current: nameOf("v", 0),
      collisionCount: 0,
      writes: [`create ${nameOf("v", 0)} as 1`],
    },
  },
  "a name that somebody else's record has is passed over": {
    taken: [nameOf("v", 0), nameOf("v", 1)],
    want: {
      update: nameOf("v", 2),
      current: nameOf("v", 2),
      collisionCount: 2,
      writes: [`create ${nameOf("v", 2)} as 1`],
    },
  },
  "the count goes on from the status": {
    status: { collisionCount: 3, currentRevision: "web-a" },
    records: [record(1, "a")],
    taken: [nameOf("v", 3)],
    want: {
      update: nameOf("v", 4),
      current: "web-a",
      collisionCount: 4,
      writes: [`create ${nameOf("v", 4)} as 2`],
    },
  },
  "going back is an update of the old record": {
    status: { collisionCount: 1, currentRevision: "web-a" },
    records: [record(1, "v"), record(2, "a")],
    want: { update: "web-v", current: "web-a", collisionCount: 1, writes: ["update web-v as 3"] },
  },
  "a record that is there needs no write, and a current one that is gone is the update": {
    status: { currentRevision: "web-gone" },
    records: [record(1, "a"), record(2, "v")],
    want: { update: "web-v", current: "web-v", collisionCount: 0, writes: [] },
  },
};

const inWords = (write: Write): string => {
  const object = ("object" in write ? write.object : undefined) as ControllerRevision | undefined;
  return `${write.verb} ${object?.metadata.name} as ${object?.revision}`;
};

test.each(Object.entries(chosen))("ST10 chosen: %s", (_sentence, given) => {
  const { records = [], status, taken = [], want } = given;
  const set = { ...setWith("v"), ...(status && { status: { replicas: 0, ...status } }) };
  const hasRevision = (name: string): boolean => taken.includes(name);
  const {
    names,
    collisionCount,
    record: writes,
  } = chooseRevisions({
    set,
    revisions: records,
    hasRevision,
  });
  expect({ ...names, collisionCount, writes: writes.map(inWords) }).toEqual(want);
});

test("ST10 a record that appeared meanwhile is accepted where it is ours, and no other", () => {
  const { record: writes } = chooseRevisions({
    set: { ...setWith("v"), metadata: { name: "web", namespace: "default", uid: "1" } },
    revisions: [],
    hasRevision: () => false,
  });
  const [create] = writes;
  if (create?.verb !== "create") throw new Error("nothing is created");
  expect(create.ifExists?.(create.object)).toBe("accept");
  const foreign = {
    ...create.object,
    metadata: { ...create.object.metadata, ownerReferences: [] },
  };
  expect(create.ifExists?.(foreign)).toMatchObject({ problem: expect.stringContaining("exists") });
  const other = { ...create.object, data: { other: true } };
  expect(create.ifExists?.(other)).toMatchObject({ problem: expect.stringContaining("exists") });
});

test("ST10 pods of each revision are created from its own template", () => {
  const { template: of, names } = chooseRevisions({
    set: setWith("v"),
    revisions: [record(1, "a")],
    hasRevision: () => false,
  });
  const image = (revision: string): string | undefined => of(revision).spec?.containers[0]?.image;
  expect([image("web-a"), image(names.update), image("web-gone")]).toEqual(["a", "v", "v"]);
});

test("ST10 a pod is made from the recorded template, without the directive", () => {
  expect(templateOf(record(1, "a"))).toEqual(template("a"));
});

test("ST19 records sort by number, then age, then name", () => {
  const aged = (name: string, revision: number, creationTimestamp: string): ControllerRevision => ({
    metadata: { name, creationTimestamp },
    revision,
  });
  const sorted = sortRevisions([
    aged("c", 2, "2026-01-01T00:00:00Z"),
    aged("b", 1, "2026-01-02T00:00:00Z"),
    aged("a", 1, "2026-01-02T00:00:00Z"),
    aged("d", 1, "2026-01-01T00:00:00Z"),
  ]);
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(["d", "a", "b", "c"]);
});

test.each<[number, string[], string[]]>([
  [0, ["web-d"], ["web-a", "web-b", "web-c"]],
  [2, ["web-d"], ["web-a"]],
  [2, ["web-a", "web-d"], []],
  [-2, [], []],
])("ST19 with limit %i and %j in use, %j go", (limit, inUse, want) => {
  const records = ["a", "b", "c", "d"].map((image, index) => record(index + 1, image));
  const gone = expiredRevisions(records, new Set(inUse), limit);
  expect(gone.map(({ metadata }) => metadata.name)).toEqual(want);
});

const plainTemplate = {
  spec: {
    terminationGracePeriodSeconds: 30,
    securityContext: {},
    schedulerName: "default-scheduler",
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    containers: [
      {
        name: "test",
        image: "test",
        imagePullPolicy: "Always",
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
      },
    ],
  },
  metadata: { labels: { app: "foo" }, annotations: { test: "value" } },
} as unknown as PodTemplate;

test("ST10 the hash of a template is the one Kubernetes computes", () => {
  expect(revisionHash(canonicalJson(revisionData(plainTemplate)), 0)).toBe("776999688b");
});

test("ST10 a null creationTimestamp, as older versions wrote it, has their hash", () => {
  const old = {
    ...plainTemplate,
    metadata: { ...plainTemplate.metadata, creationTimestamp: null as unknown as string },
  };
  expect(revisionHash(canonicalJson(revisionData(old)), 0)).toBe("c77f6d978");
});

test("ST10 a long name is cut before the hash is added", () => {
  expect(revisionName("a".repeat(300), "{}", 0)).toHaveLength(
    223 + 1 + revisionHash("{}", 0).length,
  );
});

test("ST10 another collision count gives another name", () => {
  expect(revisionName("web", "{}", 1)).not.toBe(revisionName("web", "{}", 0));
});

const texts: Record<string, { value: unknown; want: string }> = {
  "keys are sorted by byte, also where they look like integers": {
    value: { "9": 1, "10": 2, a: 3, A: 4 },
    want: '{"10":2,"9":1,"A":4,"a":3}',
  },
  "characters that HTML minds are escaped": {
    value: { c: "<a>&b\u2028\u2029" },
    want: '{"c":"\\u003ca\\u003e\\u0026b\\u2028\\u2029"}',
  },
  "undefined fields are left out, null ones stay": {
    value: { a: undefined, b: null },
    want: '{"b":null}',
  },
  "lists keep their order": { value: [3, "x", { b: 1, a: [] }], want: '[3,"x",{"a":[],"b":1}]' },
};

test.each(Object.entries(texts))("ST10 %s", (_sentence, { value, want }) => {
  expect(canonicalJson(value)).toBe(want);
});
