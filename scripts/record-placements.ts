/**
 * Asks Open Cluster Management's own scheduler about every recorded case. It is built outside of the checks:
 *
 *   (cd tools/ocm-scheduler && go mod tidy && go build -o /tmp/ocm-scheduler .)
 *   npx tsx scripts/record-placements.ts /tmp/ocm-scheduler
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { ScheduleAnswer } from "../test/recorded/placement-answer.ts";
import { answerLine } from "../test/recorded/placement-answer.ts";
import type { ScheduleCase } from "../test/recorded/placement-cases.ts";
import { recordedCases } from "../test/recorded/placement-cases.ts";

const [scheduler = "/tmp/ocm-scheduler"] = process.argv.slice(2);

function answersTo(cases: readonly ScheduleCase[]): readonly string[] {
  const input = cases.map((each) => `${JSON.stringify(each)}\n`).join("");
  const output = execFileSync(scheduler, { input, encoding: "utf8", maxBuffer: 1e9 });
  const answers = output.trim().split("\n");
  return cases.map(({ placement }, at) =>
    answerLine(placement.spec, JSON.parse(answers[at] ?? "") as ScheduleAnswer),
  );
}

const names = Object.keys(recordedCases);
const lines = answersTo(Object.values(recordedCases)).map(
  (line, at) => `${names[at]} -> ${line}\n`,
);
writeFileSync(new URL("../test/recorded/placement-schedules.txt", import.meta.url), lines.join(""));
