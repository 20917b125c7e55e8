/** A part that its set does not see says so. */
import { expect, test } from "vitest";
import { podCliqueRollout, scalingGroupRollout } from "./pod-clique-parts.ts";

const owner = { apiVersion: "grove.io/v1alpha1", kind: "PodCliqueSet", name: "chat", uid: "u" };

function notesOf(kind: "PodClique" | "PodCliqueScalingGroup", replica: string) {
  const view = kind === "PodClique" ? podCliqueRollout : scalingGroupRollout;
  const labels = {
    "app.kubernetes.io/part-of": "chat",
    "grove.io/podcliqueset-replica-index": replica,
  };
  const metadata = {
    name: "chat-x",
    namespace: "llm",
    labels,
    ownerReferences: [{ ...owner, controller: true }],
  };
  const spec = { replicas: 1, minAvailable: 1, cliqueNames: [], podSpec: { containers: [] } };
  const object = { apiVersion: "grove.io/v1alpha1", kind, metadata, spec };
  return view.view({ object, related: {}, nowMs: 0 }).notes;
}

const part = "it is a part of podcliqueset/chat, which steers it";
const ignored = (found: string) =>
  `its set ignores it: its label grove.io/podcliqueset-replica-index is "${found}", which is no replica`;

test.each([
  ["PodClique", "0", [part]],
  ["PodClique", "x", [part, `${ignored("x")}; kubectl delete pclq chat-x -n llm`]],
  ["PodCliqueScalingGroup", "1e3", [part, `${ignored("1e3")}; kubectl delete pcsg chat-x -n llm`]],
] as const)(
  "PS3 a %s of replica %j is seen by its set, or says that it is not",
  (kind, replica, want) => {
    expect(notesOf(kind, replica)).toEqual(want);
  },
);

test.each([
  ["chat-v2", { name: "chat-v1" }],
  ["chat-v1", undefined],
])("a part on revision %s knows what its set goes back to", (revision, want) => {
  const status = { currentRevision: "chat-v1", updateRevision: "chat-v2" };
  const set = { ...owner, metadata: { name: "chat", uid: "u" }, status };
  const object = {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodClique",
    metadata: {
      name: "chat-1-web",
      labels: { "app.kubernetes.io/part-of": "chat" },
      annotations: { "lockstep.dev/revision": revision },
      ownerReferences: [{ ...owner, controller: true }],
    },
    spec: { replicas: 1, minAvailable: 1, podSpec: { containers: [] } },
  };
  const { steeredBy } = podCliqueRollout.view({ object, related: { owner: [set] }, nowMs: 0 });
  expect(steeredBy?.current).toEqual(want);
});
