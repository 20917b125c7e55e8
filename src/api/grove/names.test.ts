import { expect, test } from "vitest";
import { managedLabels, selectorText } from "./labels.ts";
import {
  componentName,
  headlessServiceAddress,
  memberName,
  podHostname,
  podIndexOf,
  resourceClaimName,
  scaledPodGangName,
} from "./names.ts";

const cases: Record<string, { given: string; want: string }> = {
  "a standalone clique is named after its set, its replica and itself": {
    given: componentName({ set: "chat", setReplica: 0, component: "frontend" }),
    want: "chat-0-frontend",
  },
  "a member is named after its group's replica too": {
    given: memberName({
      set: "chat",
      setReplica: 1,
      group: "prefill",
      groupReplica: 2,
      clique: "leader",
    }),
    want: "chat-1-prefill-2-leader",
  },
  "scaled gangs count from the first replica above minAvailable": {
    given: scaledPodGangName("chat-0-prefill", 3, 2),
    want: "chat-0-prefill-1",
  },
  "the headless service has an address in its namespace": {
    given: headlessServiceAddress("chat", 0, "team-a"),
    want: "chat-0.team-a.svc.cluster.local",
  },
  "a claim shared by all replicas says so": {
    given: resourceClaimName("chat", "gpu"),
    want: "chat-all-gpu",
  },
  "a claim of one replica carries its index": {
    given: resourceClaimName("chat", "gpu", 0),
    want: "chat-0-gpu",
  },
  "a selector is written in key order": {
    given: selectorText(managedLabels("chat")),
    want: "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=chat",
  },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  expect(given).toBe(want);
});

test("a hostname gives its index back, and only to the clique that gave it", () => {
  expect(podIndexOf("chat-0-a", podHostname("chat-0-a", 12))).toBe(12);
  expect(podIndexOf("chat-0-a", "chat-0-ab-1")).toBeUndefined();
  expect(podIndexOf("chat-0-a", "chat-0-a-01")).toBeUndefined();
  expect(podIndexOf("chat-0-a", "chat-0-a-b-1")).toBeUndefined();
});
