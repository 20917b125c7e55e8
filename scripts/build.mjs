// Bundles the command line into one file: for publishing, and for running from a clone.
// The published one leaves dependencies to npm, so that they come with their licences and updates.
import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export async function bundle(outfile, entryPoint = "src/cli/main.ts", packages = "bundle") {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    packages,
    platform: "node",
    target: "node20.19",
    format: "esm",
    sourcemap: "linked",
    banner: {
      // Dependencies written for CommonJS ask for `require` at run time.
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
}

/** The bundle of this clone's sources, built again when a source is newer. */
export async function freshBundle() {
  const folder = join(root, ".lockstep", "bundle");
  const outfile = join(folder, "lockstep.mjs");
  if (modifiedMs(outfile) >= newestSourceMs()) return outfile;
  // Another process may be starting from the same clone: it must never see half a bundle.
  const draft = join(folder, String(process.pid));
  await bundle(join(draft, "lockstep.mjs"));
  for (const name of ["lockstep.mjs.map", "lockstep.mjs"]) {
    renameSync(join(draft, name), join(folder, name));
  }
  rmSync(draft, { recursive: true });
  return outfile;
}

function newestSourceMs() {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const times = files.map((file) => modifiedMs(join(root, "src", file)));
  return Math.max(...times, modifiedMs(join(root, "package-lock.json")));
}

function modifiedMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundle(join(root, "dist", "lockstep.mjs"), undefined, "external");
}
