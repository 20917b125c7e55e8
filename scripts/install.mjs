// Installs the locked dependencies when they are missing or older than the lock file.
// Runs before anything is installed, so it may use nothing but Node.js itself, any version of it.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bundler = join(root, "tools", "bundler");
const oldestNode = [20, 19];

export function requireNode() {
  const problem = nodeProblem(process.versions.node);
  if (problem !== undefined) fail(problem);
}

export function nodeProblem(version) {
  const [major, minor] = version.split(".").map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]))
    return undefined;
  return (
    "lockstep needs Node.js " +
    oldestNode.join(".") +
    " or newer; this is " +
    version +
    ". Install a newer Node.js and try again."
  );
}

// Everything: for tests and checks.
export async function requireDependencies() {
  await install(reasonToInstall(root), [{ folder: root, args: [] }]);
}

// What a clone needs to run: a first look takes seconds, the tools for working on it several times that.
export async function requireToRun() {
  const parts = [{ folder: root, args: ["--omit=dev"] }];
  if (!hasBundler()) parts.push({ folder: bundler, args: [] });
  await install(reasonToInstall(root, isNeededToRun) ?? missingBundler(), parts);
}

const isNeededToRun = (locked) => locked.dev !== true && locked.devOptional !== true;

// An installation of everything has its own.
const hasBundler = () =>
  [root, bundler].some((folder) => existsSync(join(folder, "node_modules", "esbuild")));

const missingBundler = () => (hasBundler() ? undefined : "first run");

async function install(why, parts) {
  if (why === undefined) return;
  process.stderr.write("lockstep: installing dependencies (" + why + ") ...\n");
  const codes = await Promise.all(parts.map(runNpm));
  const failed = parts.filter((_part, index) => codes[index] !== 0);
  if (failed.length === 0) return;
  fail(
    "npm ci failed in " +
      failed[0].folder +
      "; the lines above say why. Fix that and run the command again.",
  );
}

function runNpm(part) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // Nothing that is locked needs a script of its own to work, so nobody's runs here.
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  return new Promise((resolve) => {
    const stdio = ["ignore", 2, 2];
    const child = spawn(npm, args.concat(part.args), { cwd: part.folder, stdio });
    child.on("error", () => resolve(1));
    child.on("exit", resolve);
  });
}

// Undefined where everything locked that is needed is installed.
export function reasonToInstall(folder, isNeeded) {
  // A published package has no lock file: its dependencies were installed with it.
  const lock = join(folder, "package-lock.json");
  if (!existsSync(lock)) return undefined;
  const installed = join(folder, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return "first run";
  const isYounger = statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
  // Every installation has what is needed to run: most commands need not read what is locked.
  if (isYounger && isNeeded !== undefined) return undefined;
  const locked = Object.entries(packagesOf(lock)).filter(
    ([path, each]) => path !== "" && each.optional !== true && (isNeeded?.(each) ?? true),
  );
  const has = packagesOf(installed);
  if (!locked.every(([path]) => has[path] !== undefined)) return "some are missing";
  if (isYounger) return undefined;
  // Switching branches touches the lock file too: what counts is whether it asks for something else.
  const isSame = locked.every(([path, each]) => has[path].version === each.version);
  return isSame ? undefined : "package-lock.json is newer";
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, "utf8")).packages;
}

function fail(message) {
  process.stderr.write("lockstep: " + message + "\n");
  process.exit(1);
}
