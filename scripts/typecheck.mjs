// Type-checks the whole package, then the planner alone without Node.js or DOM types: I/O there does not compile.
import { spawnSync } from "node:child_process";

for (const project of ["tsconfig.json", "src/planner/tsconfig.json"]) {
  const { status, error } = spawnSync("tsc", ["-p", project], { stdio: "inherit" });
  if (error !== undefined)
    process.stderr.write(`cannot run tsc: ${error.message}; use npm run typecheck\n`);
  if (status !== 0) process.exit(status ?? 1);
}
