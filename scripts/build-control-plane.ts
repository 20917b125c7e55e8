/** Builds binaries of a real control plane into the cache: `tsx scripts/build-control-plane.ts etcd kubectl`. */
import { binaryNames } from "../tools/control-plane/binaries.ts";
import type { BinaryName } from "../tools/control-plane/binaries.ts";
import { ensureBinaries } from "../tools/control-plane/build.ts";
import { CannotBuild, cannotBuildExitCode } from "../tools/control-plane/preflight.ts";

// An exit handler removes the half-made build cache, and a plain signal would not run it.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !binaryNames.includes(name as BinaryName));
if (unknown.length > 0) {
  console.error(`control-plane: no such binary: ${unknown.join(", ")} (${binaryNames.join(", ")})`);
  process.exit(1);
}

try {
  const names = asked.length > 0 ? (asked as BinaryName[]) : binaryNames;
  const paths = await ensureBinaries(names);
  for (const name of names) console.log(paths[name]);
} catch (error) {
  if (!(error instanceof CannotBuild)) throw error;
  console.error(`control-plane: cannot build: ${error.message}`);
  process.exit(cannotBuildExitCode);
}
