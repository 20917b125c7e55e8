import { expect, test } from "vitest";
import { ageText } from "./rollout-text.ts";
import { describeObject } from "./describe-object.ts";
import { eventLines, shortDuration } from "./event-table.ts";
import { alignColumns, headerOf, rowOf } from "./table.ts";
import { alignTabs } from "./tab-writer.ts";

const alignedEvents: typeof eventLines = (...events) => alignTabs(eventLines(...events));

test("columns are padded to the widest cell and the last one is not", () => {
  expect(
    alignColumns([
      ["NAME", "AGE"],
      ["web-0", "5s"],
      ["a", "10m"],
    ]),
  ).toEqual(["NAME    AGE", "web-0   5s", "a       10m"]);
});

const columns = [
  { name: "Name", priority: 0 },
  { name: "Ready", priority: 0 },
  { name: "Node", priority: 1 },
];
const row = {
  cells: ["web-0", null, "n1"],
  object: { metadata: { name: "web-0", namespace: "prod", labels: { b: "2", a: "1" } } },
};
const plain = { wide: false, showNamespace: false, showLabels: false, namePrefix: "" };

test("a narrow table leaves wide columns out and leaves missing cells empty, as kubectl does", () => {
  expect(headerOf(columns, plain)).toEqual(["NAME", "READY"]);
  expect(rowOf(row, columns, plain)).toEqual(["web-0", ""]);
});

test("a wide table over all namespaces with labels shows everything", () => {
  const layout = { wide: true, showNamespace: true, showLabels: true, namePrefix: "pod/" };
  expect(headerOf(columns, layout)).toEqual(["NAMESPACE", "NAME", "READY", "NODE", "LABELS"]);
  expect(rowOf(row, columns, layout)).toEqual(["prod", "pod/web-0", "", "n1", "a=1,b=2"]);
});

const durations: [number, string][] = [
  [-5, "0s"],
  [119_000, "119s"],
  [120_000, "2m"],
  [200_000, "3m20s"],
  [3_600_000, "60m"],
  [4 * 3_600_000 + 300_000, "4h5m"],
  [30 * 3_600_000, "30h"],
  [3 * 86_400_000, "3d"],
  [20 * 86_400_000, "20d"],
];
test.each(durations)("%d ms is written %s", (ms, want) => {
  expect(shortDuration(ms)).toBe(want);
});

test("events are listed oldest first with how often they happened", () => {
  const nowMs = Date.parse("2026-01-01T00:01:00Z");
  const lines = alignedEvents(
    [
      {
        metadata: { name: "b" },
        type: "Warning",
        reason: "BackOff",
        count: 3,
        firstTimestamp: "2026-01-01T00:00:10Z",
        lastTimestamp: "2026-01-01T00:00:55Z",
        source: { component: "kubelet" },
        message: "Back-off pulling image",
      },
      {
        metadata: { name: "a" },
        type: "Normal",
        reason: "Scheduled",
        firstTimestamp: "2026-01-01T00:00:05Z",
        source: { component: "default-scheduler" },
        message: "Successfully assigned default/web-0 to node-1",
      },
    ],
    nowMs,
  );
  expect(lines).toEqual([
    "Events:",
    "  Type     Reason     Age               From               Message",
    "  ----     ------     ----              ----               -------",
    "  Normal   Scheduled  55s               default-scheduler  Successfully assigned default/web-0 to node-1",
    "  Warning  BackOff    5s (x3 over 50s)  kubelet            Back-off pulling image",
  ]);
  expect(alignedEvents([], nowMs)).toEqual(["Events:  <none>"]);
});

test("an object is described with readable titles and dashes before list elements", () => {
  const tabbed = describeObject("ConfigMap", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "a",
      namespace: "default",
      labels: { x: "1", y: "2" },
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      uid: "u",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: { minReadySeconds: 3, containers: [{ name: "c", args: ["-v"] }], "a/b": null },
  });
  expect(alignTabs(tabbed).join("\n")).toBe(
    [
      "Name:         a",
      "Namespace:    default",
      "Labels:       x=1",
      "              y=2",
      "Annotations:  <none>",
      "API Version:  v1",
      "Kind:         ConfigMap",
      "Created:      2026-01-01T00:00:00Z",
      "Metadata:",
      "  Uid:  u",
      "Spec:",
      "  Min Ready Seconds:  3",
      "  Containers:",
      "    - Name:  c",
      "      Args:",
      "        -v",
      "  a/b:  <nil>",
    ].join("\n"),
  );
});

test.each([
  ["a moment ago", "2026-01-01T00:00:48Z", "12s"],
  ["clocks differ a little", "2026-01-01T00:01:03Z", "0s"],
  ["the cluster's time runs ahead", "2026-01-01T00:05:00Z", ""],
  ["nobody knows", undefined, ""],
])("an age: %s", (_name, time, want) => {
  expect(ageText(time, Date.parse("2026-01-01T00:01:00Z"))).toBe(want);
});
