/** Every sentence about what a gang lacks that does not fit, each for nodes of which it is true. */
import { expect, test } from "vitest";
import { eventLines, sentencesOf } from "../../../../test/builders/sentences.ts";
import type { NodeRoom, Unplaced } from "./gang-lack.ts";
import { lackInTotal, lackOfRoom } from "./gang-lack.ts";

const group = (pods: number, requests: Readonly<Record<string, number>>): Unplaced => ({
  clique: "chat-0-work",
  pods,
  requests: new Map(Object.entries(requests)),
});
const nodes =
  (...free: readonly Readonly<Record<string, number>>[]) =>
  (): readonly NodeRoom[] =>
    free.map((amounts, index) => ({
      name: `node-${index}`,
      free: (resource) => amounts[resource] ?? 0,
    }));
const gpu = "nvidia.com/gpu";
const gib = 1024 ** 3;

/** As the pods of the gang are said to be held back. */
const held = (lack: string | undefined): readonly string[] =>
  eventLines([
    { type: "PodCliqueScheduled=False", reason: "InsufficientScheduledPods", message: lack ?? "" },
  ]);

type Said = () => readonly string[];

const said: Readonly<Record<string, readonly [Said]>> = {
  "all nodes together have too few GPUs": [
    () =>
      held(
        lackInTotal(
          [group(1, { [gpu]: 1 }), { ...group(8, { [gpu]: 1 }), clique: "chat-0-lead" }],
          { resource: gpu, needed: 9, free: 8, total: 8 },
        ),
      ),
  ],
  "all nodes together have too few places": [
    () =>
      held(
        lackInTotal([group(3, { pods: 1 })], { resource: "pods", needed: 3, free: 2, total: 110 }),
      ),
  ],
  "all nodes together have too little memory": [
    () =>
      held(
        lackInTotal([group(1, { memory: 1.5 * gib })], {
          resource: "memory",
          needed: 1.5 * gib,
          free: 512 * 1024 ** 2,
          total: 16 * gib,
        }),
      ),
  ],
  "no node has enough for one pod": [
    () => held(lackOfRoom(group(2, { [gpu]: 8 }), nodes({ [gpu]: 4 }, { [gpu]: 6 }))),
  ],
  "no node has both": [
    () => held(lackOfRoom(group(1, { [gpu]: 8, cpu: 1500 }), nodes({ [gpu]: 8 }, { cpu: 64000 }))),
  ],
  "nodes have room for some": [
    () =>
      held(
        lackOfRoom(
          group(3, { [gpu]: 8, cpu: 64000, pods: 1 }),
          nodes({ [gpu]: 8, cpu: 64000, pods: 9 }, { [gpu]: 6, cpu: 9000, pods: 9 }),
        ),
      ),
  ],
};

test("every lack is said with who needs what, and what is free", async () => {
  const text = await sentencesOf(said, ([says]) => says());
  await expect(text).toMatchFileSnapshot("sentences-of-lack.txt");
});

test("where a group finds room on some nodes, nothing is lacking", () => {
  expect(lackOfRoom(group(3, { [gpu]: 4 }), nodes({ [gpu]: 4 }, { [gpu]: 9 }))).toBe(undefined);
});
