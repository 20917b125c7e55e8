// Everything a change must pass: format, lint, types, tests, generated files unchanged.
// `--except tests` leaves one out, for somebody who has just run it.
import { spawnSync } from "node:child_process";

const steps = [
  ["format", "oxfmt", "--check", "."],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "node", "scripts/typecheck.mjs"],
  ["definitions", "tsx", "scripts/generate-crds.ts", "--check"],
  ["API pages", "tsx", "scripts/generate-api-docs.ts", "--check"],
  ["roles", "tsx", "scripts/generate-rbac.ts", "--check"],
  ["tests", "vitest", "run"],
];

const [flag = "--except", ...except] = process.argv.slice(2);
const names = steps.map(([name]) => name);
if (flag !== "--except" || except.some((name) => !names.includes(name))) {
  process.stderr.write(
    `usage: npm run check [-- --except STEP...], where a step is one of ${names.join(", ")}\n`,
  );
  process.exit(2);
}

for (const [name, tool, ...args] of steps) {
  if (except.includes(name)) continue;
  const started = Date.now();
  const { status } = spawnSync(tool, args, { stdio: "inherit" });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (status !== 0) {
    process.stderr.write(`check: ${name} failed after ${seconds} s (${tool} ${args.join(" ")})\n`);
    process.exit(1);
  }
  process.stderr.write(`check: ${name} ok, ${seconds} s\n`);
}
