/** Runs the suites that need a real control plane, after building what of it is missing. */
import { spawn } from "node:child_process";
import type { BinaryName } from "../tools/control-plane/binaries.ts";
import { ensureBinaries } from "../tools/control-plane/build.ts";
import { CannotBuild, cannotBuildExitCode } from "../tools/control-plane/preflight.ts";

/** What the tests under test/k8s start. */
const needed: BinaryName[] = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kwok",
  "kubectl",
];

// An exit handler removes the half-made build cache, and a plain signal would not run it.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

try {
  const paths = await ensureBinaries(needed);
  // The kubectl on PATH wins: it is the one that users have.
  process.env.LOCKSTEP_BUILT_KUBECTL = paths.kubectl;
} catch (error) {
  if (!(error instanceof CannotBuild)) throw error;
  console.error(`test:k8s: there is no real control plane to test against: ${error.message}`);
  process.exit(cannotBuildExitCode);
}

const args = ["run", "--config", "vitest.k8s.config.ts", ...process.argv.slice(2)];
const vitest = spawn("vitest", args, { stdio: "inherit" });
vitest.on("error", (error) => {
  console.error(`test:k8s: cannot run vitest: ${error.message}; use npm run test:k8s`);
  process.exit(1);
});
vitest.on("exit", (code) => process.exit(code ?? 1));
