import { expect, test } from "vitest";
import { labelKeys } from "../../../api/grove/labels.ts";
import type { PodClique } from "../../../api/grove/podclique.ts";
import { buildPod, indexOf } from "./identity.ts";
import { targetTemplate } from "./templates.ts";

const clique: PodClique = {
  metadata: {
    name: "chat-1-web",
    namespace: "team-a",
    uid: "uid-1",
    labels: {
      app: "chat",
      [labelKeys.partOf]: "chat",
      [labelKeys.setReplicaIndex]: "1",
      [labelKeys.podGang]: "chat-1",
      [labelKeys.podTemplateHash]: "abc",
    },
    annotations: { note: "hello", "lockstep.dev/revision": "chat-abc" },
  },
  spec: {
    roleName: "web",
    replicas: 2,
    podSpec: {
      containers: [
        {
          name: "app",
          image: "web:v1",
          env: [
            { name: "PEER", value: "$(GROVE_HEADLESS_SERVICE)" },
            { name: "GROVE_PCS_NAME", value: "mine" },
          ],
        },
      ],
      initContainers: [{ name: "setup", image: "setup:v1" }],
      schedulingGates: [{ name: "example.com/gate" }],
    },
  },
};

const draft = { clique, template: targetTemplate(clique), index: 3 };
const pod = buildPod({ ...draft, isGated: true });

test("GA6 a pod that nothing holds back has no gate", () => {
  expect(buildPod({ ...draft, isGated: false }).spec.schedulingGates).toEqual([]);
});

test("CQ1 a pod carries its index in name, hostname and label, and one gate, ours", () => {
  expect(pod.spec).toMatchObject({
    hostname: "chat-1-web-3",
    subdomain: "chat-1",
    schedulingGates: [{ name: "grove.io/podgang-pending-creation" }],
  });
  expect(pod.metadata).toMatchObject({
    name: "chat-1-web-3",
    labels: {
      app: "chat",
      "app.kubernetes.io/managed-by": "grove-operator",
      "app.kubernetes.io/part-of": "chat",
      "grove.io/podgang": "chat-1",
      "grove.io/podclique": "chat-1-web",
      "grove.io/podclique-pod-index": "3",
      "grove.io/pod-template-hash": "abc",
    },
    annotations: { note: "hello" },
    ownerReferences: [{ kind: "PodClique", name: "chat-1-web", controller: true }],
  });
});

test("our variables come before the user's, in init containers too, and win over those of the same name", () => {
  const names = (container: unknown): string[] =>
    (container as { env: { name: string }[] }).env.map(({ name }) => name);
  const ours = [
    "GROVE_PCS_NAME",
    "GROVE_PCS_INDEX",
    "GROVE_PCLQ_NAME",
    "GROVE_HEADLESS_SERVICE",
    "GROVE_PCLQ_POD_INDEX",
  ];
  expect(names(pod.spec.containers[0])).toEqual([...ours, "PEER"]);
  expect(names(pod.spec.initContainers?.[0])).toEqual(ours);
  expect(JSON.stringify(pod.spec.containers[0])).toContain('"chat-1.team-a.svc.cluster.local"');
});

test("the template is not touched: pods built from it share nothing that changes", () => {
  expect(JSON.stringify(clique.spec.podSpec)).not.toContain("GROVE_PCLQ_NAME");
});

const hostnames: Record<string, { given: string; want: number | undefined }> = {
  "its own": { given: "chat-1-web-12", want: 12 },
  "of a clique with a longer name": { given: "chat-1-web-extra-1", want: undefined },
  "of nobody": { given: "", want: undefined },
};

test.each(Object.entries(hostnames))("index of a hostname: %s", (_name, { given, want }) => {
  const other = { metadata: {}, spec: { containers: [], hostname: given } };
  expect(indexOf("chat-1-web", other)).toBe(want);
});
