/** Alerts and dashboard name only metrics and labels that the operator has, in expressions that Prometheus can read. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { statefulSetResource } from "../../src/api/apps.ts";
import { OwnerMemory } from "../../src/controllers/engine/per-owner.ts";
import { RolloutGauges } from "../../src/controllers/engine/rollout-gauges.ts";
import { statefulSetGauges } from "../../src/controllers/statefulset/gauges.ts";
import { operatorMetrics } from "../../src/runtime/metrics.ts";
import { parseExpression } from "./promql.ts";
import { atLeastOne } from "../builders/must.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
}

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../deploy/monitoring", name), "utf8");

const rule = parse(read("prometheus-rule.yaml")) as {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
};
const rules = rule.spec.groups.flatMap((group) => group.rules);

const dashboard = JSON.parse(read("grafana-dashboard.json")) as {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly query: string;
      readonly allValue?: string;
    }[];
  };
};

/** What Prometheus adds to whatever it scrapes. */
const ofTargets = ["job", "instance", "pod", "container"];

/** Labels by metric, of everything that an operator registers. */
function metricsThere(): ReadonlyMap<string, readonly string[]> {
  const metrics = operatorMetrics();
  metrics.leads(() => true);
  const memory = new OwnerMemory();
  new RolloutGauges(metrics.collected).forKind(statefulSetResource, memory);
  statefulSetGauges(memory, metrics.gauge);
  const registered = metrics.registry.getMetricsAsArray() as unknown as {
    readonly name: string;
    readonly type?: string;
    readonly labelNames: readonly string[];
  }[];
  return new Map(
    registered.flatMap(({ name, labelNames, ...metric }): [string, readonly string[]][] => {
      const labels = [...labelNames, ...ofTargets];
      const isHistogram = metric.type === "histogram" || "upperBounds" in metric;
      if (!isHistogram) return [[name, labels]];
      return [
        [`${name}_bucket`, [...labels, "le"]],
        [`${name}_sum`, labels],
        [`${name}_count`, labels],
      ];
    }),
  );
}

const there = metricsThere();

/** What an expression names that does not exist. */
function unknownIn(expression: string): string[] {
  const { selected, grouped } = parseExpression(expression.replaceAll("$__rate_interval", "5m"));
  const missing = selected.flatMap(({ metric, labels }) => {
    const known = there.get(metric);
    if (known === undefined) return [metric];
    return labels.filter((label) => !known.includes(label)).map((label) => `${metric}{${label}}`);
  });
  const all = new Set(selected.flatMap(({ metric }) => there.get(metric) ?? []));
  return [...missing, ...grouped.filter((label) => !all.has(label)).map((label) => `(${label})`)];
}

test.each(rules.map(({ alert, expr }) => [alert, expr]))("alert %s", (_alert, expr) => {
  expect(unknownIn(expr)).toEqual([]);
});

const targets = dashboard.panels.flatMap(({ title, targets: all }) =>
  all.map(({ expr }) => [title, expr] as const),
);

test.each(targets)("panel %s: %s", (_title, expr) => {
  expect(unknownIn(expr)).toEqual([]);
});

test("texts of alerts and panels use labels that the expression keeps", () => {
  const kept = (expr: string): readonly string[] => parseExpression(expr).grouped;
  for (const { alert, expr, annotations } of atLeastOne(rules)) {
    const used = [
      ...Object.values(annotations)
        .join(" ")
        .matchAll(/\$labels\.(\w+)/g),
    ];
    const labels = used.map(([, label = ""]) => label);
    expect([alert, ...kept(expr)]).toEqual(expect.arrayContaining(labels));
  }
  for (const { title, targets: all } of atLeastOne(dashboard.panels)) {
    for (const { expr, legendFormat = "" } of atLeastOne(all)) {
      const used = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)];
      const labels = used.map(([, label = ""]) => label);
      expect([title, ...kept(expr)]).toEqual(expect.arrayContaining(labels));
    }
  }
});

/** As Prometheus fills in the few constructs that the texts use. */
function rendered(text: string, labels: Readonly<Record<string, string>>): string {
  return text
    .replaceAll(
      /\{\{ with \$labels\.(\w+) \}\}(.*?)\{\{ end \}\}/g,
      (_all, label: string, inner: string) =>
        labels[label] === undefined ? "" : inner.replaceAll("{{ . }}", labels[label]),
    )
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_all, label: string) => labels[label] ?? "")
    .trim();
}

const stalled = rules.find(({ alert }) => alert === "LockstepRolloutStalled");
const named: Record<string, { labels: Record<string, string>; summary: string; command: string }> =
  {
    "an object of a namespace": {
      labels: { kind: "PodCliqueSet", namespace: "a", name: "llm" },
      summary: "PodCliqueSet a/llm is stalled",
      command: "kubectl describe PodCliqueSet llm -n a",
    },
    "an object without one": {
      labels: { kind: "ClusterManagementAddOn", name: "agent" },
      summary: "ClusterManagementAddOn agent is stalled",
      command: "kubectl describe ClusterManagementAddOn agent",
    },
  };

test.each(Object.entries(named))("an alert names %s, and what to type", (_case, want) => {
  const { summary = "", description = "" } = stalled?.annotations ?? {};
  expect(rendered(summary, want.labels)).toBe(want.summary);
  expect(rendered(description, want.labels).split(": ").at(-1)).toBe(want.command);
});

test("no alert takes a namespace for granted", () => {
  for (const { annotations } of atLeastOne(rules))
    for (const text of atLeastOne(Object.values(annotations)))
      expect(text).not.toContain("{{ $labels.namespace }}");
});

test("all of a variable includes objects without a namespace", () => {
  const queries = dashboard.templating.list.filter(({ query }) => query.startsWith("label_values"));
  expect(queries.map(({ allValue }) => allValue)).toEqual([".*", ".*"]);
});

test("variables of the dashboard ask for labels that exist", () => {
  const queries = dashboard.templating.list.flatMap(({ query }) => {
    const [, metric = "", label = ""] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
    return metric === "" ? [] : [[metric, label] as const];
  });
  expect(queries.length).toBe(2);
  for (const [metric, label] of atLeastOne(queries)) expect(there.get(metric)).toContain(label);
});

test("every metric of our own is in docs/metrics.md, with its labels", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/metrics.md"), "utf8");
  const own = [...there].filter(([name]) => /^(lockstep|statefulset)_/.test(name));
  for (const [name, labels] of atLeastOne(own)) {
    const plain = name.replace(/_(bucket|sum|count)$/, "");
    const ofItsOwn = labels.filter((each) => ![...ofTargets, "le"].includes(each));
    const missing = [plain, ...ofItsOwn].filter((each) => !page.includes(`\`${each}\``));
    expect(missing).toEqual([]);
  }
});

const mistakes: Record<string, { expr: string; want: string }> = {
  "an unknown metric": { expr: "max(lockstep_rollouts)", want: "lockstep_rollouts" },
  "an unknown label": {
    expr: 'lockstep_leader{kind="a"} == 1',
    want: "lockstep_leader{kind}",
  },
  "an unknown grouping": {
    expr: "sum by (reason) (lockstep_rollout_surge)",
    want: "(reason)",
  },
  "an open parenthesis": { expr: "max(lockstep_leader == 0", want: ", is missing before the end" },
  "two metrics in a row": {
    expr: "lockstep_leader lockstep_leader",
    want: "the end is missing before lockstep_leader",
  },
  "an unknown function": { expr: "round(lockstep_leader)", want: "there is no function round" },
};

test.each(Object.entries(mistakes))("%s is found", (_mistake, { expr, want }) => {
  const complaint = (): string => {
    try {
      return unknownIn(expr).join(" ");
    } catch (error) {
      return String(error);
    }
  };
  expect(complaint()).toContain(want);
});

/** On PATH, or built with `go build ./cmd/promtool` of Prometheus. */
const promtool = ["promtool", join(homedir(), ".cache/lockstep/promtool")].find(
  (program) => spawnSync(program, ["--version"]).error === undefined,
);

/** Series as a test of promtool writes them, and the alerts that have to fire five minutes later. */
const scraped: Record<string, { readonly series: readonly string[]; readonly fires: string }> = {
  "a stalled set fires, its cliques do not": {
    series: [
      'lockstep_rollout_stalled{kind="PodCliqueSet",namespace="a",name="llm"}',
      'lockstep_rollout_stalled{kind="PodClique",namespace="a",name="llm-0-front"}',
    ],
    fires: "LockstepRolloutStalled",
  },
  "a stalled Placement fires": {
    series: ['lockstep_rollout_stalled{kind="Placement",namespace="a",name="global"}'],
    fires: "LockstepRolloutStalled",
  },
};

const alertTests = Object.values(scraped).map(({ series, fires }) => {
  const own = /\{(.*)\}/.exec(series[0] ?? "")?.[1];
  const firing = `alertname="${fires}",alertstate="firing"`;
  const labels = `ALERTS{${firing},severity="warning",${own}}`;
  const expected = {
    expr: `ALERTS{${firing}}`,
    eval_time: "5m",
    exp_samples: [{ labels, value: 1 }],
  };
  return {
    interval: "1m",
    input_series: series.map((each) => ({ series: each, values: "1x10" })),
    promql_expr_test: [expected],
  };
});

test("promtool, where it can be had, accepts the rules, and alerts fire", () => {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-rules-"));
  const rulesFile = join(folder, "rules.yaml");
  const testFile = join(folder, "test.yaml");
  writeFileSync(rulesFile, stringify(rule.spec));
  writeFileSync(testFile, stringify({ rule_files: [rulesFile], tests: alertTests }));
  const run = (...words: readonly string[]): string => {
    // Without it the tests above stand for it.
    if (promtool === undefined) return "0 there is no promtool";
    const { status, stdout, stderr } = spawnSync(promtool, words, { encoding: "utf8" });
    return `${status} ${stdout}${stderr}`;
  };
  const checked = run("check", "rules", "--lint=all", rulesFile);
  const tested = run("test", "rules", testFile);
  rmSync(folder, { recursive: true });
  expect(checked).toMatch(/^0 /);
  expect(tested).toMatch(/^0 /);
});
