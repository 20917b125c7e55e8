/** The budget holds whatever fails: crashes at every write, lost answers, late and broken watches. */
import { expect, test } from "vitest";
import type { StatefulSetSpec } from "../../src/api/apps.ts";
import type { VolumeClaim } from "../../src/api/volume-claim.ts";
import { seededRandom } from "../../src/sim/random.ts";
import { crashAfterEveryWrite } from "../builders/crash-after-every-write.ts";
import { storm, stormy } from "../../src/simulation/faults.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { atLeastOne } from "../builders/must.ts";

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

test.each(Object.entries(specs))(
  "RO1 %s: the operator dies after any single write and the budget holds",
  async (_what, { replicas, spec: given, fewest }) => {
    const survived = await crashAfterEveryWrite(() =>
      statefulSetScenario({ replicas, spec: given }),
    );
    expect(survived.length).toBeGreaterThan(2 * replicas);
    for (const { position, guarded, drawing } of atLeastOne(survived)) {
      expect(guarded.fewest, `died after write ${position}`).toBe(fewest);
      expect(drawing.every((line) => line.endsWith("web:v2"))).toBe(true);
    }
  },
);

/** Writes whose answers were lost must not look like another controller's. */
const isAboutAnotherController = (text: string): boolean => text.startsWith("AnotherController");

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  "RO1 RO7 in a storm of faults (seed %d) the budget holds and the rollout ends",
  async (seed) => {
    const random = seededRandom(seed);
    const scenario = await statefulSetScenario({
      replicas: 6,
      spec: { ...spec, ...rolling(2) },
      faults: stormy(random),
    });
    await scenario.settled();
    const guarded = scenario.guard();
    await scenario.setImage("web:broken");
    await scenario.clock.runFor(random.below(60_000));
    await scenario.setImage("web:v2");
    await scenario.settled();
    expect(guarded.fewest).toBeGreaterThanOrEqual(4);
    expect((await scenario.events("web")).filter(isAboutAnotherController)).toEqual([]);
    expect(scenario.drawing().every((line) => line.endsWith("web:v2"))).toBe(true);
  },
);

/** The same choice again from a stale view is harmless; another choice from it is where budgets get lost. */
test.each(Array.from({ length: 16 }, (_, index) => index + 1))(
  "RO1 RO6 RO11 people who change their minds while watches lag (seed %d) do not break the budget",
  async (seed) => {
    const random = seededRandom(seed);
    const faults = { ...storm, delayedEvent: 0.5, longestDelayMs: 6_000, lostAnswer: 0.2 };
    const scenario = await statefulSetScenario({
      replicas: 6,
      spec: { ...spec, ...rolling(2) },
      faults: stormy(random, faults),
    });
    await scenario.settled();
    const guarded = scenario.guard();
    for (let change = 0; change < 12; change++) {
      await scenario.setImage(["web:v1", "web:v2", "web:v3"][random.below(3)] ?? "web:v1");
      await scenario.clock.runFor(random.below(8_000));
    }
    await scenario.setImage("web:v4");
    await scenario.settled();
    expect(guarded.fewest).toBeGreaterThanOrEqual(4);
    expect((await scenario.events("web")).filter(isAboutAnotherController)).toEqual([]);
    expect(scenario.drawing().every((line) => line.endsWith("web:v4"))).toBe(true);
  },
);
