/** Every sentence that a RoleBasedGroupSet can say, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAgo, drawnAtMs } from "../../../../test/builders/drawn-pods.ts";
import { groupOf } from "../../../../test/builders/role-based-group-scenario.ts";
import {
  conditionLines,
  eventLines,
  nameConflictLines,
  sentencesOf,
  tooLargeLines,
} from "../../../../test/builders/sentences.ts";
import type { Condition } from "../../../api/apps.ts";
import { roleBasedGroupResource } from "../../../api/rbg/rolebasedgroup.ts";
import { roleBasedGroupSetResource } from "../../../api/rbg/rolebasedgroupset.ts";
import type { Status } from "../../../api/status.ts";
import { ApiError } from "../../../api/status.ts";
import { adoptedText } from "../../engine/ownership.ts";
import type { Failure } from "../../engine/reconcile.ts";
import { groupSetReconciler } from "./index.ts";
import { templateHashAnnotation } from "./member.ts";
import type { Member, Observed } from "./observe.ts";
import { plan } from "./plan.ts";
import { groupSetStatus } from "./status.ts";

const condition = (type: string, status: "True" | "False", message = ""): Condition => ({
  type,
  status,
  reason: "",
  message,
  lastTransitionTime: drawnAgo(60),
});

const conditions: Readonly<Record<string, readonly Condition[]>> = {
  "": [condition("Ready", "True"), condition("Progressing", "False")],
  ".": [condition("Ready", "False"), condition("Progressing", "True", "prefill is started")],
  "!": [
    condition("Ready", "False"),
    condition("Stalled", "True", "decode-0: ImagePullBackOff: no such tag"),
  ],
};

/** `v1 v2. v2!`: groups by index; `.` is on its way, `!` has stalled. */
function observed(drawing: string, desired: number): Observed {
  const members = drawing.split(" ").flatMap((mark, index): Member[] => {
    const [, revision = "", flag = ""] = /^(v\d)(.?)$/.exec(mark) ?? [];
    if (revision === "") return [];
    const drawn = groupOf({ name: `chat-${index}` });
    const annotations = { [templateHashAnnotation]: revision };
    const metadata = { ...drawn.metadata, uid: `g${index}`, annotations };
    const status = { conditions: [...(conditions[flag] ?? [])] };
    return [{ index, group: { ...drawn, metadata, status } }];
  });
  const set = {
    metadata: { name: "chat", namespace: "default", uid: "set" },
    spec: { replicas: desired, template: groupOf({}).spec },
  };
  return { nowMs: drawnAtMs, set, revision: "v2", members } as unknown as Observed;
}

const message = 'rolebasedgroups "chat-1" is forbidden: exceeded quota';
const refused: Failure = {
  cause: new ApiError({ code: 403, reason: "Forbidden", message } as Status),
  message,
};

interface Given {
  readonly groups: string;
  readonly desired?: number;
  readonly failure?: Failure;
}

const states: Readonly<Record<string, readonly [Given, shown: string]>> = {
  "every group is ready": [{ groups: "v2 v2" }, ""],
  "one group starts": [{ groups: "v2 v2." }, "Ready Available Progressing"],
  "the first of three is updated": [{ groups: "v1 v1 v1" }, "Progressing"],
  "a group has stalled": [{ groups: "v1 v2!" }, "Available Progressing Stalled"],
  "a quota refuses a group": [
    { groups: "v2", desired: 2, failure: refused },
    "Progressing Stalled",
  ],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given, shown]) => {
    const seen = observed(given.groups, given.desired ?? given.groups.split(" ").length);
    const types = shown === "" ? [] : shown.split(" ");
    const status = groupSetStatus(seen, plan(seen), given.failure);
    return conditionLines(status, ...types);
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

const kind = groupSetReconciler({} as never, { clock: {} } as never);
const kinds = { owner: roleBasedGroupSetResource, resource: roleBasedGroupResource };
const { reason } = kind.adoption ?? {};
const adopted = {
  type: "Normal",
  message: adoptedText(["RoleBasedGroup chat-0"]),
  ...(reason && { reason }),
};

const events: Readonly<
  Record<string, readonly [says: () => readonly string[] | Promise<readonly string[]>]>
> = {
  "a quota refuses a group": [
    () => eventLines([kind.failureEvent?.(observed("v2", 2), plan(observed("v2", 2)), refused)]),
  ],
  "an earlier set left a group behind": [() => eventLines([adopted])],
  "a group of nobody has the name": [
    () => (kind.nameConflicts === undefined ? [] : nameConflictLines(kind.nameConflicts, kinds)),
  ],
};

test("every event is true when it is emitted", async () => {
  const text = await sentencesOf(events, async ([says]) => {
    const lines = await says();
    return lines;
  });
  await expect(text).toMatchFileSnapshot("sentences-events.txt");
});

test("it asks for more pods than can be looked after", () => {
  const seen = observed("v2", 30_000);
  expect(tooLargeLines(kind.tooLarge?.(seen), "Stalled")).toEqual([
    "Stalled=True TooLarge: spec.replicas asks for 210000 groups and pods, at most 20000 are possible: " +
      "nothing is created, changed or deleted until that is lowered",
  ]);
});
