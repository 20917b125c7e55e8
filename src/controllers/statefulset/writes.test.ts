/** What is written for a decision, in which order and pace, and what is repaired. */
import { expect, test } from "vitest";
import type { PodTemplate, StatefulSet, StatefulSetSpec } from "../../api/apps.ts";
import type { OwnerReference } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { podNameLabel } from "../../api/pod.ts";
import type { VolumeClaim } from "../../api/volume-claim.ts";
import type { Action } from "../../planner/index.ts";
import type { WritePlan } from "../engine/write.ts";
import { isLiveRead, isWrite, keyOfObject } from "../engine/write.ts";
import { revisionLabel } from "./identity.ts";
import type { Observed } from "./observe.ts";
import type { RolloutPlan } from "./plan.ts";
import type { SetPodState } from "./set-pod.ts";
import { podStateOf } from "./set-pod.ts";
import { historyWrites, podDeletes, repairs, rolloutWrites } from "./writes.ts";

const setWith = (spec: Partial<StatefulSetSpec> = {}): StatefulSet => ({
  metadata: { name: "web", namespace: "default", uid: "set" },
  spec: { selector: { matchLabels: { app: "web" } }, template: {}, ...spec },
});

const disk: VolumeClaim = { metadata: { name: "disk" }, spec: { accessModes: ["ReadWriteOnce"] } };

interface Given {
  readonly spec?: Partial<StatefulSetSpec>;
  readonly claims?: readonly VolumeClaim[];
}

const observed = ({ spec, claims = [] }: Given = {}): Observed =>
  ({
    set: setWith(spec),
    claim: (name: string) => claims.find(({ metadata }) => metadata.name === name),
  }) as unknown as Observed;

/** `v1` serves, `v1!` does not, `v1?` waits to start, `v1~` terminates, `v1#` lost its name, `v1-` is condemned. */
function podOf(mark: string, ordinal: number): SetPodState {
  const name = `web-${ordinal}`;
  const [, revision = "", signs = ""] = /^(\w+)(\W*)$/.exec(mark) ?? [];
  const is = (sign: string): boolean => signs.includes(sign);
  const health = is("~") ? "terminating" : is("!") || is("?") ? "pending" : "available";
  const pod: Pod = {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${ordinal}`,
      resourceVersion: `${10 + ordinal}`,
      labels: { [revisionLabel]: revision, ...(is("#") ? {} : { [podNameLabel]: name }) },
    },
    spec: { containers: [] },
    status: { phase: is("?") ? "Pending" : "Running" },
  };
  return podStateOf({ pod, ordinal }, { health, failed: false }, is("-"));
}

const podsOf = (drawing: string): SetPodState[] =>
  drawing
    .split(" ")
    .filter((mark) => mark !== "")
    .map(podOf);

/** `+3 v2` creates, `-1` deletes. */
function actionOf(text: string): Action {
  const [, sign, digits, revision = ""] = /^([+-])(\d+) ?(\w*)$/.exec(text) ?? [];
  const ordinal = Number(digits);
  return (sign === "+"
    ? { kind: "create", ordinal, revision }
    : { kind: "delete", unit: `web-${ordinal}`, id: `uid-${ordinal}` }) as unknown as Action;
}

const planned = (pods: string, actions: readonly string[]): RolloutPlan =>
  ({ pods: podsOf(pods), decision: { actions: actions.map(actionOf) } }) as unknown as RolloutPlan;

/** `(a, b)` in order, `[a | b]` side by side, `1[a | b]` beginning with one. */
function drawn(plan: WritePlan): string {
  if (isLiveRead(plan)) return `asks whether ${plan.question}`;
  if (isWrite(plan)) {
    const { name } = "key" in plan ? plan.key : keyOfObject(plan.object);
    const version = plan.verb === "delete" ? plan.resourceVersion : undefined;
    return `${plan.verb} ${name}${version === undefined ? "" : `@${version}`}`;
  }
  if ("inOrder" in plan) return `(${plan.inOrder.map(drawn).join(", ")})`;
  const first = plan.pace?.firstBatch === 1 ? "1" : "";
  return `${first}[${plan.sideBySide.map(drawn).join(" | ")}]`;
}

const template: PodTemplate = { spec: { containers: [{ name: "app", image: "web:v1" }] } };

interface Row extends Given {
  readonly pods: string;
  readonly actions: readonly string[];
  readonly want: string;
}

const rows: Record<string, Row> = {
  "pods of an unproven revision begin with one": {
    pods: "v1",
    actions: ["+1 v2", "+2 v2"],
    want: "[1[(create web-1) | (create web-2)] | []]",
  },
  "pods of a proven revision are created at once": {
    pods: "v2",
    actions: ["+1 v2", "+2 v2"],
    want: "[[(create web-1) | (create web-2)] | []]",
  },
  "deletes run beside creates": {
    pods: "v2 v1",
    actions: ["+2 v2", "-1"],
    want: "[[(create web-2)] | [delete web-1]]",
  },
  "a pod that does not serve is deleted only in the state that was assessed": {
    pods: "v1 v1!",
    actions: ["-0", "-1"],
    want: "[[] | [delete web-0 | delete web-1@11]]",
  },
  "claims come before their pod, those that exist are left alone": {
    pods: "v1",
    actions: ["+1 v1", "+2 v1"],
    spec: { volumeClaimTemplates: [disk] },
    claims: [{ metadata: { name: "disk-web-1" } }],
    want: "[[(create web-1) | (create disk-web-2, create web-2)] | []]",
  },
  "a pod waits for the claim of its predecessor to go": {
    pods: "v1",
    actions: ["+1 v1"],
    spec: { volumeClaimTemplates: [disk] },
    claims: [{ metadata: { name: "disk-web-1", deletionTimestamp: "2026-01-01T00:00:00Z" } }],
    want: "[[] | []]",
  },
};

test.each(Object.entries(rows))("ST12 ST14 %s", (_sentence, { pods, actions, want, ...given }) => {
  expect(drawn(rolloutWrites(observed(given), planned(pods, actions), () => template))).toBe(want);
});

test("ST12 a claim that appeared meanwhile is accepted, a pod is not", () => {
  const given = observed({ spec: { volumeClaimTemplates: [disk] } });
  const plan = rolloutWrites(given, planned("", ["+0 v1"]), () => template);
  expect(drawn(plan)).toBe("[1[(create disk-web-0, create web-0)] | []]");
  const [creates] = "sideBySide" in plan ? plan.sideBySide : [];
  const [first] = creates !== undefined && "sideBySide" in creates ? creates.sideBySide : [];
  const steps = first !== undefined && "inOrder" in first ? first.inOrder : [];
  const answers = steps.map(
    (step) => isWrite(step) && "ifExists" in step && step.ifExists?.(undefined),
  );
  expect(answers).toEqual(["accept", false]);
});

test("ST25 deletes can be chosen", () => {
  const plan = planned("v1 v1 v1", ["-2", "+3 v1", "-1"]);
  expect(podDeletes(plan).map(drawn)).toEqual(["delete web-2", "delete web-1"]);
  const chosen = podDeletes(plan, ({ unit }) => unit === "web-1");
  expect(chosen.map(drawn)).toEqual(["delete web-1"]);
});

const owner = (kind: string, uid: string): OwnerReference => ({
  apiVersion: "v1",
  kind,
  name: kind === "StatefulSet" ? "web" : "boss",
  uid,
  controller: true,
});

const claim = (name: string, ...ownerReferences: OwnerReference[]): VolumeClaim => ({
  metadata: {
    name,
    namespace: "default",
    uid: `uid-${name}`,
    resourceVersion: "7",
    ownerReferences,
  },
});

const deleted: Partial<StatefulSetSpec> = {
  volumeClaimTemplates: [disk],
  persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
};

interface Repair extends Given {
  readonly pods: string;
  readonly want: readonly string[];
  readonly foreign?: readonly string[];
}

const repaired: Record<string, Repair> = {
  "nothing where all is right": { pods: "v1 v1?", want: [] },
  "a lost name": { pods: "v1 v1#", want: ["patch web-1"] },
  "not of a condemned pod": { pods: "v1#-", want: [] },
  "nothing of a terminating pod": { pods: "v1#~", spec: deleted, want: [] },
  "the lost claim of a pod that cannot start without it": {
    pods: "v1? v1 v1?-",
    spec: { volumeClaimTemplates: [disk] },
    want: ["create disk-web-0"],
  },
  "owners that the retention policy asks for": {
    pods: "v1 v1",
    spec: deleted,
    claims: [claim("disk-web-0"), claim("disk-web-1", owner("StatefulSet", "set"))],
    want: ["patch disk-web-0"],
  },
  "not those of another controller's claim": {
    pods: "v1",
    spec: deleted,
    claims: [claim("disk-web-0", owner("Job", "boss"))],
    want: [],
    foreign: ["disk-web-0"],
  },
};

test.each(Object.entries(repaired))("ST11 ST12 repairs: %s", (_what, given) => {
  const { pods, want, foreign = [] } = given;
  const { writes, foreignClaims } = repairs(observed(given), podsOf(pods));
  expect(writes.map(drawn)).toEqual(want);
  expect(foreignClaims).toEqual(foreign);
});

test("ST11 a repair patches labels alone, of one pod in the state that was observed", () => {
  const { writes } = repairs(observed(), podsOf("v1#"));
  const labels = { [podNameLabel]: "web-0", "apps.kubernetes.io/pod-index": "0" };
  const body = { metadata: { uid: "uid-0", resourceVersion: "10", labels } };
  expect(writes).toMatchObject([{ patch: { type: "merge", body } }]);
});

test("ST12 a claim's owners are patched in the state that was observed", () => {
  const given = observed({ spec: deleted, claims: [claim("disk-web-0")] });
  const { writes } = repairs(given, podsOf("v1"));
  const ownerReferences = [{ kind: "StatefulSet", uid: "set", controller: true }];
  const metadata = { uid: "uid-disk-web-0", resourceVersion: "7", ownerReferences };
  expect(writes).toMatchObject([{ patch: { type: "merge", body: { metadata } } }]);
});

test("ST19 history loses what neither the set nor a pod uses", () => {
  const revisions = ["a", "b", "c", "d", "e"].map((name, index) => ({
    metadata: { name, namespace: "default", uid: name },
    revision: index + 1,
  }));
  const view = {
    set: setWith({ revisionHistoryLimit: 1 }),
    revisions,
    pods: podsOf("b b"),
  } as unknown as Observed;
  expect(historyWrites(view, { current: "d", update: "e" }).map(drawn)).toEqual(["delete a"]);
});
