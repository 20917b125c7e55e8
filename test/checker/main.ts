/** `npm run verify`: visits every state of every configuration, on all cores, and reports what it found. */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { allCases, type Choice } from "./all-cases.ts";
import type { Verdict } from "./explore.ts";

const help = `npm run verify -- [options]

Visits every state that a rollout can reach within the bounds below, with an adversary that breaks
and removes units, changes size, target and partition, pauses, restarts the controller and shows
it a stale view. In every state the promises of docs/rules hold, and every fair run ends.

  --units N       only configurations of N units (per role, where there are two)
  --policy NAME   clique | scaling-group | replica-recreate | statefulset | on-delete | any |
                  coordination | placement
  --quick         the part that runs with the other tests
  --jobs N        threads (default: one per core)
  --list          name the configurations and stop
  --help

Exit code 1 with a drawn timeline when a promise is broken.
Drawing: v2 target, v1 before it, v0 older; . starting, ' ready, ! broken, # failed, ~ terminating,
? unscheduled, - empty; what is right of | is above desired.`;

interface Answer {
  readonly index: number;
  readonly verdict: Verdict;
  readonly tookMs: number;
}

interface Group {
  cases: number;
  states: number;
  transitions: number;
  tookMs: number;
}

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      units: { type: "string" },
      policy: { type: "string" },
      jobs: { type: "string" },
      quick: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return print(help);
  const units = values.units === undefined ? undefined : Number(values.units);
  const choice: Choice = { units, policy: values.policy, isQuick: values.quick };
  const cases = allCases(choice);
  if (cases.length === 0) return print("verify: no such configuration; see --help", 2);
  if (values.list) return print(cases.map(({ name }) => name).join("\n"));
  const jobs = Math.min(Number(values.jobs ?? availableParallelism()), cases.length);
  return report(choice, Math.max(1, jobs));
}

function print(text: string, code = 0): number {
  (code === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  return code;
}

async function report(choice: Choice, jobs: number): Promise<number> {
  const cases = allCases(choice);
  const groups = new Map<string, Group>();
  let [done, states, transitions] = [0, 0, 0];
  const startedMs = performance.now();
  const elapsed = (): string => `${((performance.now() - startedMs) / 1000).toFixed(0)} s`;
  const failed = await runAll(choice, jobs, cases.length, ({ index, verdict, tookMs }) => {
    const name = cases[index]!.group;
    const group = groups.get(name) ?? { cases: 0, states: 0, transitions: 0, tookMs: 0 };
    groups.set(name, group);
    group.cases += 1;
    group.states += verdict.states;
    group.transitions += verdict.transitions;
    group.tookMs += tookMs;
    done += 1;
    states += verdict.states;
    transitions += verdict.transitions;
    progress(`${done} of ${cases.length} configurations, ${states} states, ${elapsed()}`);
  });
  progress("");
  for (const [name, group] of groups) print(drawGroup(name, group));
  if (failed !== undefined) return drawFailure(cases[failed.index]!.name, failed.verdict);
  const found = `${states} states and ${transitions} transitions in ${cases.length} configurations`;
  return print(`verified: ${found}, ${elapsed()} on ${jobs} threads; every promise holds`);
}

let lastShownMs = 0;

/** Redrawn in place on a terminal; elsewhere an occasional line shows that it is alive. */
function progress(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001B[K${text}`);
  } else if (text !== "" && performance.now() - lastShownMs > 30_000) {
    lastShownMs = performance.now();
    process.stderr.write(`${text}\n`);
  }
}

const drawGroup = (name: string, { cases, states, transitions, tookMs }: Group): string =>
  `${name.padEnd(64)} ${String(cases).padStart(4)} configurations ${String(states).padStart(9)} ` +
  `states ${String(transitions).padStart(10)} transitions ${(tookMs / 1000).toFixed(1).padStart(6)} s`;

function drawFailure(name: string, { counterexample }: Verdict): number {
  const { promise, timeline } = counterexample!;
  return print([`\nBROKEN ${promise}`, `in ${name}`, ...timeline].join("\n"), 1);
}

/** Distributes the configurations to the workers; stops at the first one that breaks a promise. */
function runAll(
  choice: Choice,
  jobs: number,
  total: number,
  onAnswer: (answer: Answer) => void,
): Promise<Answer | undefined> {
  let next = 0;
  let idle = 0;
  return new Promise((resolve, reject) => {
    const workers = Array.from({ length: jobs }, () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: choice });
      const assignNext = (): void => {
        if (next < total) worker.postMessage(next, []);
        else if (++idle === jobs) end(undefined);
        next += 1;
      };
      worker.on("message", (answer: Answer) => {
        onAnswer(answer);
        if (answer.verdict.counterexample === undefined) assignNext();
        else end(answer);
      });
      worker.on("error", reject);
      assignNext();
      return worker;
    });
    function end(answer: Answer | undefined): void {
      void Promise.all(workers.map((worker) => worker.terminate())).then(() => resolve(answer));
    }
  });
}

function work(choice: Choice): void {
  const cases = allCases(choice);
  parentPort!.on("message", (index: number) => {
    const startedMs = performance.now();
    const verdict = cases[index]!.run();
    const tookMs = performance.now() - startedMs;
    parentPort!.postMessage({ index, verdict, tookMs }, []);
  });
}

if (isMainThread) process.exitCode = await main(process.argv.slice(2));
else work(workerData as Choice);
