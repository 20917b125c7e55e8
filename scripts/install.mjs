// Installs the locked dependencies when they are missing or older than the lock file.
// Runs before anything is installed, so it may use nothing but Node.js itself, any version of it.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const oldestNode = [20, 19];

export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  fail(
    "lockstep needs Node.js " +
      oldestNode.join(".") +
      " or newer; this is " +
      process.versions.node +
      ". Install a newer Node.js and try again.",
  );
}

export function requireDependencies() {
  // A published package has no lock file: its dependencies were installed with it.
  const lock = join(root, "package-lock.json");
  if (!existsSync(lock)) return;
  const stamp = join(root, "node_modules", ".package-lock.json");
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs) return;
  const why = existsSync(stamp) ? "package-lock.json is newer" : "first run";
  process.stderr.write(
    "lockstep: installing dependencies (" + why + ", about half a minute) ...\n",
  );
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = spawnSync(npm, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.status === 0) return;
  fail(
    "npm ci failed in " + root + "; the lines above say why. Mend that and run the command again.",
  );
}

function fail(message) {
  process.stderr.write("lockstep: " + message + "\n");
  process.exit(1);
}
