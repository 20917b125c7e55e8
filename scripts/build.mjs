// Bundles the command line: for publishing, and for running from a clone. What only some commands need is in chunks
// beside it, so that an operator does not hold the embedded API server in memory. The published one leaves
// dependencies to npm, so that they come with their licences and updates.
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export async function bundle(outfile, entryPoint = "src/cli/main.ts", packages = "bundle") {
  const { build } = await loadBundler();
  await build({
    absWorkingDir: root,
    entryPoints: { [basename(outfile, ".mjs")]: entryPoint },
    outdir: dirname(outfile),
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunk-[hash]",
    bundle: true,
    splitting: true,
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
  // The dashboard serves these as they are.
  cpSync(join(root, "src", "dashboard", "page"), join(dirname(outfile), "page"), {
    recursive: true,
  });
}

/** Of a clone in which everything is installed, or only what it needs to run. */
function loadBundler() {
  const own = createRequire(join(root, "tools", "bundler", "package.json"));
  return import("esbuild").catch(() => own("esbuild"));
}

/** The bundle of this clone's sources, built again when a source is newer. */
export async function freshBundle() {
  const folder = join(root, ".lockstep", "bundle");
  const outfile = join(folder, "lockstep.mjs");
  if (modifiedMs(outfile) >= newestSourceMs()) return outfile;
  // Another process may be starting from the same clone: it must never see half a bundle.
  const draft = join(root, ".lockstep", `bundle-${process.pid}`);
  await bundle(join(draft, "lockstep.mjs"));
  mkdirSync(folder, { recursive: true });
  removeOlder(folder, modifiedMs(outfile));
  moveInto(folder, draft);
  return outfile;
}

/** File by file, the entry last: another process may have moved its own bundle there meanwhile. */
export function moveInto(folder, draft) {
  const files = readdirSync(draft, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(draft, join(each.parentPath, each.name)));
  const inOrder = files.toSorted((a, b) => isEntry(a) - isEntry(b));
  for (const name of inOrder) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    renameSync(join(draft, name), join(folder, name));
  }
  rmSync(draft, { recursive: true });
}

const isEntry = (name) => Number(name === "lockstep.mjs");

/** A process that is just starting may need the chunks of the bundle that is replaced, but none older than that. */
function removeOlder(folder, bundledMs) {
  const longestBuildMs = 60_000;
  for (const name of readdirSync(folder).filter((each) => each.startsWith("chunk-"))) {
    const file = join(folder, name);
    if (modifiedMs(file) < bundledMs - longestBuildMs) rmSync(file, { force: true });
  }
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
  const folder = join(root, "dist");
  rmSync(folder, { recursive: true, force: true });
  await bundle(join(folder, "lockstep.mjs"), undefined, "external");
}
