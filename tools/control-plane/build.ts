/** Builds the binaries of a real control plane, lazily and once, into the user's cache. */
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { binariesFolder, binaryNames, kubernetesVersion, recipe, recipeStamp } from "./binaries.ts";
import type { BinaryName } from "./binaries.ts";
import { isRunning, withBuildLock } from "./build-lock.ts";
import { requireDiskSpace, requireGo } from "./preflight.ts";

export type BinaryPaths = Readonly<Record<BinaryName, string>>;
type Say = (line: string) => void;

/** What each takes on two cores with nothing cached: told before the wait, not after. */
const usualSeconds: Record<BinaryName, number> = {
  etcd: 55,
  "kube-apiserver": 270,
  "kube-controller-manager": 80,
  "kube-scheduler": 30,
  kubectl: 30,
  kwok: 80,
  lws: 70,
};

/**
 * Makes sure that `names` exist and returns where every binary is (or would be). A folder in
 * KUBEBUILDER_ASSETS wins for the binaries it holds; what it lacks is built.
 */
export async function ensureBinaries(
  names: readonly BinaryName[],
  say: Say = sayOnStderr,
): Promise<BinaryPaths> {
  const folder = binariesFolder();
  const missing = names.filter((name) => asset(name) === undefined && !isBuilt(folder, name));
  if (missing.length > 0) await buildAll(folder, missing, say);
  const paths = binaryNames.map((name) => [name, asset(name) ?? join(folder, name)] as const);
  return Object.fromEntries(paths) as unknown as BinaryPaths;
}

/** The binary's path where it exists already; never builds. */
export function findBinary(name: BinaryName): string | undefined {
  const folder = binariesFolder();
  return asset(name) ?? (isBuilt(folder, name) ? join(folder, name) : undefined);
}

function asset(name: BinaryName): string | undefined {
  const folder = process.env.KUBEBUILDER_ASSETS;
  if (!folder) return undefined;
  const path = join(folder, name);
  return existsSync(path) ? path : undefined;
}

const stampFile = (folder: string, name: BinaryName): string => join(folder, `${name}.stamp`);

function isBuilt(folder: string, name: BinaryName): boolean {
  const stamp = stampFile(folder, name);
  if (!existsSync(join(folder, name)) || !existsSync(stamp)) return false;
  return readFileSync(stamp, "utf8") === recipeStamp(name);
}

async function buildAll(folder: string, names: readonly BinaryName[], say: Say): Promise<void> {
  await requireGo();
  mkdirSync(folder, { recursive: true });
  await withBuildLock(
    join(folder, "build.lock"),
    (holder) => say(`waiting for process ${holder}, which is building the same`),
    async () => {
      const still = names.filter((name) => !isBuilt(folder, name));
      if (still.length === 0) return;
      removeLeftovers(folder);
      await requireDiskSpace(folder);
      const minutes = still.reduce((sum, name) => sum + usualSeconds[name], 0) / 60;
      const what = still.join(", ");
      say(`Kubernetes ${kubernetesVersion()}: building ${what} into ${folder}, once`);
      say(`this takes about ${minutes.toFixed(0)} minutes on two cores`);
      await buildEach(folder, still, say);
    },
  );
}

/** A build that was killed leaves gigabytes behind, named after its process. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^\..+-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** The build cache is of no use once the binaries are there and takes ten times their room. */
async function buildEach(folder: string, names: readonly BinaryName[], say: Say): Promise<void> {
  const goCache = join(folder, `.go-build-${process.pid}`);
  const removeCache = (): void => rmSync(goCache, { recursive: true, force: true });
  process.once("exit", removeCache);
  try {
    for (const [index, name] of names.entries()) {
      const started = performance.now();
      say(`[${index + 1}/${names.length}] ${name} ...`);
      await build(folder, name, goCache);
      const seconds = ((performance.now() - started) / 1000).toFixed(0);
      say(`[${index + 1}/${names.length}] ${name} done after ${seconds} s`);
    }
  } finally {
    removeCache();
    process.off("exit", removeCache);
  }
}

async function build(folder: string, name: BinaryName, goCache: string): Promise<void> {
  const { moduleFolder, goPackage, linkerFlags } = recipe(name);
  const output = join(folder, `.${name}-${process.pid}`);
  try {
    await go(
      ["build", "-trimpath", "-ldflags", linkerFlags, "-o", output, goPackage],
      moduleFolder,
      goCache,
    );
    rmSync(stampFile(folder, name), { force: true });
    renameSync(output, join(folder, name));
    writeFileSync(stampFile(folder, name), recipeStamp(name));
  } finally {
    rmSync(output, { force: true });
  }
}

function go(args: readonly string[], cwd: string, goCache: string): Promise<void> {
  const env = { ...process.env, CGO_ENABLED: "0", GOCACHE: goCache, GOFLAGS: "-mod=readonly" };
  const child = spawn("go", args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => (complaints = (complaints + chunk).slice(-4000)));
  const kill = (): boolean => child.kill();
  process.once("exit", kill);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      process.off("exit", kill);
      if (code === 0) return resolve();
      reject(new Error(`go ${args.join(" ")} failed in ${cwd}:\n${complaints.trim()}`));
    });
  });
}

function sayOnStderr(line: string): void {
  process.stderr.write(`control-plane: ${line}\n`);
}
