/** Affinity batches: the layout, leftovers, and the order in which batches start. */
import { expect, test } from "vitest";
import { drawnUnits } from "../../test/builders/coordinated-roles.ts";
import { decideBatches, layOutBatches, openBatches } from "./affinity-batches.ts";
import type { Batch, BatchLayout, BatchMode, BatchRole } from "./affinity-batches.ts";

const roles = (prefill: number, decode: number, ratios = [2, 1]): BatchRole[] => [
  { role: "prefill", desired: prefill, ratio: ratios[0]! },
  { role: "decode", desired: decode, ratio: ratios[1]! },
];

const draw = (layout: BatchLayout): string =>
  layout.kind === "invalid"
    ? `${layout.problem} -> ${layout.fix}`
    : layout.batches.map(drawBatch).join(" | ");

const drawBatch = ({ number, members }: Batch): string =>
  `${number}: ${members.flatMap(({ role, ordinals }) => ordinals.map((n) => `${role}-${n}`)).join(" ")}`;

const layouts: Record<string, { given: BatchRole[]; want: string }> = {
  "AF1 six prefill and three decode fill three batches of two and one": {
    given: roles(6, 3),
    want:
      "1: decode-0 prefill-0 prefill-1 | 2: decode-1 prefill-2 prefill-3 | " +
      "3: decode-2 prefill-4 prefill-5",
  },
  "AF1 nothing wanted is no batch": { given: roles(0, 0), want: "" },
  "AF2 replicas that do not divide by the ratio are left over": {
    given: roles(6, 3, [4, 1]),
    want:
      "1 full batches leave 2 of decode and 2 of prefill without a batch -> " +
      "set the replicas to decode 1, prefill 4 (1 full batches), or change the ratios",
  },
  "AF2 batch counts that differ between roles leave units over": {
    given: roles(6, 4),
    want:
      "3 full batches leave 1 of decode without a batch -> " +
      "set the replicas to decode 3, prefill 6 (3 full batches), or change the ratios",
  },
  "AF2 the fix never asks for nothing": {
    given: roles(1, 1),
    want:
      "0 full batches leave 1 of decode and 1 of prefill without a batch -> " +
      "set the replicas to decode 1, prefill 2 (1 full batches), or change the ratios",
  },
  "AF2 a ratio below one is named": {
    given: roles(6, 3, [2, 0]),
    want: "the ratio of decode is 0 -> give it a whole number of 1 or more",
  },
  "AF2 a negative ratio is named": {
    given: roles(6, 3, [-2, 1]),
    want: "the ratio of prefill is -2 -> give it a whole number of 1 or more",
  },
};

test.each(Object.entries(layouts))("%s", (_rule, { given, want }) => {
  expect(draw(layOutBatches(given))).toBe(want);
  expect(draw(layOutBatches(given.toReversed()))).toBe(want);
});

const decisions: Record<
  string,
  { mode: BatchMode; prefill: string; decode: string; want: string }
> = {
  "AF3 Sequential starts with the first batch alone": {
    mode: "Sequential",
    prefill: "",
    decode: "",
    want: "creating decode-0, prefill-0, prefill-1",
  },
  "AF3 Sequential waits until every unit of the batch is ready": {
    mode: "Sequential",
    prefill: "v1 v1?",
    decode: "v1",
    want: "batch 1 waits for prefill-1 to become ready",
  },
  "AF3 Sequential opens the next batch when the last one is ready": {
    mode: "Sequential",
    prefill: "v1 v1",
    decode: "v1",
    want: "creating decode-1, prefill-2, prefill-3",
  },
  "AF3 Sequential waits for a broken unit too": {
    mode: "Sequential",
    prefill: "v1 v1 v1! v1",
    decode: "v1 v1",
    want: "batch 2 waits for prefill-2 to become ready",
  },
  "AF4 a unit lost from a started batch comes back at once, whatever the first batch does": {
    mode: "Sequential",
    prefill: "v1! v1 v1 _",
    decode: "v1 v1",
    want: "creating prefill-3",
  },
  "AF5 Parallel starts everything": {
    mode: "Parallel",
    prefill: "v1 v1?",
    decode: "v1",
    want: "creating decode-1, prefill-2, prefill-3, decode-2, prefill-4, prefill-5",
  },
  "AF5 Parallel waits only to be ready": {
    mode: "Parallel",
    prefill: "v1 v1 v1 v1 v1 v1~",
    decode: "v1 v1 v1",
    want: "batch 3 waits for prefill-5 to become ready",
  },
  "AF7 units of no batch go first, highest ordinal first": {
    mode: "Sequential",
    prefill: "v1 v1 v1 v1 v1 v1 v1 v1~",
    decode: "v1 v1 _ v1",
    want: "deleting prefill-6, decode-3: no longer in any batch",
  },
  "AF6 all batches ready is done": {
    mode: "Sequential",
    prefill: "v1 v1 v1 v1 v1 v1",
    decode: "v1 v1 v1",
    want: "all 3 batches ready",
  },
};

test.each(Object.entries(decisions))("%s", (_rule, { mode, prefill, decode, want }) => {
  const layout = layOutBatches(roles(6, 3));
  const batches = layout.kind === "batches" ? layout.batches : [];
  const units = {
    prefill: drawnUnits("prefill", prefill).toReversed(),
    decode: drawnUnits("decode", decode),
  };
  expect(decideBatches({ nowMs: 0, batches, units }, mode).message).toBe(want);
});

const opened: Record<string, { mode: BatchMode; prefill: string; decode: string; want: number }> = {
  "AF3 the first batch is open from the start": {
    mode: "Sequential",
    prefill: "",
    decode: "",
    want: 1,
  },
  "AF3 no batch is opened before all units of the first are ready": {
    mode: "Sequential",
    prefill: "v1 v1?",
    decode: "v1",
    want: 1,
  },
  "AF3 the next batch is opened once they are": {
    mode: "Sequential",
    prefill: "v1 v1",
    decode: "v1",
    want: 2,
  },
  "AF4 what was opened stays open, whatever the first batch does": {
    mode: "Sequential",
    prefill: "v1! v1 v1 _",
    decode: "v1 v1",
    want: 2,
  },
  "AF5 all batches are open": { mode: "Parallel", prefill: "", decode: "", want: 3 },
  "AF6 no more are open than there are": {
    mode: "Sequential",
    prefill: "v1 v1 v1 v1 v1 v1",
    decode: "v1 v1 v1",
    want: 3,
  },
};

test.each(Object.entries(opened))("%s", (_rule, { mode, prefill, decode, want }) => {
  const layout = layOutBatches(roles(6, 3));
  const batches = layout.kind === "batches" ? layout.batches : [];
  const units = { prefill: drawnUnits("prefill", prefill), decode: drawnUnits("decode", decode) };
  expect(openBatches({ nowMs: 0, batches, units }, mode)).toBe(want);
});
