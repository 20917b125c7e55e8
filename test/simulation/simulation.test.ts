/** Simulated runs: a sweep over all kinds, the same log for the same seed, scripts, faults one by one. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { customDefinitions } from "../../src/cli/definitions.ts";
import { drawScript } from "../../src/simulation/draw-script.ts";
import { simulatedKinds } from "../../src/simulation/kinds/index.ts";
import type { Outcome } from "../../src/simulation/run.ts";
import type { FaultName, Script } from "../../src/simulation/script.ts";
import {
  faultNames,
  isEdit,
  isEventFault,
  isMomentFault,
  isRequestFault,
} from "../../src/simulation/script.ts";
import type { SimulatedKind } from "../../src/simulation/simulated-kind.ts";
import { playScript, playSeed, sweep } from "../../src/simulation/sweep.ts";

const options = { definitions: customDefinitions() };

/** Logs are long: what differs is found with `lockstep sim --replay SEED --log FILE`. */
const digest = ({ recorded }: Outcome): string =>
  createHash("sha256")
    .update((recorded?.log ?? []).join("\n"))
    .digest("hex");

/** Small runs with faults of requests and watches. */
const seeds: Readonly<Record<string, number>> = {
  podcliqueset: 12,
  statefulset: 3,
  rolebasedgroup: 4,
  placement: 3,
  "statefulset-assist": 2,
};

test.each(simulatedKinds)(
  "$name: the same seed, or its script, gives the same log to the byte",
  async (kind) => {
    const seed = seeds[kind.name] ?? 1;
    const recording = { ...options, records: true };
    const first = await playSeed(recording, { kind }, seed);
    const second = await playSeed(recording, { kind }, seed);
    expect(first.recorded?.log.length).toBeGreaterThan(20);
    expect(first.script.strikes?.length).toBeGreaterThan(0);
    expect(digest(second)).toBe(digest(first));
    const script = JSON.parse(JSON.stringify(first.script)) as Script;
    expect(digest(await playScript(recording, kind, script))).toBe(digest(first));
  },
);

/** LOCKSTEP_RUNS=1000 sweeps more. */
const runs = Number(process.env["LOCKSTEP_RUNS"] ?? 3);

test.each(simulatedKinds)("$name: every promise holds in a sweep of seeds", async (kind) => {
  const { failures, rollouts } = await sweep({
    ...options,
    subjects: [{ kind }],
    firstSeed: 1_000,
    runs,
  });
  expect(failures.map(({ script, failure }) => [script.seed, failure?.texts[0]])).toEqual([]);
  expect(rollouts).toBeGreaterThan(runs);
});

const statefulSet = simulatedKinds.find(({ name }) => name === "statefulset") as SimulatedKind;

/** Everything at once would hide a fault that does nothing. */
const scriptWith = (what?: FaultName): Script => {
  const drawn = drawScript({ kind: statefulSet, seed: 2, rates: { image: 1 } });
  const edits = drawn.steps.slice(0, 2);
  const atMs = (edits.at(-1)?.atMs ?? 0) + 300;
  const isStep = what !== undefined && (isEdit(what) || isMomentFault(what));
  const nths = Array.from({ length: 60 }, (_, index) => index * 3 + 10);
  const isStrike = what !== undefined && (isRequestFault(what) || isEventFault(what));
  return {
    ...drawn,
    operators: what === "lostLeader" ? 2 : 1,
    steps: isStep ? [...edits, { atMs, what, value: 0.9 }] : edits,
    strikes: isStrike ? nths.map((nth) => ({ what, nth, value: 0.5 })) : [],
  };
};

const calmRun = playScript({ ...options, records: true }, statefulSet, scriptWith());

test.each(faultNames)(
  "%s can be scripted, and the set comes to rest all the same",
  async (what) => {
    const calm = await calmRun;
    const run = await playScript({ ...options, records: true }, statefulSet, scriptWith(what));
    expect(run.failure).toBeUndefined();
    const isScripted = isRequestFault(what) || isEventFault(what);
    expect(run.script.strikes?.some((strike) => strike.what === what)).toBe(isScripted);
    expect(digest(run)).not.toBe(digest(calm));
  },
);
