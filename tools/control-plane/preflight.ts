/** What must be true before a build starts: a Go that is new enough, and room on the disk. */
import { execFile } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";
import { recipe, requiredGoVersion } from "./binaries.ts";

const run = promisify(execFile);
const gigabyte = 1e9;
/** Measured: 3.7 GB of build cache plus 0.4 GB of binaries, and 1.3 GB of downloaded modules. */
const buildBytes = 4.5 * gigabyte;
const moduleBytes = 1.5 * gigabyte;

/** A reason why the control plane cannot be built here, in words for the user. */
export class CannotBuild extends Error {
  override readonly name = "CannotBuild";
}

/** The exit code that says so (EX_UNAVAILABLE): not a failure of the project, but not a success. */
export const cannotBuildExitCode = 69;

export async function requireGo(): Promise<void> {
  const wanted = requiredGoVersion();
  const found = await goVersion(wanted);
  if (isAtLeast(found, wanted)) return;
  throw new CannotBuild(`Go ${wanted} or newer is needed, this is ${found}: see https://go.dev/dl`);
}

async function goVersion(wanted: string): Promise<string> {
  try {
    const { stdout } = await run("go", ["version"], { cwd: recipe("kube-apiserver").moduleFolder });
    return /go(\d+(?:\.\d+)*)/.exec(stdout)?.[1] ?? "of unknown version";
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === "ENOENT") {
      throw new CannotBuild(
        `Go is not installed. Install Go ${wanted} or newer (https://go.dev/dl), or point ` +
          "KUBEBUILDER_ASSETS at a folder with the binaries",
      );
    }
    throw new CannotBuild(`Go ${wanted} or newer is needed: ${stderr?.trim() || String(error)}`);
  }
}

export function isAtLeast(found: string, wanted: string): boolean {
  const numbers = (version: string): number[] => version.split(".").map(Number);
  const [have, need] = [numbers(found), numbers(wanted)];
  const differing = need.findIndex((part, index) => part !== (have[index] ?? 0));
  return differing === -1 || (have[differing] ?? 0) > (need[differing] ?? 0);
}

export async function requireDiskSpace(buildFolder: string): Promise<void> {
  const { stdout } = await run("go", ["env", "GOMODCACHE"]);
  const moduleFolder = stdout.trim();
  mkdirSync(moduleFolder, { recursive: true });
  const isSameDisk = statSync(buildFolder).dev === statSync(moduleFolder).dev;
  await requireFree(buildFolder, isSameDisk ? buildBytes + moduleBytes : buildBytes);
  if (!isSameDisk) await requireFree(moduleFolder, moduleBytes);
}

async function requireFree(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= bytes) return;
  const inGigabytes = (size: number): string => `${(size / gigabyte).toFixed(1)} GB`;
  throw new CannotBuild(
    `building needs ${inGigabytes(bytes)} of free disk under ${folder}, there are ${inGigabytes(free)}: ` +
      "free some, or set LOCKSTEP_CACHE to a folder on a larger disk",
  );
}
