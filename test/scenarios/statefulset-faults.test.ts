/** The budget holds whatever fails: crashes at every write, lost answers, late and broken watches. */
import { expect, test } from "vitest";
import type { StatefulSetSpec } from "../../src/api/apps.ts";
import type { VolumeClaim } from "../../src/api/volume-claim.ts";
import { crashAfter, faultyTransport } from "../../src/sim/faults.ts";
import { seededRandom } from "../../src/sim/random.ts";
import { rolling, setScenario } from "../builders/set-scenario.ts";

const spec = { podManagementPolicy: "Parallel", ...rolling(1) } as const;
const disk = {
  metadata: { name: "disk" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
} as unknown as VolumeClaim;
const specs: Record<string, { replicas: number; spec: Partial<StatefulSetSpec>; fewest: number }> =
  {
    "Parallel, one at a time": { replicas: 4, spec, fewest: 3 },
    "OrderedReady, two at a time, with claims": {
      replicas: 3,
      spec: {
        ...rolling(2),
        volumeClaimTemplates: [disk],
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
      },
      fewest: 1,
    },
  };

/** How many writes the operator needs for the whole rollout; each of them is a place to die at. */
async function writesOfRollout(replicas: number, spec: Partial<StatefulSetSpec>): Promise<number> {
  const scenario = await setScenario({ replicas, spec });
  await scenario.settled();
  for (const key of Object.keys(scenario.writes)) delete scenario.writes[key];
  await scenario.setImage("web:v2");
  await scenario.settled();
  return Object.values(scenario.writes).reduce((sum, count) => sum + count, 0);
}

test.each(Object.entries(specs))(
  "RO1 %s: the operator dies after any single write and the budget holds",
  async (_what, { replicas, spec, fewest }) => {
    const total = await writesOfRollout(replicas, spec);
    expect(total).toBeGreaterThan(2 * replicas);
    for (let position = 1; position <= total; position++) {
      const scenario = await setScenario({ replicas, spec });
      await scenario.settled();
      const guarded = scenario.guard();
      await scenario.restart((transport) => crashAfter(transport, position));
      await scenario.setImage("web:v2");
      await scenario.clock.runFor(60_000);
      await scenario.restart();
      await scenario.settled();
      expect(guarded.fewest, `died after write ${position}`).toBe(fewest);
      expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
    }
  },
);

const storm = {
  conflict: 0.05,
  serverError: 0.05,
  lostAnswer: 0.05,
  lostRequest: 0.05,
  droppedWatch: 0.05,
  delayedEvent: 0.2,
  longestDelayMs: 3_000,
};

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  "RO1 RO7 in a storm of faults (seed %d) the budget holds and the rollout ends",
  async (seed) => {
    const random = seededRandom(seed);
    const scenario = await setScenario(
      { replicas: 6, spec: { ...spec, ...rolling(2) } },
      (transport, clock) => faultyTransport(transport, { faults: storm, random, clock }),
    );
    await scenario.settled();
    const guarded = scenario.guard();
    await scenario.setImage("web:broken");
    await scenario.clock.runFor(random.below(60_000));
    await scenario.setImage("web:v2");
    await scenario.settled();
    expect(guarded.fewest).toBeGreaterThanOrEqual(4);
    expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
  },
);

/** The same choice again from a stale view is harmless; another choice from it is where budgets get lost. */
test.each(Array.from({ length: 16 }, (_, index) => index + 1))(
  "RO1 RO6 RO11 people who change their minds while watches lag (seed %d) do not break the budget",
  async (seed) => {
    const random = seededRandom(seed);
    const faults = { ...storm, delayedEvent: 0.5, longestDelayMs: 6_000, lostAnswer: 0.2 };
    const scenario = await setScenario(
      { replicas: 6, spec: { ...spec, ...rolling(2) } },
      (transport, clock) => faultyTransport(transport, { faults, random, clock }),
    );
    await scenario.settled();
    const guarded = scenario.guard();
    for (let change = 0; change < 12; change++) {
      await scenario.setImage(["web:v1", "web:v2", "web:v3"][random.below(3)] ?? "web:v1");
      await scenario.clock.runFor(random.below(8_000));
    }
    await scenario.setImage("web:v4");
    await scenario.settled();
    expect(guarded.fewest).toBeGreaterThanOrEqual(4);
    expect(scenario.drawing().every((line) => line.endsWith("web:v4"))).toBe(true);
  },
);
