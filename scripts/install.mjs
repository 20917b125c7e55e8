// Installs the locked dependencies when they are missing or older than the lock file.
// Runs before anything is installed, so it may use nothing but Node.js itself, any version of it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
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

export function requireDependencies() {
  const why = reasonToInstall(root);
  if (why === undefined) return;
  process.stderr.write(
    "lockstep: installing dependencies (" + why + ", about half a minute) ...\n",
  );
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // Nothing that is locked needs a script of its own to work, so nobody's runs here.
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = spawnSync(npm, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.status === 0) return;
  fail(
    "npm ci failed in " + root + "; the lines above say why. Fix that and run the command again.",
  );
}

// Undefined where everything locked is installed.
export function reasonToInstall(folder) {
  // A published package has no lock file: its dependencies were installed with it.
  const lock = join(folder, "package-lock.json");
  if (!existsSync(lock)) return undefined;
  const installed = join(folder, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return "first run";
  if (statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return undefined;
  // Switching branches touches the lock file too: what counts is whether it asks for something else.
  return hasAll(packagesOf(installed), packagesOf(lock)) ? undefined : "package-lock.json is newer";
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, "utf8")).packages;
}

function hasAll(installed, locked) {
  return Object.keys(locked).every(
    (path) =>
      path === "" ||
      locked[path].optional === true ||
      (installed[path] !== undefined && installed[path].version === locked[path].version),
  );
}

function fail(message) {
  process.stderr.write("lockstep: " + message + "\n");
  process.exit(1);
}
