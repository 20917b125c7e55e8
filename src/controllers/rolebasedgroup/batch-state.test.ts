/** What is said of roles that are placed in batches, each for a state in which it is true. */
import { expect, test } from "vitest";
import type { Given } from "../../../test/builders/drawn-group.ts";
import { observed, said } from "../../../test/builders/drawn-group.ts";
import { eventLines, sentencesOf } from "../../../test/builders/sentences.ts";
import { groupEvents } from "./events.ts";
import { nothingThere } from "./role-workload.ts";

const near = {
  name: "near",
  roles: ["prefill", "decode"],
  strategy: { affinityScheduling: { ratios: { prefill: 2, decode: 1 } } },
};

const states: Readonly<Record<string, readonly [Given]>> = {
  "both roles are started": [
    {
      pods: { prefill: ["- -", nothingThere], decode: ["-", nothingThere] },
      spec: { coordination: [near] },
    },
  ],
  "batches are made": [
    {
      pods: { prefill: "v2 v2 v2. -", decode: "v2 -" },
      sizes: { prefill: 4, decode: 2 },
      spec: { coordination: [near] },
    },
  ],
  "a batch waits for a role that waits for another": [
    {
      pods: { prefill: "v2. v2", decode: ["-", nothingThere] },
      spec: { coordination: [near] },
      waiting: new Map([["decode", ["prefill"]]]),
    },
  ],
  "a pod of a batch fails": [
    { pods: { prefill: "v2 v2", decode: "v2!" }, spec: { coordination: [near] } },
  ],
  "a rollout begins": [
    {
      pods: { prefill: ["v1 v1", { cursor: 2 }], decode: "v2" },
      spec: { coordination: [near] },
    },
  ],
  "all batches are ready": [
    { pods: { prefill: "v2 v2", decode: "v2" }, spec: { coordination: [near] } },
  ],
};

test("batches and their roles say where they stand", async () => {
  const text = await sentencesOf(states, ([given]) => {
    const status = said(given);
    return [
      ...eventLines(groupEvents(observed(given).group, status)),
      ...(status.coordinationState ?? []).flatMap(({ progress = {} }) =>
        Object.values(progress).map((role) => `  progress ${role.state}: ${role.message}`),
      ),
    ];
  });
  await expect(text).toMatchFileSnapshot("sentences-batches.txt");
});
