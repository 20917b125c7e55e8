/** Who owns a claim under which policy, whose claims are left alone, and which claims stand in a pod's way. */
import { describe, expect, test } from "vitest";
import type { StatefulSet, StatefulSetSpec } from "../../api/apps.ts";
import type { OwnerReference } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import type { VolumeClaim } from "../../api/volume-claim.ts";
import { buildClaims, claimInTheWay, assessClaim } from "./claims.ts";

type Retention = NonNullable<StatefulSetSpec["persistentVolumeClaimRetentionPolicy"]>;

const template = (name: string): VolumeClaim => ({
  metadata: { name, labels: { tier: "disk", app: "lost" } },
  spec: { accessModes: ["ReadWriteOnce"] },
});

const setWith = (retention?: Retention): StatefulSet => ({
  metadata: { name: "web", namespace: "default", uid: "set" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {},
    volumeClaimTemplates: [template("data"), template("log")],
    ...(retention === undefined ? {} : { persistentVolumeClaimRetentionPolicy: retention }),
  },
});

const pod: Pod = {
  metadata: { name: "web-1", namespace: "default", uid: "pod" },
  spec: { containers: [] },
};

/** `StatefulSet/web#set*`: kind, name, uid, and a star for the controller. */
function owner(text: string): OwnerReference {
  const [, kind = "", name = "", uid = "", star] = /^(\w+)\/([\w-]+)#(\w+)(\*?)$/.exec(text) ?? [];
  return { apiVersion: "v1", kind, name, uid, ...(star === "*" ? { controller: true } : {}) };
}

const ownSet = "StatefulSet/web#set*";
const ownPod = "Pod/web-1#pod*";
const boss = "Job/boss#other*";

const claim = (...owners: readonly string[]): VolumeClaim => ({
  metadata: { name: "data-web-1", namespace: "default", ownerReferences: owners.map(owner) },
});

const drawn = ({ metadata: { ownerReferences = [] } }: VolumeClaim): string[] =>
  ownerReferences.map(
    ({ kind, name, uid, controller }) => `${kind}/${name}#${uid}${controller === true ? "*" : ""}`,
  );

interface Row {
  readonly given: readonly string[];
  readonly policy?: Retention;
  readonly condemned?: boolean;
  /** The owners written; undefined where nothing is. */
  readonly want: readonly string[] | undefined;
  readonly foreign?: boolean;
}

const policy = (whenScaled: "Retain" | "Delete", whenDeleted: "Retain" | "Delete"): Retention => ({
  whenScaled,
  whenDeleted,
});

const rows: Record<string, Row> = {
  "nothing said, in range": { given: [], want: undefined },
  "Retain/Retain, in range": { given: [], policy: policy("Retain", "Retain"), want: undefined },
  "Retain/Retain, condemned": {
    given: [],
    policy: policy("Retain", "Retain"),
    condemned: true,
    want: undefined,
  },
  "Retain/Delete, in range": { given: [], policy: policy("Retain", "Delete"), want: [ownSet] },
  "Retain/Delete, condemned": {
    given: [],
    policy: policy("Retain", "Delete"),
    condemned: true,
    want: [ownSet],
  },
  "Delete/Retain, in range": { given: [], policy: policy("Delete", "Retain"), want: undefined },
  "Delete/Retain, condemned": {
    given: [],
    policy: policy("Delete", "Retain"),
    condemned: true,
    want: [ownPod],
  },
  "Delete/Delete, in range": { given: [], policy: policy("Delete", "Delete"), want: [ownSet] },
  "Delete/Delete, condemned: the set lets go": {
    given: [ownSet],
    policy: policy("Delete", "Delete"),
    condemned: true,
    want: [ownPod],
  },
  "Delete/Delete, back in range: the pod lets go": {
    given: [ownPod],
    policy: policy("Delete", "Delete"),
    want: [ownSet],
  },
  "a policy that was given up takes its references away": {
    given: [ownSet, "ConfigMap/note#note"],
    want: ["ConfigMap/note#note"],
  },
  "a reference to us that lacks `controller` is repaired": {
    given: ["StatefulSet/web#set"],
    policy: policy("Retain", "Delete"),
    want: [ownSet],
  },
  "what fits is not written again": {
    given: [ownSet],
    policy: policy("Retain", "Delete"),
    want: undefined,
  },
  "others that only refer to it stay": {
    given: ["ConfigMap/note#note"],
    policy: policy("Retain", "Delete"),
    want: ["ConfigMap/note#note", ownSet],
  },
  "a former set of that name: the claim is about to go": {
    given: ["StatefulSet/web#former*"],
    policy: policy("Retain", "Delete"),
    want: undefined,
  },
  "a former pod of that name: likewise": {
    given: ["Pod/web-1#former*"],
    policy: policy("Delete", "Delete"),
    want: undefined,
  },
  "another controller's claim is not ours to give away": {
    given: [boss],
    policy: policy("Retain", "Delete"),
    want: undefined,
    foreign: true,
  },
  "another controller's claim: our references go": {
    given: [boss, "StatefulSet/web#set"],
    policy: policy("Delete", "Delete"),
    want: [boss],
    foreign: true,
  },
  "another controller's claim concerns nobody while all is retained": {
    given: [boss],
    policy: policy("Retain", "Retain"),
    want: undefined,
  },
};

test.each(Object.entries(rows))("ST12 %s", (_sentence, row) => {
  const { given, policy: retention, condemned = false, want, foreign = false } = row;
  const assessment = assessClaim(setWith(retention), pod, claim(...given), condemned);
  const written = assessment.kind === "fits" ? undefined : assessment.claim;
  expect(written === undefined ? undefined : drawn(written)).toEqual(want);
  expect(assessment.kind === "foreign").toBe(foreign);
});

test("ST12 claims are named after template, set and ordinal, and the selector's labels win", () => {
  const claims = buildClaims(setWith(), 1);
  expect(claims.map(({ metadata }) => metadata.name)).toEqual(["data-web-1", "log-web-1"]);
  expect(claims[0]?.metadata).toMatchObject({
    namespace: "default",
    labels: { tier: "disk", app: "web" },
  });
  expect(claims[0]?.metadata.ownerReferences).toBeUndefined();
});

describe("ST12 a pod that is about to be made", () => {
  const terminating = {
    ...claim(),
    metadata: { ...claim().metadata, deletionTimestamp: "2026-01-01" },
  };
  const ways: Record<string, { given: (VolumeClaim | undefined)[]; want: string | undefined }> = {
    "needs no claim to be there": { given: [undefined, undefined], want: undefined },
    "finds its claims again": { given: [claim(), claim()], want: undefined },
    "finds claims of its set": { given: [claim(ownSet), claim(ownSet)], want: undefined },
    "waits for the claim of a former pod": {
      given: [claim("Pod/web-1#former*"), claim()],
      want: "data-web-1",
    },
    "waits for the second claim too": {
      given: [claim(), claim("Pod/web-1#former*")],
      want: "log-web-1",
    },
    "has no uid yet, so that a pod of its name is always a former one": {
      given: [claim(ownPod), undefined],
      want: "data-web-1",
    },
    "waits for a claim on its way out": { given: [terminating, undefined], want: "data-web-1" },
    "does not wait for another pod's": { given: [claim("Pod/web-2#p*"), claim()], want: undefined },
  };

  test.each(Object.entries(ways))("%s", (_sentence, { given, want }) => {
    const names = ["data-web-1", "log-web-1"];
    const find = (name: string): VolumeClaim | undefined => given[names.indexOf(name)];
    expect(claimInTheWay(setWith(), 1, find)).toBe(want);
  });
});
