import { expect, test } from "vitest";
import type { Condition } from "../../api/apps.ts";
import type { Resource } from "../../api/resource.ts";
import { operatorMetrics } from "../../runtime/metrics.ts";
import { OwnerMemory } from "./per-owner.ts";
import type { RolloutFigures } from "./rollout-gauges.ts";
import { RolloutGauges } from "./rollout-gauges.ts";

const resource: Resource = {
  group: "example.dev",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  namespaced: true,
};

const figures: RolloutFigures = {
  desired: 3,
  available: 2,
  updated: 1,
  surge: 1,
  paused: false,
  isOutdated: true,
  outdatedSince: "1970-01-01T00:01:00Z",
};

const condition = (type: string, status: string, reason: string): Condition =>
  ({ type, status, reason }) as Condition;

const progressing = [
  condition("Progressing", "True", "BudgetSpent"),
  condition("Stalled", "False", "NotStalled"),
];

const widget = (name: string, uid = "1") => ({ metadata: { namespace: "a", name, uid } });

function shown() {
  const metrics = operatorMetrics();
  const memory = new OwnerMemory();
  const gauges = new RolloutGauges(metrics.collected).forKind(resource, memory);
  /** What is scraped, without what all lines have in common. */
  const scraped = async (): Promise<string[]> =>
    (await metrics.registry.metrics())
      .split("\n")
      .filter((line) => line.startsWith("lockstep_rollout_"))
      .map((line) =>
        line
          .replace("lockstep_rollout_", "")
          .replace('{kind="Widget",namespace="a",name=', " ")
          .replaceAll(/["{}]/g, ""),
      );
  return { gauges, memory, scraped };
}

test("an object is shown with what its status says", async () => {
  const { gauges, scraped } = shown();
  gauges.show(widget("web"), { conditions: progressing }, { figures, nowMs: 90_000 });
  expect(await scraped()).toEqual([
    "desired web 3",
    "available web 2",
    "updated web 1",
    "surge web 1",
    "updating web 1",
    "stalled web 0",
    "paused web 0",
    "outdated_since_seconds web 60",
    "reason web,reason=BudgetSpent 1",
  ]);
});

test("a stalled object shows the reason of the stall, and one at rest has no outdated age", async () => {
  const { gauges, scraped } = shown();
  const conditions = [
    condition("Progressing", "True", "BudgetSpent"),
    condition("Stalled", "True", "ProgressDeadlineExceeded"),
  ];
  gauges.show(
    widget("web"),
    { conditions },
    { figures: { ...figures, isOutdated: false, paused: true }, nowMs: 90_000 },
  );
  const lines = await scraped();
  expect(lines).toContain("stalled web 1");
  expect(lines).toContain("paused web 1");
  expect(lines).toContain("reason web,reason=ProgressDeadlineExceeded 1");
  expect(lines.filter((line) => line.startsWith("outdated"))).toEqual([]);
});

const ages: Record<string, { seen: (string | undefined)[]; want: string | undefined }> = {
  "as the status says": { seen: ["1970-01-01T00:01:00Z"], want: "60" },
  "since now where the status does not say": { seen: [undefined], want: "100" },
  "since the earliest, whatever the status says later": {
    seen: ["1970-01-01T00:01:00Z", "1970-01-01T00:01:30Z", undefined],
    want: "60",
  },
  "anew after everything was updated": {
    seen: ["1970-01-01T00:01:00Z", "updated", "1970-01-01T00:01:30Z"],
    want: "90",
  },
};

test.each(Object.entries(ages))("units are outdated %s", async (_sentence, { seen, want }) => {
  const { gauges, scraped } = shown();
  for (const outdatedSince of seen) {
    const isOutdated = outdatedSince !== "updated";
    gauges.show(
      widget("web"),
      {},
      { figures: { ...figures, isOutdated, outdatedSince }, nowMs: 100_000 },
    );
  }
  expect(await scraped()).toContain(`outdated_since_seconds web ${want}`);
});

test("series end with their object, and when it terminates", async () => {
  const { gauges, memory, scraped } = shown();
  const status = { conditions: progressing };
  for (const name of ["a", "b", "c"]) gauges.show(widget(name), status, { figures, nowMs: 0 });
  memory.forget("a/a");
  gauges.end(widget("b"));
  const names = new Set((await scraped()).map((line) => line.split(/[ ,]/)[1]));
  expect([...names]).toEqual(["c"]);
});

test("an object that takes the name of a deleted one starts without its age", async () => {
  const { gauges, scraped } = shown();
  gauges.show(widget("web"), {}, { figures, nowMs: 100_000 });
  const young = { ...figures, outdatedSince: undefined };
  gauges.show(widget("web", "2"), {}, { figures: young, nowMs: 100_000 });
  expect((await scraped()).filter((line) => line.startsWith("outdated"))).toEqual([
    "outdated_since_seconds web 100",
  ]);
});

test("the number of reasons is bounded, whatever controllers say", async () => {
  const { gauges, scraped } = shown();
  for (let index = 0; index < 100; index++) {
    const conditions = [condition("Progressing", "True", `Reason${index}`)];
    gauges.show(widget(`web-${index}`), { conditions }, { figures, nowMs: 0 });
  }
  const reasons = new Set(
    (await scraped()).flatMap((line) => /reason=(\w+)/.exec(line)?.[1] ?? []),
  );
  expect(reasons.size).toBe(65);
  expect([...reasons].at(-1)).toBe("Other");
});
