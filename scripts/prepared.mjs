// Runs a tool of node_modules after making sure that it is there: `prepared.mjs vitest run`.
import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { requireDependencies, requireNode } from "./install.mjs";

requireNode();
await requireDependencies();

const bin = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules", ".bin");
const env = Object.assign({}, process.env, { PATH: bin + delimiter + process.env.PATH });
const [tool, ...args] = process.argv.slice(2);
const child = spawn(tool, args, { stdio: "inherit", env, shell: process.platform === "win32" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`lockstep: cannot run ${tool}: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
