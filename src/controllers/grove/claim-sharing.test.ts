import { expect, test } from "vitest";
import type { PodCliqueSetTemplate } from "../../api/grove/podcliqueset.ts";
import type { Sharing } from "./claim-sharing.ts";
import {
  claimsOf,
  claimsOfPod,
  cliqueLevel,
  groupLevel,
  replicasUpTo,
  podCliqueSetLevel,
  sharesAnything,
} from "./claim-sharing.ts";
import type { CliquePlace } from "./starts-after.ts";

const all = (name: string, filter?: Sharing["filter"]): Sharing => ({
  name,
  scope: "AllReplicas",
  ...(filter === undefined ? {} : { filter }),
});
const each = (name: string, filter?: Sharing["filter"]): Sharing => ({
  ...all(name, filter),
  scope: "PerReplica",
});

const member: CliquePlace = {
  set: "chat",
  setReplica: 1,
  clique: "leader",
  group: { name: "decode", replica: 2, minAvailable: 1 },
};
const standalone: CliquePlace = { set: "chat", setReplica: 1, clique: "front" };

const ofOwner: Record<string, { given: { name: string }[]; want: string[] }> = {
  "a set has one claim for all its replicas": {
    given: claimsOf(podCliqueSetLevel("chat", { resourceSharing: [all("gpu")] }), [0, 1]),
    want: ["chat-all-gpu"],
  },
  "a set has one claim for each replica": {
    given: claimsOf(podCliqueSetLevel("chat", { resourceSharing: [each("gpu")] }), [0, 1]),
    want: ["chat-0-gpu", "chat-1-gpu"],
  },
  "what all share comes first, then index by index, whatever order they are given in": {
    given: claimsOf(
      podCliqueSetLevel("chat", { resourceSharing: [each("b"), all("c"), each("a")] }),
      [10, 2, 2],
    ),
    want: ["chat-all-c", "chat-2-b", "chat-2-a", "chat-10-b", "chat-10-a"],
  },
  "filters say who uses a claim, not whether there is one": {
    given: claimsOf(
      podCliqueSetLevel("chat", { resourceSharing: [all("gpu", { childCliqueNames: ["front"] })] }),
      [0],
    ),
    want: ["chat-all-gpu"],
  },
  "what all share is there before the first replica": {
    given: claimsOf(podCliqueSetLevel("chat", { resourceSharing: [all("gpu"), each("nic")] }), []),
    want: ["chat-all-gpu"],
  },
  "a scaling group has claims under its own name": {
    given: claimsOf(
      groupLevel(member, { name: "decode", resourceSharing: [all("gpu"), each("nic")] }),
      [0],
    ),
    want: ["chat-1-decode-all-gpu", "chat-1-decode-0-nic"],
  },
  "a clique has claims under its own name": {
    given: claimsOf(cliqueLevel(member, { resourceSharing: [all("gpu"), each("nic")] }), [3]),
    want: ["chat-1-decode-2-leader-all-gpu", "chat-1-decode-2-leader-3-nic"],
  },
  "a level that shares nothing has none": {
    given: claimsOf(podCliqueSetLevel("chat", {}), [0]),
    want: [],
  },
};

test.each(Object.entries(ofOwner))("%s", (_, { given, want }) => {
  expect(given.map(({ name }) => name)).toEqual(want);
});

test("labels name the owner and the replica of a claim", () => {
  const level = groupLevel(member, { name: "decode", resourceSharing: [all("gpu"), each("nic")] });
  const own = {
    "app.kubernetes.io/managed-by": "grove-operator",
    "app.kubernetes.io/part-of": "chat",
    "app.kubernetes.io/component": "resource-claim",
    "grove.io/podcliquescalinggroup": "chat-1-decode",
  };
  expect(claimsOf(level, [2]).map(({ labels }) => labels)).toEqual([
    own,
    { ...own, "grove.io/podcliquescalinggroup-replica-index": "2" },
  ]);
});

const clique = { spec: { roleName: "x", podSpec: { containers: [] } } };

const templateOf = (given: {
  readonly set?: readonly Sharing[];
  readonly group?: readonly Sharing[];
  readonly leader?: readonly Sharing[];
}): PodCliqueSetTemplate => ({
  resourceSharing: given.set ?? [],
  cliques: [
    { ...clique, name: "front" },
    { ...clique, name: "leader", resourceSharing: given.leader ?? [] },
  ],
  podCliqueScalingGroups: [
    { name: "decode", cliqueNames: ["leader"], resourceSharing: given.group ?? [] },
  ] as PodCliqueSetTemplate["podCliqueScalingGroups"],
});

const ofPod: Record<
  string,
  { given: Parameters<typeof templateOf>[0]; place?: CliquePlace; want: string[] }
> = {
  "a member uses what set, group and clique share, from the outside in": {
    given: {
      set: [each("a"), all("b")],
      group: [each("c"), all("d")],
      leader: [each("e"), all("f")],
    },
    want: [
      "chat-all-b",
      "chat-1-a",
      "chat-1-decode-all-d",
      "chat-1-decode-2-c",
      "chat-1-decode-2-leader-all-f",
      "chat-1-decode-2-leader-7-e",
    ],
  },
  "a standalone clique uses what the set shares, and nothing of groups": {
    given: { set: [all("b")], group: [all("d")], leader: [all("f")] },
    place: standalone,
    want: ["chat-all-b"],
  },
  "a set names cliques that may use a claim": {
    given: { set: [all("a", { childCliqueNames: ["front"] })] },
    want: [],
  },
  "a set names a group, and all its members may use the claim": {
    given: { set: [all("a", { childScalingGroupNames: ["decode"] })] },
    want: ["chat-all-a"],
  },
  "a clique outside the named group may not": {
    given: { set: [all("a", { childScalingGroupNames: ["decode"] })] },
    place: standalone,
    want: [],
  },
  "one of several names is enough": {
    given: {
      set: [each("a", { childCliqueNames: ["leader"], childScalingGroupNames: ["other"] })],
    },
    want: ["chat-1-a"],
  },
  "a group names members that may use a claim": {
    given: {
      group: [
        all("a", { childCliqueNames: ["worker"] }),
        all("b", { childCliqueNames: ["leader"] }),
      ],
    },
    want: ["chat-1-decode-all-b"],
  },
};

test.each(Object.entries(ofPod))("%s", (_, { given, place = member, want }) => {
  expect(claimsOfPod(templateOf(given), place, 7)).toEqual(want);
});

test.each([
  ["the set", templateOf({ set: [all("a")] }), true],
  ["a group", templateOf({ group: [all("a")] }), true],
  ["a clique", templateOf({ leader: [all("a")] }), true],
  ["nobody", templateOf({}), false],
])("a template in which %s shares is recognized", (_, template, want) => {
  expect(sharesAnything(template)).toBe(want);
});

test("indices are those desired and those made beside them, once each", () => {
  expect(replicasUpTo(2, [5, 1])).toEqual([0, 1, 5]);
});
