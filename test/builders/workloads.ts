/** The workloads of the scenario catalogue: two pc-a, and two sg-x of one pc-b and three pc-c each. */
import type {
  CliqueTemplateOptions,
  PodCliqueSetScenarioOptions,
} from "./pod-clique-set-scenario.ts";

/** Everything but what makes the workload. */
type WorkloadOptions = Omit<PodCliqueSetScenarioOptions, "cliques" | "groups">;

/** How many must serve; pc-b has one pod only. */
interface Needed {
  readonly a: number;
  readonly c: number;
  readonly x: number;
}

type Starts = Partial<Record<"pc-a" | "pc-b" | "pc-c", readonly string[]>>;

const all: Needed = { a: 2, c: 3, x: 2 };
const one: Needed = { a: 1, c: 1, x: 1 };

export const workloadImages = (version: string): Readonly<Record<string, string>> => ({
  "pc-a": `pc-a:${version}`,
  "pc-b": `pc-b:${version}`,
  "pc-c": `pc-c:${version}`,
});

/** A cluster of machines for one pod each. */
export const onePodPerNode = (nodes: number) => ({ nodes, shape: { pods: 1 } });

function workload(
  needed: Needed,
  options: WorkloadOptions,
  starts: Starts = {},
): PodCliqueSetScenarioOptions {
  const startsAfter = (clique: keyof Starts): Pick<CliqueTemplateOptions, "extra"> => {
    const parents = starts[clique];
    return parents === undefined ? {} : { extra: { startsAfter: parents } };
  };
  return {
    ...options,
    cliques: {
      "pc-a": { replicas: 2, minAvailable: needed.a, ...startsAfter("pc-a") },
      "pc-b": { replicas: 1, minAvailable: 1, ...startsAfter("pc-b") },
      "pc-c": { replicas: 3, minAvailable: needed.c, ...startsAfter("pc-c") },
    },
    groups: { "sg-x": { cliques: ["pc-b", "pc-c"], replicas: 2, minAvailable: needed.x } },
  };
}

const withTemplate = (
  { template = {}, ...options }: WorkloadOptions,
  given: Record<string, unknown>,
): WorkloadOptions => ({ ...options, template: { ...given, ...template } });

const inOrder = (options: WorkloadOptions): WorkloadOptions =>
  withTemplate(options, { cliqueStartupType: "CliqueStartupTypeInOrder" });
const explicit = (options: WorkloadOptions): WorkloadOptions =>
  withTemplate(options, { cliqueStartupType: "CliqueStartupTypeExplicit" });
const impatient = (options: WorkloadOptions): WorkloadOptions =>
  withTemplate(options, { terminationDelay: "10s" });

/** All must serve. */
export const workload1 = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload(all, options);

/** One of each must serve. */
export const workload2 = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload(one, options);

/** In the order of the template; all must serve. */
export const workload3 = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload(all, inOrder(options));

/** In the order of the template; one of each must serve. */
export const workload4 = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload(one, inOrder(options));

/** pc-a, then pc-c, then pc-b; all must serve. */
export const workload5 = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload(all, explicit(options), { "pc-b": ["pc-c"], "pc-c": ["pc-a"] });

/** pc-a, then pc-b, then pc-c; one of each must serve. */
export const workload6 = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload(one, explicit(options), { "pc-b": ["pc-a"], "pc-c": ["pc-b"] });

/** All must serve; a broken gang goes after ten seconds. */
export const workload1Gt = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload(all, impatient(options));

/** One of each must serve; a broken gang goes after ten seconds. */
export const workload2Gt = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload(one, impatient(options));

/** One pc-a, one sg-x, but all pc-c in it; a broken gang goes after ten seconds. */
export const workload5Gt = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload({ a: 1, c: 3, x: 1 }, impatient(options));

/** Pods change only when somebody deletes them; one pc-a may be missing, nothing else. */
export const workloadOnDelete = (options: WorkloadOptions = {}): PodCliqueSetScenarioOptions =>
  workload({ a: 1, c: 3, x: 2 }, { strategy: { type: "OnDelete" }, ...options });
