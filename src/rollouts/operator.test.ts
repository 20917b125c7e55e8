/** What a lease says about the operator that held it, and of which objects that may be said. */
import { expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import type { LeaseSpec } from "../runtime/leader.ts";
import { rolloutView } from "./compose.ts";
import { rolloutKinds } from "./kinds.ts";
import { absenceFor, absenceText, absentOperator, scopeAnnotations } from "./operator.ts";

const noon = Date.parse("2026-01-01T12:00:00Z");
const kindNamed = (word: string) => rolloutKinds.find((kind) => kind.word === word)!;

interface Given {
  readonly spec?: LeaseSpec;
  readonly lastHolder?: string;
  readonly controllers?: readonly string[];
  readonly statefulSetMode?: string;
  readonly namespaces?: readonly string[];
}

const lease = "the lease lockstep-system/lockstep";
const held = { holderIdentity: "gpu-7_1", renewTime: "2026-01-01T12:00:00.000000Z" };
const released = { ...held, holderIdentity: "", leaseDurationSeconds: 1 };

function leaseOf({ spec = held, lastHolder = "gpu-7_1", ...scope }: Given) {
  const annotations = {
    ...scopeAnnotations({
      controllers: ["podcliqueset", "statefulset"],
      statefulSetMode: "full",
      namespaces: [],
      ...scope,
    }),
    "lockstep.dev/last-holder": lastHolder,
  };
  return { metadata: { namespace: "lockstep-system", name: "lockstep", annotations }, spec };
}

const leases: Record<string, { spec: LeaseSpec; afterSeconds: number; want: string | undefined }> =
  {
    "renewed lately": { spec: held, afterSeconds: 59, want: undefined },
    "renewed by a clock that is ahead": { spec: held, afterSeconds: -600, want: undefined },
    "not renewed for a minute": {
      spec: held,
      afterSeconds: 60,
      want: `no operator has been at work since 2026-01-01T12:00:15Z: gpu-7_1 held ${lease} and renews it no more`,
    },
    "released a moment ago: the next one may take it": {
      spec: released,
      afterSeconds: 9,
      want: undefined,
    },
    released: {
      spec: released,
      afterSeconds: 10,
      want: `no operator has been at work since 2026-01-01T12:00:00Z: gpu-7_1 released ${lease}`,
    },
    "never held": { spec: {}, afterSeconds: 3600, want: undefined },
  };

test.each(Object.entries(leases))("OP11 a lease %s", (_name, { spec, afterSeconds, want }) => {
  const absent = absentOperator(leaseOf({ spec }), noon + afterSeconds * 1000);
  expect(absent && absenceText(absent)).toBe(want);
});

const setOf = (status: object = {}): KubeObject => ({
  metadata: { name: "chat", namespace: "team", generation: 1 },
  spec: { replicas: 1, template: { cliques: [] } },
  status: { observedGeneration: 1, ...status },
});

const turnedAt = (lastTransitionTime: string) => ({
  conditions: [
    {
      type: "Progressing",
      status: "True",
      reason: "UnitNotAvailable",
      message: "waiting for chat-0 (new) to become available",
      lastTransitionTime,
    },
  ],
});

const statefulSetOf = (annotations: Record<string, string>, status: object = {}): KubeObject => ({
  metadata: { name: "web", namespace: "team", annotations },
  spec: { replicas: 1, template: {}, updateStrategy: { type: "OnDelete" } },
  status,
});

const paced = { "lockstep.dev/max-unavailable": "1" };
const waiting = setOf(turnedAt("2026-01-01T11:00:00Z"));

const objects: Record<string, { given?: Given; word?: string; object: KubeObject; want: boolean }> =
  {
    "a set that its operator rolled out": { object: waiting, want: true },
    "a kind that this operator did not run": {
      given: { controllers: ["placement"] },
      object: waiting,
      want: false,
    },
    "a namespace that it looked after": {
      given: { namespaces: ["team", "other"] },
      object: waiting,
      want: true,
    },
    "a namespace that it did not look after": {
      given: { namespaces: ["other"] },
      object: waiting,
      want: false,
    },
    "a set that somebody has reported on since": {
      object: setOf(turnedAt("2026-01-01T12:01:00Z")),
      want: false,
    },
    "a StatefulSet that it paced beside the cluster's controller": {
      given: { statefulSetMode: "assist" },
      word: "statefulset",
      object: statefulSetOf(paced),
      want: true,
    },
    "a StatefulSet of the cluster's own controller": {
      given: { statefulSetMode: "assist" },
      word: "statefulset",
      object: statefulSetOf({}),
      want: false,
    },
    "a StatefulSet in full mode": {
      word: "statefulset",
      object: statefulSetOf({}, turnedAt("2026-01-01T11:00:00Z")),
      want: true,
    },
    "a StatefulSet in full mode of another operator": {
      given: { statefulSetMode: "assist" },
      word: "statefulset",
      object: statefulSetOf({}, turnedAt("2026-01-01T11:00:00Z")),
      want: false,
    },
    "an object that nobody can read": {
      word: "statefulset",
      object: { metadata: { name: "web", namespace: "team" } },
      want: false,
    },
  };

test.each(Object.entries(objects))(
  "OP11 what is said of %s",
  (_name, { given = {}, word = "podcliqueset", object, want }) => {
    const absent = absentOperator(leaseOf(given), noon + 3_600_000);
    expect(absent && absenceFor(absent, kindNamed(word), object) !== undefined).toBe(want);
  },
);

test("OP11 a lease without what its holder ran says nothing of any object", () => {
  const bare = { ...leaseOf({}), metadata: { namespace: "lockstep-system", name: "lockstep" } };
  const absent = absentOperator(bare, noon + 3_600_000);
  expect(absent && absenceFor(absent, kindNamed("podcliqueset"), waiting)).toBeUndefined();
});

test("OP11 what waits says so first, what rests in a note", () => {
  const absent = absentOperator(leaseOf({ spec: released }), noon + 60_000);
  const seen = (object: KubeObject) =>
    rolloutView(kindNamed("podcliqueset"), {
      object,
      related: {},
      nowMs: noon + 60_000,
      events: [],
      gaps: [],
      absent,
    });
  const text = `no operator has been at work since 2026-01-01T12:00:00Z: gpu-7_1 released ${lease}`;
  expect(seen(waiting).reason).toEqual({
    code: "NoOperator",
    message:
      `${text}; until one is, nothing is rolled out or cleaned up; ` +
      "as last reported: waiting for chat-0 (new) to become available",
  });
  const [resting] = turnedAt("2026-01-01T11:00:00Z").conditions;
  const rested = seen(
    setOf({ conditions: [{ ...resting, status: "False", reason: "RolledOut", message: "all" }] }),
  );
  expect(rested.state).toBe("Healthy");
  expect(rested.notes).toContain(`${text}; changes wait until one is`);
});

test("OP11 what it was started with is copied as words of a shell", () => {
  const given = { controllers: ["podcliqueset", "$(reboot)"], namespaces: ["team"] };
  const absent = absentOperator(leaseOf(given), noon + 3_600_000);
  const seen = absent && absenceFor(absent, kindNamed("podcliqueset"), waiting);
  expect(seen?.flags).toBe(
    "--controllers 'podcliqueset,$(reboot)' --statefulset-mode full --namespaces team",
  );
});
